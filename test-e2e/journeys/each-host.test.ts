// One member on every host with a label, on a real API server: hosts get and lose the label, and the size follows.
// Runs first: it takes a minute.

import type { MarekvsCluster } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Keys, writeKeys } from '../support/data.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'each-host';
const NAME = 'pool';
const LIMIT_MS = 120_000;

describe('one member on every host with a label', function () {
  this.timeout(LIMIT_MS + 60_000);
  const world = withWorld({ before, after }, { nodeCount: 6 });
  let hosts: readonly string[] = [];
  let kept: Keys;
  const hostOf = (id: number): string => world().testbed.kubelet.pod(`${NS}/${NAME}-${id}`)?.nodeName ?? '';
  const hostsOf = (...ids: readonly number[]) => ids.map(hostOf).sort();
  const label = (value: string, ...names: readonly string[]) =>
    world().kubectl('label', '--overwrite', 'nodes', ...names, `example.com/pool=${value}`);

  before(async function () {
    this.timeout(120_000);
    const { kube, kubectl } = world();
    hosts = (await kubectl('get', 'nodes', '-o', 'name'))
      .trim()
      .split('\n')
      .map((name) => name.replace('node/', ''))
      .sort();
    await label('db', ...hosts.slice(0, 4));
    await kube.createNamespace(NS);
    const onePerHost = { nodeSelector: { 'example.com/pool': 'db' } };
    await kube.createCluster(NS, NAME, { ...plainSpec(3), hosts: { onePerHost } });
    await kube.healthy(NS, NAME, 4);
    kept = await writeKeys(world().testbed.kubelet, { namespace: NS, name: NAME, ids: [0, 1, 2, 3] }, 'kept');
  });

  it('is what a cluster is formed with, whatever spec.nodes says', () => {
    expect(hostsOf(0, 1, 2, 3)).to.deep.equal(hosts.slice(0, 4));
  });

  it('cannot be changed by kubectl scale, which prints why', async () => {
    const refused = await world()
      .kubectl('scale', 'mkv', NAME, '-n', NS, '--replicas', '7')
      .catch((error: unknown) => String(error));
    expect(refused).to.include('spec.nodes is only the initial size while spec.hosts.onePerHost is set');
  });

  it('cannot be combined with spec.autoscale', async () => {
    const autoscale = { minNodes: 3, maxNodes: 5, targetOpsPerNode: 100 };
    const refused = await world()
      .kubectl('patch', 'mkv', NAME, '-n', NS, '--type', 'merge', '-p', JSON.stringify({ spec: { autoscale } }))
      .catch((error: unknown) => String(error));
    expect(refused).to.include('spec.hosts.onePerHost must not be set together with spec.autoscale');
  });

  it('joins on a host that gets the label, and leaves a host that loses it by proof, with every key', async () => {
    const { kube, watching } = world();
    await label('db', hosts[4] ?? '');
    await kube.healthy(NS, NAME, 5);
    expect(hostOf(4)).to.equal(hosts[4]);
    const host = hostOf(1);
    await label('none', host);
    const isSmaller = ({ status }: MarekvsCluster) => status?.autoscale?.size === 4;
    await watching.cluster(NS, NAME, 'it is sized down', isSmaller, LIMIT_MS);
    await watching.nodes(
      NS,
      'its member is gone',
      (all) => all.every(({ metadata }) => metadata.name !== `${NAME}-1`),
      LIMIT_MS,
    );
    const { status } = await kube.healthy(NS, NAME, 4);
    expect(status?.lastOperation).to.include({
      basis: 'Proof',
      outcome: 'Succeeded',
      chosen: `its host ${host} is none of those that spec.hosts.onePerHost selects`,
    });
    await kept.areOnHomes([0, 2, 3, 4]);
  });

  it('stays when no host has the label any more, and the status says so', async () => {
    const { watching, kubectl } = world();
    await label('none', ...hosts);
    const isSaid = ({ status }: MarekvsCluster) =>
      status?.conditions?.some(({ type, reason }) => type === 'Stalled' && reason === 'NoHostMatches') === true;
    const { status } = await watching.cluster(NS, NAME, 'it is said', isSaid, LIMIT_MS);
    expect(status?.desiredNodes).to.equal(4);
    await kubectl('patch', 'mkv', NAME, '-n', NS, '--type', 'merge', '-p', '{"spec":{"hosts":null}}');
    const isKept = (seen: MarekvsCluster) =>
      seen.status?.pendingChanges?.some(({ reason, effective }) => reason === 'KeptSize' && effective === '4') === true;
    await watching.cluster(NS, NAME, 'its size stays until somebody says another one', isKept, LIMIT_MS);
  });
});
