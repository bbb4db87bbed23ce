// The namespaces of an operator that has rights in each of them and nowhere else: named and taken out, selected by
// label, without rights and then granted, all without a restart.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort, projectRoot } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { type LoneOperator, startLoneOperator } from '../support/lone-operator.ts';
import { scrape } from '../support/operator-metrics.ts';
import { installPlugin, type Plugin } from '../support/plugin.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const OPS = 'tenants-ops';
const USER = `system:serviceaccount:${OPS}:marekvs-operator`;
const TEAMS = ['ns-team-a', 'ns-team-b', 'ns-team-c'] as const;
const [A, B, C] = TEAMS;
const SETTING = 'marekvs-operator-namespaces';
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

describe('namespaces that an operator is told to manage while it runs', function () {
  this.timeout(240_000);
  const world = withWorld({ before, after }, { runner: 'hollow', operator: false });
  let operator: LoneOperator;
  let plugin: Plugin;
  let metricsAddress = '';

  before(async () => {
    const { testbed, kube } = world();
    plugin = await installPlugin(testbed);
    for (const name of [OPS, ...TEAMS]) await kube.createNamespace(name);
    for (const file of ['base/rbac', 'components/namespaces-from'].flatMap(filesOf)) await apply(file);
    await grant(A);
    for (const name of TEAMS) await kube.createCluster(name, 'kv', plainSpec(2, { replicationFactor: 1 }));
    const kubeconfig = await testbed.controlPlane.addUser(USER, [
      'system:authenticated',
      'system:serviceaccounts',
      `system:serviceaccounts:${OPS}`,
    ]);
    metricsAddress = `127.0.0.1:${await findFreePort()}`;
    const args = [
      `--kubeconfig=${kubeconfig}`,
      `--namespace=${OPS}`,
      `--namespaces-from=${SETTING}`,
      `--metrics-bind-address=${metricsAddress}`,
      '--health-probe-bind-address=0',
    ];
    operator = startLoneOperator(args, { HOME: testbed.dir, POD_NAME: 'marekvs-operator-x', POD_UID: 'uid-1' });
  });
  after(async () => {
    await operator.stop();
    await plugin.remove();
  });

  /** The shipped role and binding, for an operator whose namespace is another one. */
  async function apply(file: string, namespace = OPS): Promise<void> {
    const { testbed, kubectl } = world();
    const shipped = await readFile(join(projectRoot, 'config', file), 'utf8');
    const path = join(testbed.dir, 'applied.yaml');
    await writeFile(path, shipped.replaceAll('marekvs-system', OPS));
    await kubectl('apply', '-n', namespace, '-f', path);
  }

  async function grant(namespace: string): Promise<void> {
    for (const file of filesOf('components/namespace-role')) await apply(file, namespace);
  }

  const say = (data: Readonly<Record<string, string>>) =>
    world().kubectl('patch', 'configmap', SETTING, '-n', OPS, '--type=merge', '-p', JSON.stringify({ data }));

  async function shown(pattern: RegExp): Promise<string> {
    let last = '';
    await eventually(
      `kubectl mkv operators shows ${pattern}`,
      async () => {
        last = (await plugin.call(['operators', '--operator-namespace', OPS])).out.replace(/\s+/g, ' ');
        return pattern.test(last);
      },
      30_000,
    );
    return last;
  }

  const nodesIn = async (namespace: string) => (await world().kube.nodes(namespace)).length;

  async function namespacesBy(state: string): Promise<number> {
    return (await scrape({ metricsAddress })).sum('marekvs_operator_namespaces', { state });
  }

  it('are none while the ConfigMap has none, which the status of it shows', async () => {
    await shown(
      /not in force: ConfigMap tenants-ops\/marekvs-operator-namespaces has neither the key namespaces nor the key selector: nothing is managed/,
    );
    expect(await Promise.all(TEAMS.map(nodesIn))).to.deep.equal([0, 0, 0]);
  });

  it('are managed as soon as they are named, and others are not', async () => {
    await say({ namespaces: A });
    await world().kube.healthy(A, 'kv', 2);
    await shown(/1 of 1 managed/);
    expect(await Promise.all(TEAMS.map(nodesIn))).to.deep.equal([2, 0, 0]);
  });

  it('that give it no rights are named with what is missing and the command, and stop no other namespace', async () => {
    await say({ namespaces: `${A}, ${B}` });
    const text = await shown(/1 of 2 managed.*without rights: /);
    expect(text).to.include(`without rights: ${B}, may not get, list, watch marekvsclusters.marekvs.io`);
    expect(text).to.include(`kubectl apply -n ${B} -k config/components/namespace-role`);
    // For a moment it may not be counted, while its rights are asked for again.
    await eventually('one is counted as refused', async () => (await namespacesBy('refused')) === 1, 30_000);
    await world().kube.patchCluster(A, 'kv', { spec: { nodes: 3 } });
    await world().kube.healthy(A, 'kv', 3);
  });

  it('are managed without anything else once the rights are granted', async () => {
    await grant(B);
    await world().kube.healthy(B, 'kv', 2, 60_000);
    await shown(/2 of 2 managed/);
  });

  it('that are selected by label are reported as unreadable without the role for it, and managed with it', async () => {
    await grant(C);
    await world().kubectl('label', 'namespace', C, 'marekvs-tenant=yes');
    await say({ selector: 'marekvs-tenant=yes' });
    await shown(/selector marekvs-tenant=yes: Namespaces may not be read, see config\/components\/namespace-selector/);
    expect(await nodesIn(C)).to.equal(0);
    for (const file of filesOf('components/namespace-selector')) await apply(file);
    await world().kube.healthy(C, 'kv', 2, 60_000);
  });

  it('that are not selected any more are let go without a write, and managed again when they are selected again', async () => {
    const { kube, kubectl, testbed } = world();
    const reader = await testbed.auditReader(USER);
    await kubectl('label', 'namespace', C, 'marekvs-tenant-');
    await shown(/2 of 2 managed/);
    await reader.read();
    await kube.patchCluster(C, 'kv', { spec: { nodes: 3 } });
    await kube.patchCluster(A, 'kv', { spec: { nodes: 4 } });
    await kube.healthy(A, 'kv', 4);
    const { requests } = await reader.read();
    expect(requests.filter(({ verb, namespace }) => WRITES.has(verb) && namespace === C)).to.deep.equal([]);
    expect(await nodesIn(C)).to.equal(2);
    expect(await namespacesBy('held')).to.equal(2);
    expect((await scrape({ metricsAddress })).sum('marekvs_operator_clusters')).to.equal(2);
    await kubectl('label', 'namespace', C, 'marekvs-tenant=yes');
    await kube.healthy(C, 'kv', 3, 60_000);
  });

  it('whose rights are taken away are reported, while others go on', async () => {
    const { kube, kubectl } = world();
    await kubectl('delete', 'rolebinding', 'marekvs-operator', '-n', B);
    // The API server has a cache of rights.
    const mayCreate = () => kubectl('auth', 'can-i', 'create', 'marekvsnodes.marekvs.io', '-n', B, `--as=${USER}`);
    await eventually('the rights are gone', () =>
      mayCreate().then(
        () => false,
        () => true,
      ),
    );
    // Its watches go on for now: only when a write is refused does it check its rights.
    await kube.patchCluster(B, 'kv', { spec: { nodes: 3 } });
    await shown(new RegExp(`without rights: ${B}, may not`));
    await kube.patchCluster(A, 'kv', { spec: { nodes: 5 } });
    await kube.healthy(A, 'kv', 5);
    expect(await nodesIn(B)).to.equal(2);
    await grant(B);
    await kube.healthy(B, 'kv', 3, 60_000);
  });

  it('have come and gone without a restart of the operator', () => {
    expect(operator.isRunning()).to.equal(true);
    expect(operator.logged().filter(({ msg }) => msg === 'Starting marekvs-operator')).to.have.length(1);
  });
});

function filesOf(folder: string): readonly string[] {
  const files = {
    'base/rbac': ['service-account', 'operator-lease', 'role-lease', 'role-lease-binding'],
    'components/namespaces-from': ['config-map', 'role', 'role-binding'],
    'components/namespace-role': ['role', 'role-binding'],
    'components/namespace-selector': ['role', 'role-binding'],
  }[folder];
  return (files ?? []).map((file) => `${folder}/${file}.yaml`);
}
