// An installation as a person makes it: kubectl and helm as programs, with all that they print, and the result.

import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppsV1Api, type V1Deployment, type V1Pod } from '@kubernetes/client-node';
import { projectRoot, stretched, type Testbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { eventually } from './eventually.ts';
import type { Kube } from './kube.ts';
import { corePath } from './paths.ts';
import { kustomizeText, type Objects } from './rendering.ts';

const run = promisify(execFile);
const LIMIT_MS = 40_000;
const RESTRICTED = ['enforce', 'warn', 'audit'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);

/** Where config/ and the chart put the operator. */
export const HOME = 'marekvs-system';
export const OPERATOR_LABEL = 'app.kubernetes.io/name=marekvs-operator';
export const CRDS = ['marekvsclusters.marekvs.io', 'marekvsnodes.marekvs.io'] as const;

export interface Hands {
  /** @returns what it printed @throws Error when it fails or prints anything to standard error, even a warning */
  kubectl(...args: readonly string[]): Promise<string>;
  helm(...args: readonly string[]): Promise<string>;
}

/** What one user can do from a terminal in the project's folder. */
export function createHands(testbed: Testbed, kubeconfig: string, helm = 'helm'): Hands {
  const options = {
    cwd: projectRoot,
    timeout: stretched(LIMIT_MS),
    env: { PATH: process.env.PATH, HOME: testbed.dir, KUBECONFIG: kubeconfig },
  };
  async function quietly(program: string, args: readonly string[]): Promise<string> {
    const { stdout, stderr } = await run(program, [...args], options);
    if (/\S/.test(stderr)) throw new Error(`${args.join(' ')} says: ${stderr}`);
    return stdout;
  }
  return {
    kubectl: (...args) => quietly(testbed.controlPlane.kubectlPath, args),
    helm: (...args) => quietly(helm, args),
  };
}

/** A namespace whose Pods have to keep the strictest standard. */
export async function createRestrictedNamespace(kube: Kube, admin: Hands, namespace: string): Promise<void> {
  await kube.createNamespace(namespace);
  await admin.kubectl('label', 'namespace', namespace, ...RESTRICTED);
}

/** A user with only the built-in role `admin` in the namespaces; resolves once that role has our kinds. */
export async function addNamespaceAdmin(
  testbed: Testbed,
  admin: Hands,
  name: string,
  namespaces: readonly [string, ...string[]],
  helm?: string,
): Promise<Hands> {
  const hands = createHands(testbed, await testbed.controlPlane.addUser(name, ['system:authenticated']), helm);
  for (const namespace of namespaces) {
    await admin.kubectl('create', 'rolebinding', name, '-n', namespace, '--clusterrole=admin', `--user=${name}`);
  }
  const what = ['update', 'marekvsclusters.marekvs.io', '--subresource=finalizers', '-n', namespaces[0]];
  await eventually('the role admin knows the kinds', () => isAllowed(hands, ...what));
  return hands;
}

/** The answer of `kubectl auth can-i`. */
export async function isAllowed({ kubectl }: Hands, ...what: readonly string[]): Promise<boolean> {
  const said = await kubectl('auth', 'can-i', ...what).catch((error: unknown) => {
    const { stdout, code }: { stdout?: unknown; code?: unknown } = Object(error);
    if (code === 1 && stdout === 'no\n') return 'no\n';
    throw error;
  });
  return said === 'yes\n';
}

/** A folder with one file per object of an installation, named so that their order is that of kustomize. */
export async function renderedFiles(testbed: Testbed, folder: string): Promise<string> {
  const text = await kustomizeText(testbed.controlPlane.kubectlPath, join(projectRoot, folder));
  const target = await mkdtemp(join(testbed.dir, 'rendered-'));
  for (const [index, object] of text.split(/^---$/m).entries()) {
    const kind = /^kind: (\w+)$/m.exec(object)?.[1] ?? 'none';
    await writeFile(join(target, `${String(index).padStart(2, '0')}-${kind}.yaml`), object);
  }
  return target;
}

/** The objects as one file for kubectl. */
export async function renderedList(testbed: Testbed, objects: Objects): Promise<string> {
  const path = join(await mkdtemp(join(testbed.dir, 'rendered-')), 'list.json');
  await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...objects.values()] }));
  return path;
}

export async function operatorDeployment({ config }: Kube, namespace = HOME): Promise<V1Deployment> {
  return config.makeApiClient(AppsV1Api).readNamespacedDeployment({ namespace, name: 'marekvs-operator' });
}

/** Resolves when the controllers have made the Pods, which shows that admission accepts them. */
export async function expectAdmittedPods(kube: Kube, count: number, namespace = HOME): Promise<void> {
  const { metadata } = await kube.core.readNamespace({ name: namespace });
  expect(metadata?.labels).to.include({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  await kube.until<V1Pod>(
    `${count} Pods of the operator in ${namespace}`,
    corePath(namespace, 'pods'),
    (pods) => pods.filter(({ spec }) => spec?.serviceAccountName === 'marekvs-operator').length === count,
    15_000,
  );
  const { conditions } = (await operatorDeployment(kube, namespace)).status ?? {};
  expect(conditions?.filter(({ type }) => type === 'ReplicaFailure') ?? []).to.deep.equal([]);
}

/** Removes an installation, and checks whether what it served is still what it was.
 *  @param namespace of the clusters */
export async function expectClustersToStay(
  admin: Hands,
  namespace: string,
  remove: () => Promise<unknown>,
): Promise<void> {
  const before = await clustersOf(admin, namespace);
  expect(before).to.include('MarekvsCluster');
  await remove();
  await eventually('the operator is gone', async () => {
    const said = await admin.kubectl('get', 'deployments,pods', '-n', HOME, '-l', OPERATOR_LABEL, '-o', 'name');
    return said === '';
  });
  expect(await clustersOf(admin, namespace)).to.equal(before);
  expect(await admin.kubectl('get', 'crd', ...CRDS, '-o', 'name')).to.match(/marekvsclusters[\s\S]*marekvsnodes/);
}

/** By kubectl: right after a kind has changed, the API server asks its clients to come again in a second, and kubectl
 *  does. */
function clustersOf({ kubectl }: Hands, namespace: string): Promise<string> {
  const fields = '{.kind} {.metadata.name} {.metadata.uid} {.metadata.deletionTimestamp}{"\\n"}';
  const each = `jsonpath={range .items[*]}${fields}{end}`;
  return kubectl('get', 'marekvsclusters,pods', '-n', namespace, '-o', each);
}
