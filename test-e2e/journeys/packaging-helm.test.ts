// The chart on a real API server: installed, upgraded with its kinds, uninstalled without them, taken over from
// kubectl, and installed by a user who has one namespace. That its objects are those of config/ is tested by
// chart.test.ts, and that these work by packaging.test.ts.
// Own API server: it installs what a testbed has.

import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Deployment } from '@kubernetes/client-node';
import { obtainHelm, startTestbed, type Testbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import {
  addNamespaceAdmin,
  CRDS,
  createHands,
  createRestrictedNamespace,
  expectAdmittedPods,
  expectClustersToStay,
  type Hands,
  HOME,
  OPERATOR_LABEL,
  operatorDeployment,
  renderedList,
} from '../support/installing.ts';
import { createKube, type Kube } from '../support/kube.ts';
import { CHART, chartArguments, helmTemplate, RELEASE } from '../support/rendering.ts';
import { plainSpec } from '../support/specs.ts';

describe('installing with helm', function () {
  this.timeout(120_000);
  let helm = '';
  /** Lets Helm take over objects that others have made; Helm 3 needs no flag for that. */
  let takingOver: readonly string[] = [];
  let testbed: Testbed | undefined;
  let kube: Kube;
  let admin: Hands;

  before(async function () {
    const found = await obtainHelm();
    if (found.kind === 'missing') {
      console.log(`      skipped: ${found.why}`);
      this.skip();
    }
    helm = found.path;
    takingOver = ['--take-ownership', ...(found.version.startsWith('v3.') ? [] : ['--force-conflicts'])];
    testbed = await startTestbed({ operator: false, kubelet: false, rbac: false, crds: false });
    kube = createKube(testbed.kubeconfigs.admin);
    admin = createHands(testbed, testbed.kubeconfigs.admin, helm);
    await admin.kubectl('label', 'namespace', HOME, 'pod-security.kubernetes.io/enforce=restricted');
    await createRestrictedNamespace(kube, admin, 'shop');
  });
  after(async function () {
    this.timeout(60_000);
    await testbed?.stop();
  });

  it('makes no API server warn, and prints what comes next', async () => {
    const said = await admin.helm('install', RELEASE, ...chartArguments({}));
    expect(said).to.include('manages all namespaces').and.include('An uninstall leaves the kinds');
    await expectAdmittedPods(kube, 2);
    await admin.kubectl('wait', '--for=condition=Established', 'crd', ...CRDS);
    await kube.createCluster('shop', 'demo', plainSpec(3));
  });

  it('prints what is there in every mode', async () => {
    const printed = (profile: string) =>
      admin.helm(
        'install',
        'other',
        ...chartArguments({ profile, namespace: 'shop' }),
        '--dry-run=server',
        ...takingOver,
      );
    expect(await printed('ring')).to.include('rollout status -n shop statefulset/marekvs-operator');
    expect(await printed('tenants'))
      .to.include('manages the namespaces that the ConfigMap marekvs-operator-namespaces names')
      .and.include('rollout status -n shop deployment/marekvs-operator');
  });

  it('applies nothing that strict validation would refuse', async () => {
    const objects = await helmTemplate(helm, {
      profile: 'ha',
      set: ['networkPolicy.enabled=true', 'crds.enabled=false'],
    });
    const file = await renderedList(present(testbed), objects);
    await admin.kubectl(
      'apply',
      '--server-side',
      '--force-conflicts',
      '--dry-run=server',
      '--validate=strict',
      '-f',
      file,
    );
  });

  it('is followed by an upgrade to a later chart, the kinds included', async () => {
    const later = await laterChart(present(testbed));
    await admin.helm('upgrade', RELEASE, ...chartArguments({ profile: 'ha', chart: later }));
    expect((await operatorDeployment(kube)).spec).to.include({ replicas: 3 });
    await expectAdmittedPods(kube, 3);
    const said = await admin.kubectl('explain', 'marekvscluster.spec.nodes');
    expect(said).to.include('Said by a later chart.');
  });

  it('can be rolled back', async () => {
    await admin.helm('rollback', RELEASE, '-n', HOME);
    expect((await operatorDeployment(kube)).spec).to.include({ replicas: 2 });
  });

  it('can be undone by an uninstall, which leaves the kinds and the cluster', async () => {
    await expectClustersToStay(admin, 'shop', () => admin.helm('uninstall', RELEASE, '-n', HOME));
  });

  it('takes over what kubectl has installed, and restarts none of it', async () => {
    // Server-side, because kubectl's client-side apply warns about objects that it has not created.
    const pods = () => admin.kubectl('get', 'pods,rs', '-n', HOME, '-o', 'jsonpath={.items[*].metadata.uid}');
    const kustomized = await admin.kubectl('kustomize', 'config/overlays/default');
    const file = join(present(testbed).dir, 'default.yaml');
    await writeFile(file, kustomized);
    await admin.kubectl('apply', '--server-side', '--force-conflicts', '-f', file);
    await expectAdmittedPods(kube, 2);
    const earlier = await pods();
    await admin.helm('install', RELEASE, ...chartArguments({}), ...takingOver);
    const { metadata } = await operatorDeployment(kube);
    await kube.until<V1Deployment>(
      'the Deployment as the chart has it is carried out',
      `/apis/apps/v1/namespaces/${HOME}/deployments`,
      (all) => all.some(({ status }) => (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 1)),
    );
    expect(await pods()).to.equal(earlier);
    await expectClustersToStay(admin, 'shop', () => admin.helm('uninstall', RELEASE, '-n', HOME));
  });

  it('can be done in one namespace by a user who has no right elsewhere', async () => {
    await admin.kubectl('apply', '--server-side', '-k', 'config/components/user-roles');
    await createRestrictedNamespace(kube, admin, 'team-b');
    const team = await addNamespaceAdmin(present(testbed), admin, 'bob', ['team-b'], helm);
    const settings = { profile: 'team', namespace: 'team-b' };
    const said = await team.helm('install', RELEASE, ...chartArguments(settings));
    expect(said).to.include('manages team-b');
    await expectAdmittedPods(kube, 2, 'team-b');
    await team.helm('upgrade', RELEASE, ...chartArguments({ ...settings, set: ['log.level=debug'] }));
    await team.helm('uninstall', RELEASE, '-n', 'team-b');
    expect(await team.kubectl('get', 'deployments,roles', '-n', 'team-b', '-l', OPERATOR_LABEL, '-o', 'name')).to.equal(
      '',
    );
  });

  it('can be undone with the kinds if the values say so, past the policy that keeps them otherwise', async () => {
    await admin.helm('install', RELEASE, ...chartArguments({ set: ['crds.keep=false'] }), ...takingOver);
    await admin.helm('uninstall', RELEASE, '-n', HOME);
    await eventually('the kinds are gone', async () => (await admin.kubectl('get', 'crd', '-o', 'name')) === '');
  });
});

/** The chart with another sentence in one of its kinds. */
async function laterChart({ dir }: Testbed): Promise<string> {
  const chart = join(await mkdtemp(join(dir, 'later-')), 'chart');
  await cp(CHART, chart, { recursive: true });
  const path = join(chart, 'files', 'crds', 'marekvsclusters.yaml');
  const text = await readFile(path, 'utf8');
  const changed = text.replace('Number of nodes. ', 'Said by a later chart. Number of nodes. ');
  expect(changed).to.not.equal(text);
  await writeFile(path, changed);
  return chart;
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the testbed is started in the before hook of the suite');
  return value;
}
