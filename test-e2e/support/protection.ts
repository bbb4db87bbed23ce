// The shipped policies of deletionProtection on a testbed: applied as an administrator would, type-checked, and in
// force.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AdmissionregistrationV1Api, type KubeConfig, type V1ValidatingAdmissionPolicy } from '@kubernetes/client-node';
import { GROUP, VERSION } from '@marekvs/api';
import { obtainControlPlane, projectRoot, type Testbed } from '@marekvs/testbed';
import { eventually } from './eventually.ts';

const run = promisify(execFile);
const FOLDER = join(projectRoot, 'config', 'components', 'deletion-protection');

export async function installProtection({ controlPlane, kubeconfigs }: Testbed): Promise<void> {
  const args = ['--kubeconfig', kubeconfigs.admin, 'apply', '-k', FOLDER];
  await run(controlPlane.kubectlPath, args, { timeout: 30_000 });
}

/** Runs the controller that checks the types of policies, which the testbed's controller manager leaves
 *  out, until the testbed ends. */
export async function startTypeChecker({ controlPlane, kubeconfigs, dir }: Testbed): Promise<void> {
  const { controllerManager } = await obtainControlPlane();
  if (controllerManager === undefined) throw new Error('type checks need kube-controller-manager');
  controlPlane.processes.spawn({
    name: 'type-checker',
    command: controllerManager,
    args: [
      `--kubeconfig=${kubeconfigs.admin}`,
      '--controllers=validatingadmissionpolicy-status-controller',
      '--leader-elect=false',
      '--secure-port=0',
    ],
    env: { HOME: dir, PATH: '/usr/bin:/bin' },
    logPath: join(dir, 'type-checker.log'),
  });
}

/** Every shipped policy with its types checked by the API server's own rules.
 *  @throws Error when they are not within 15 s */
export function checkedPolicies(config: KubeConfig): Promise<readonly V1ValidatingAdmissionPolicy[]> {
  return eventually('the types of every policy are checked', async () => {
    const { items } = await config.makeApiClient(AdmissionregistrationV1Api).listValidatingAdmissionPolicy();
    const ours = items.filter(({ metadata }) => metadata?.name?.startsWith('marekvs-'));
    return ours.length > 0 && ours.every(isChecked) && ours;
  });
}

/** The result of the type check for an expression about a deleted MarekvsCluster. */
export async function typeWarnings(config: KubeConfig, expression: string): Promise<readonly string[]> {
  const api = config.makeApiClient(AdmissionregistrationV1Api);
  const name = 'only-checked';
  const resources = {
    apiGroups: [GROUP],
    apiVersions: [VERSION],
    operations: ['DELETE'],
    resources: ['marekvsclusters'],
  };
  const spec = { matchConstraints: { resourceRules: [resources] }, validations: [{ expression }] };
  await api.createValidatingAdmissionPolicy({ body: { metadata: { name }, spec } });
  const { status } = await eventually('the types of the expression are checked', async () => {
    const policy = await api.readValidatingAdmissionPolicy({ name });
    return isChecked(policy) && policy;
  });
  return (status?.typeChecking?.expressionWarnings ?? []).map(({ warning }) => warning);
}

function isChecked({ metadata, status }: V1ValidatingAdmissionPolicy): boolean {
  return status?.observedGeneration === metadata?.generation;
}
