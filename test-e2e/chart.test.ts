// The chart against kustomize: both ways of installing make the same objects. No cluster; helm and kubectl run as
// programs.

import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ANNOTATIONS } from '@marekvs/api';
import { KUBERNETES_VERSION, obtainControlPlane, obtainHelm, projectRoot } from '@marekvs/testbed';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import {
  CHART,
  type ChartSettings,
  helmTemplate,
  kustomize,
  kustomizeText,
  type Objects,
  objectsOf,
  type Rendered,
  withoutHelmsOwn,
} from './support/rendering.ts';

/** Made by Helm or by the person who installs: a release cannot contain the namespace in which it is stored. */
const NOT_IN_THE_CHART = 'Namespace /marekvs-system';

describe('the chart renders what kustomize renders', function () {
  this.timeout(120_000);
  let helm = '';
  let kubectl = '';
  before(async function () {
    const found = await obtainHelm();
    if (found.kind === 'missing') {
      console.log(`      skipped: ${found.why}`);
      this.skip();
    }
    helm = found.path;
    ({ kubectl } = await obtainControlPlane());
  });

  async function expectSame(settings: ChartSettings, ...folders: readonly string[]): Promise<void> {
    const wanted = new Map(
      (await Promise.all(folders.map((one) => kustomize(kubectl, one)))).flatMap((all) => [...all]),
    );
    wanted.delete(NOT_IN_THE_CHART);
    const made = await helmTemplate(helm, settings);
    expect([...made.keys()].sort()).to.deep.equal([...wanted.keys()].sort());
    for (const [key, object] of wanted) expect(withoutHelmsOwn(present(made, key)), key).to.deep.equal(object);
  }

  it('with its own values: config/overlays/default', async () => {
    await expectSame({}, 'config/overlays/default');
  });

  it('with the values of ha: config/overlays/ha', async () => {
    await expectSame({ profile: 'ha' }, 'config/overlays/ha');
  });

  it('with the values of ring: config/overlays/ring', async () => {
    await expectSame({ profile: 'ring' }, 'config/overlays/ring');
  });

  it('with the values of static: config/overlays/static', async () => {
    await expectSame({ profile: 'static' }, 'config/overlays/static');
  });

  it('with the values of namespaced: config/overlays/namespaced', async () => {
    await expectSame({ profile: 'namespaced' }, 'config/overlays/namespaced');
  });

  it('with the values of team: config/overlays/namespaced/operator', async () => {
    await expectSame({ profile: 'team' }, 'config/overlays/namespaced/operator');
  });

  it('with the values of tenants: config/overlays/tenants', async () => {
    await expectSame({ profile: 'tenants' }, 'config/overlays/tenants');
  });

  it('with the values of tenants and a selector: config/components/namespace-selector besides', async () => {
    const wanted = [...(await kustomize(kubectl, 'config/components/namespace-selector'))];
    const made = await helmTemplate(helm, { profile: 'tenants', set: ['namespacesFrom.selector=kv=yes'] });
    for (const [key, object] of wanted) expect(withoutHelmsOwn(present(made, key)), key).to.deep.equal(object);
    expect(present(made, 'ConfigMap marekvs-system/marekvs-operator-namespaces')).to.deep.include({
      data: { namespaces: '', selector: 'kv=yes' },
    });
  });

  it('with the values of tenants and their names: config/components/namespace-role in each of them', async () => {
    const set = ['namespacesFrom.namespaces={team-b,team-c}'];
    const made = await helmTemplate(helm, { profile: 'tenants', set });
    const roles = [...made.keys()].filter((key) => /^Role team-/.test(key)).sort();
    expect(roles).to.deep.equal(['Role team-b/marekvs-operator', 'Role team-c/marekvs-operator']);
    expect([...made.keys()].filter((key) => key.startsWith('ClusterRole /marekvs-operator'))).to.deep.equal([]);
  });

  it('with the values of team in another namespace: config/samples/team without its cluster', async () => {
    const wanted = new Map(await kustomize(kubectl, 'config/samples/team'));
    wanted.delete('MarekvsCluster team-a/cache');
    const made = await helmTemplate(helm, { profile: 'team', namespace: 'team-a' });
    expect(Object.fromEntries(made)).to.deep.equal(Object.fromEntries(wanted));
  });

  it('with taints that mean a drain: config/components/drain-taints in an overlay of one’s own', async () => {
    const set = ['hosts.drainTaints={ToBeDeletedByClusterAutoscaler,karpenter.sh/disrupted,karpenter.sh/disruption}'];
    const made = await helmTemplate(helm, { set });
    const wanted = objectsOf(await overlayText(kubectl, ['drain-taints']));
    const key = 'Deployment marekvs-system/marekvs-operator';
    expect(envOf(present(made, key))).to.have.deep.members(envOf(present(wanted, key)));
    expect(envOf(present(made, key))).to.deep.include({
      name: 'MAREKVS_OPERATOR_DRAIN_TAINTS',
      value: 'ToBeDeletedByClusterAutoscaler,karpenter.sh/disrupted,karpenter.sh/disruption',
    });
  });

  it('with networkPolicy.enabled: config/components/network-policy besides', async () => {
    await expectSame(
      { set: ['networkPolicy.enabled=true'] },
      'config/overlays/default',
      'config/components/network-policy',
    );
  });

  it('with monitoring.enabled: config/components/monitoring besides', async () => {
    await expectSame({ set: ['monitoring.enabled=true'] }, 'config/overlays/default', 'config/components/monitoring');
  });
});

describe('two components of config/ in an overlay of one’s own', function () {
  this.timeout(120_000);

  // One of them turns the Deployment, which the other one changes, into a StatefulSet.
  for (const mode of ['ring', 'static'])
    it(`render the same objects in either order: ${mode} and ha`, async () => {
      const { kubectl } = await obtainControlPlane();
      const first = await overlayText(kubectl, [mode, 'ha']);
      expect(await overlayText(kubectl, ['ha', mode])).to.equal(first);
      const operator = present(objectsOf(first), 'StatefulSet marekvs-system/marekvs-operator');
      expect(operator).to.have.nested.property('spec.template.spec.priorityClassName', 'system-cluster-critical');
      expect(operator).to.have.nested.property('spec.template.spec.containers[0].args').that.includes(`--mode=${mode}`);
    });
});

/** config/overlays/default with these components, in this order. */
async function overlayText(kubectl: string, components: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
  try {
    const pathTo = (shipped: string): string => relative(realpathSync(folder), join(projectRoot, 'config', shipped));
    const overlay = {
      resources: [pathTo('overlays/default')],
      components: components.map((one) => pathTo(`components/${one}`)),
    };
    await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(overlay));
    return await kustomizeText(kubectl, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the values of the chart', function () {
  this.timeout(120_000);
  let helm = '';
  before(async function () {
    const found = await obtainHelm();
    if (found.kind === 'missing') this.skip();
    helm = found.path;
  });

  const rendered = (...set: readonly string[]): Promise<Objects> => helmTemplate(helm, { set });
  const deployment = async (...set: readonly string[]): Promise<Deployment> =>
    present(await rendered(...set), 'Deployment marekvs-system/marekvs-operator') as Deployment;

  it('compose the image from repository and tag, or from repository and digest', async () => {
    const image = async (...set: readonly string[]) =>
      (await deployment('image.repository=r.example/op', ...set)).spec.template.spec.containers[0]?.image;
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(await image()).to.match(/^r\.example\/op:\d+\.\d+\.\d+$/);
    expect(await image('image.tag=edge')).to.equal('r.example/op:edge');
    expect(await image('image.tag=edge', `image.digest=${digest}`)).to.equal(`r.example/op@${digest}`);
  });

  it('of the Pod are rendered into the fields of the Pod', async () => {
    const { spec, metadata } = (
      await deployment(
        'podLabels.team=a',
        'podAnnotations.seen=yes',
        'tolerations[0].operator=Exists',
        'nodeSelector.disk=ssd',
        'priorityClassName=high',
        'imagePullSecrets[0].name=pull',
        'affinity.nodeAffinity.x=y',
        'topologySpreadConstraints=null',
        'extraArgs[0]=--lease-duration=30s',
        'extraEnv[0].name=HTTPS_PROXY',
        'log.level=debug',
        'log.format=text',
      )
    ).spec.template;
    expect(metadata.labels).to.include({ team: 'a', 'app.kubernetes.io/name': 'marekvs-operator' });
    expect(metadata.annotations).to.include({ seen: 'yes', 'kubectl.kubernetes.io/default-container': 'operator' });
    expect(spec).to.deep.include({
      tolerations: [{ operator: 'Exists' }],
      nodeSelector: { disk: 'ssd' },
      priorityClassName: 'high',
      imagePullSecrets: [{ name: 'pull' }],
      affinity: { nodeAffinity: { x: 'y' } },
    });
    const [container] = spec.containers;
    expect(container?.args).to.include.members(['--log-level=debug', '--log-format=text', '--lease-duration=30s']);
    expect(container?.env.at(-1)).to.deep.equal({ name: 'HTTPS_PROXY' });
  });

  it('that name several namespaces give the operator a Role in each, one list of them, and no ClusterRole', async () => {
    const all = await rendered('watchNamespaces={team-a,team-b}');
    const keys = [...all.keys()].filter((key) => / .*\/marekvs-operator$/.test(key) && /^(Cluster)?Role/.test(key));
    expect(keys.sort()).to.deep.equal([
      'Role team-a/marekvs-operator',
      'Role team-b/marekvs-operator',
      'RoleBinding team-a/marekvs-operator',
      'RoleBinding team-b/marekvs-operator',
    ]);
    const { env } = (await deployment('watchNamespaces={team-a,team-b}')).spec.template.spec.containers[0] ?? {};
    expect(env?.[0]).to.deep.equal({ name: 'MAREKVS_OPERATOR_WATCH_NAMESPACES', value: 'team-a,team-b' });
  });

  for (const [value, kinds] of [
    ['crds', ['CustomResourceDefinition']],
    ['deletionProtection', ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']],
    ['flowControl', ['FlowSchema']],
  ] as const) {
    it(`leave out every ${kinds.join(' and ')} with ${value}.enabled=false`, async () => {
      const of = (all: Objects) => [...all.values()].filter(({ kind }) => kinds.some((one) => one === kind)).length;
      expect(of(await rendered())).to.be.greaterThan(0);
      expect(of(await rendered(`${value}.enabled=false`))).to.equal(0);
    });
  }

  it('and the rest of the chart pass helm lint without a complaint', async () => {
    const { stdout } = await promisify(execFile)(helm, [
      'lint',
      '--strict',
      '--kube-version',
      KUBERNETES_VERSION,
      CHART,
    ]);
    expect(stdout)
      .to.include('0 chart(s) failed')
      .and.not.match(/\[(WARNING|ERROR)\]/);
  });

  it('keep the kinds at an uninstall, or with crds.keep=false let them be deleted past our own policy', async () => {
    const annotations = async (...set: readonly string[]) =>
      [...(await rendered(...set)).values()]
        .filter(({ kind }) => kind === 'CustomResourceDefinition')
        .map(({ metadata }) => metadata.annotations);
    const kept = { 'helm.sh/resource-policy': 'keep' };
    expect(await annotations()).to.deep.equal([kept, kept]);
    const going = { [ANNOTATIONS.deleteKind]: 'true' };
    expect(await annotations('crds.keep=false')).to.deep.equal([going, going]);
  });

  it('rendered for another namespace never mention the namespace that config/ names', async () => {
    const set = ['networkPolicy.enabled=true', 'monitoring.enabled=true'];
    const all = await helmTemplate(helm, { namespace: 'elsewhere', set });
    const traces = [...all].filter(([, object]) => JSON.stringify(object).includes('marekvs-system'));
    expect(traces.map(([key]) => key)).to.deep.equal([]);
    expect(all.size).to.be.greaterThan((await rendered()).size);
  });

  it('are refused when they name namespaces that would not be taken into account', async () => {
    for (const value of ['namespaces={team-a}', 'selector=kv=yes']) {
      const refusal = await rendered(`namespacesFrom.${value}`).catch((error: unknown) => String(error));
      expect(refusal, value).to.match(/need namespacesFrom.enabled=true/);
    }
  });

  it('let nobody read the metrics when they name nobody, whom an empty list of a NetworkPolicy would not mean', async () => {
    const all = await rendered('networkPolicy.enabled=true', 'networkPolicy.metricsFrom=null');
    const { spec } = present(all, 'NetworkPolicy marekvs-system/marekvs-operator') as NetworkPolicy;
    expect(spec.ingress).to.deep.equal([{ ports: [{ port: 8081, protocol: 'TCP' }] }]);
  });

  it('are refused by their schema before anything is installed', async () => {
    const refusal = await rendered('replica=3').catch((error: unknown) => String(error));
    expect(refusal).to.match(/additional properties 'replica' not allowed/);
  });
});

interface NetworkPolicy extends Rendered {
  readonly spec: { readonly ingress: readonly object[] };
}

interface Deployment extends Rendered {
  readonly spec: {
    readonly template: {
      readonly metadata: Required<Pick<Rendered['metadata'], 'labels' | 'annotations'>>;
      readonly spec: {
        readonly containers: readonly {
          readonly image: string;
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

function present(objects: Objects, key: string): Rendered {
  return objects.get(key) ?? expect.fail(`no ${key}`);
}

/** The command line of the only container of a Deployment. */
function envOf(object: Rendered): Deployment['spec']['template']['spec']['containers'][number]['env'] {
  return (object as Deployment).spec.template.spec.containers[0]?.env ?? [];
}
