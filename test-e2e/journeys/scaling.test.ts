// A cluster that is to be larger, smaller, paused or different: what is done at once, and what is only reported. Every
// "nothing happens" is followed by something that does happen to the same cluster, so that the operator has run a pass.

import { type MarekvsCluster, pvcName } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Keys, writeKeys } from '../support/data.ts';
import { eventually } from '../support/eventually.ts';
import { parseTable } from '../support/kubectl.ts';
import { scrape } from '../support/operator-metrics.ts';
import { conditionOf, isPodReady, says } from '../support/seen.ts';
import { nodesSettled } from '../support/settled.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';
import { actsOn, writesTo } from '../support/written.ts';

const NS = 'scaling';
const NAME = 'demo';
const ROUNDS = 3;

describe('a cluster whose spec changes', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  let keys: Keys;

  const cluster = (what: string, isIt: (seen: MarekvsCluster) => boolean): Promise<MarekvsCluster> =>
    world().watching.cluster(NS, NAME, what, isIt);
  const hasSeen = ({ metadata, status }: MarekvsCluster): boolean => status?.observedGeneration === metadata.generation;
  const edit = (spec: object): Promise<void> => world().kube.patchCluster(NS, NAME, { spec });
  const scale = (nodes: number): Promise<string> =>
    world().kubectl('-n', NS, 'scale', `mkv/${NAME}`, `--replicas=${nodes}`);
  const healthy = (nodes: number): Promise<MarekvsCluster> => world().kube.healthy(NS, NAME, nodes, 30_000);

  /** Healthy, and every node has its last status, which follows a moment after the cluster's. */
  const settled = async (nodes: number): Promise<void> => {
    await healthy(nodes);
    await nodesSettled(world().kube, NS, nodes);
  };

  before(async function () {
    this.timeout(90_000);
    const { kube, testbed } = world();
    await kube.createNamespace(NS);
    await kube.createCluster(NS, NAME, plainSpec(3));
    await healthy(3);
    keys = await writeKeys(testbed.kubelet, { namespace: NS, name: NAME, ids: [0, 1, 2] }, 'kept');
  });

  it('stays at 3 when 1 node is asked for with 2 copies, and reports BelowFloor', async () => {
    await edit({ nodes: 1 });
    const { status } = await cluster(
      'the floor is said',
      (seen) => hasSeen(seen) && says(seen, 'PendingChange', 'True', 'BelowFloor'),
    );
    expect(status).to.include({ phase: 'Reconciling', desiredNodes: 3, readyNodes: 3, replicas: 3 });
    expect(status?.message).to.include('spec.nodes: 1 is asked for and 3 is in force');
    await edit({ nodes: 3 });
    await healthy(3);
  });

  it('grows from 3 to 5 in one jump through the scale subresource, and keeps its data', async () => {
    const { kube, testbed } = world();
    const audit = await testbed.auditReader();
    await scale(5);
    await healthy(5);
    const { requests } = await audit.read();
    const created = requests.filter(
      ({ verb, resource, namespace }) => verb === 'create' && resource === 'marekvsnodes' && namespace === NS,
    );
    expect(created.map(({ name }) => name)).to.have.members(['demo-3', 'demo-4']);
    const firstReady = requests.find(
      ({ verb, resource, name }) => verb === 'patch' && resource === 'marekvsnodes' && /demo-[34]/.test(name),
    );
    expect(Math.max(...created.map(({ receivedAtMs }) => receivedAtMs))).to.be.below(firstReady?.receivedAtMs ?? 0);
    await keys.areOnHomes([0, 1, 2, 3, 4]);
    expect((await kube.nodes(NS)).map(({ spec }) => spec.serving)).to.deep.equal([true, true, true, true, true]);
  });

  it('answers the scale subresource with its size and a selector that finds its Pods', async () => {
    const { kube, kubectl } = world();
    const scale = JSON.parse(
      await kubectl('get', '--raw', `/apis/marekvs.io/v1alpha1/namespaces/${NS}/marekvsclusters/${NAME}/scale`),
    );
    expect(scale).to.deep.include({ spec: { replicas: 5 } });
    expect(scale.status.replicas).to.equal(5);
    const { items } = await kube.core.listNamespacedPod({ namespace: NS, labelSelector: scale.status.selector });
    expect(items.map(({ metadata }) => metadata?.name)).to.have.members([0, 1, 2, 3, 4].map((id) => `demo-${id}`));
  });

  it('shows in kubectl the columns of the contract', async () => {
    const { kubectl, testbed } = world();
    await settled(5);
    await cluster('the members are compared', ({ status }) => status?.data?.state === 'Whole');
    const short = await kubectl('-n', NS, 'get', 'mkv');
    expect(short.split('\n')[0]?.split(/\s+/)).to.deep.equal([
      'NAME',
      'DESIRED',
      'READY',
      'UNDERREP',
      'OPS/S',
      'DATA',
      'PHASE',
      'BLOCKED',
    ]);
    expect(parseTable(short)[0]).to.include({
      NAME: 'demo',
      DESIRED: '5',
      READY: '5',
      DATA: 'Whole',
      PHASE: 'Healthy',
    });
    const wide = await kubectl('-n', NS, 'get', 'mkv', '-o', 'wide');
    expect(wide.split('\n')[0]?.trim().split(/\s+/)).to.deep.equal(
      'NAME DESIRED READY UPDATED UNDERREP MIN MAX OPS/S DATA PHASE BLOCKED OPERATION AGE'.split(' '),
    );
    const nodes = await kubectl('-n', NS, 'get', 'mkvnode', '-o', 'wide');
    expect(nodes.split('\n')[0]?.trim().split(/\s+/)).to.deep.equal(
      'NAME CLUSTER ID PHASE SEENBY READY HOST VOLUME AGE IMAGE IP ZONE SIZE ASKED PARTITIONS REASON'.split(' '),
    );
    for (const row of parseTable(nodes)) {
      const pod = testbed.kubelet.pod(`${NS}/${row.NAME}`);
      expect(row).to.include({ CLUSTER: NAME, PHASE: 'Active', SEENBY: '5/5', READY: 'True', REASON: 'AsExpected' });
      expect(row).to.include({ HOST: pod?.nodeName, IP: pod?.ip, VOLUME: pvcName(NAME, Number(row.ID)) });
      expect(row.IMAGE).to.match(/marekvs/);
      expect(Number(row.PARTITIONS)).to.be.within(1400, 1900);
    }
  });

  it('ends consistent after its size went up and down and up again (F61)', async () => {
    const { kube, testbed } = world();
    for (const nodes of [6, 5, 6]) await scale(nodes);
    await healthy(6);
    for (const nodes of [5, 6, 5, 6]) await scale(nodes);
    const { status } = await healthy(6);
    // The ids are not known in advance: a removal that had begun to delete its node goes on, and a new id comes.
    const nodes = await kube.nodes(NS);
    const ids = nodes.map(({ spec }) => spec.nodeId).sort((a, b) => a - b);
    expect(status?.instanceNames).to.deep.equal(ids.map((id) => `demo-${id}`));
    expect(ids).to.have.length(6);
    await keys.areOnHomes(ids);
    await eventually(
      'nobody else runs',
      () => testbed.kubelet.pods().filter(({ key }) => key.startsWith(`${NS}/`)).length === 6,
    );
  });

  it('keeps its size when spec.autoscale is set, refuses another one, and keeps it when that is taken out', async () => {
    const autoscale = { minNodes: 3, maxNodes: 8, targetOpsPerNode: 1000, scaleDownStabilizationSeconds: 3600 };
    await edit({ autoscale });
    const { status } = await cluster('sizing has begun', (seen) => seen.status?.autoscale !== undefined);
    expect(status?.autoscale).to.include({ size: 6, nodes: 6, reason: 'AutoscaleBegun' });
    const answer = await scale(5).catch((error: unknown) => String(error));
    expect(answer).to.include('spec.nodes is only the initial size while spec.autoscale is set');
    await edit({ autoscale: null });
    await cluster('it is gone', (seen) => seen.status?.autoscale === undefined);
    await healthy(6);
  });

  it('costs no write for 20 edits of an unrelated label', async () => {
    const { kube, testbed } = world();
    const passes = async () =>
      (await scrape(testbed.operator)).sum('controller_runtime_reconcile_total', { controller: 'marekvscluster' });
    await settled(6);
    await cluster('the members are compared', ({ status }) => status?.data?.state === 'Whole');
    const audit = await testbed.auditReader();
    let writes: readonly string[] = [];
    // A figure that is due once a minute may be written in one round; what an edit costs would be in every round.
    for (let round = 1; round === 1 || (writes.length > 0 && round <= ROUNDS); round += 1) {
      for (let edits = 1; edits <= 20; edits += 1) {
        const before = await passes();
        await kube.patchCluster(NS, NAME, { metadata: { labels: { touched: `${round}-${edits}` } } });
        await eventually('the operator has looked', async () => (await passes()) > before);
      }
      writes = writesTo(await audit.read(), NS);
    }
    expect(writes).to.deep.equal([]);
  });

  it('is not touched while it is paused, reports what is pending, and is changed afterwards', async () => {
    const { kube, testbed, watching } = world();
    await edit({ paused: true });
    await cluster('Paused', (seen) => hasSeen(seen) && says(seen, 'Paused', 'True', 'Paused'));
    const audit = await testbed.auditReader();
    await edit({ nodes: 7 });
    const pending = await cluster(
      'the change is pending',
      (seen) =>
        hasSeen(seen) && conditionOf(seen.status, 'Paused')?.message?.includes('1 node is to be added') === true,
    );
    expect(pending.status).to.include({ desiredNodes: 7, replicas: 6 });
    await kube.core.deleteNamespacedPod({ namespace: NS, name: 'demo-1' });
    await watching.pods(NS, 'demo-1 is gone', (pods) => !pods.some(({ metadata }) => metadata.name === 'demo-1'));
    await watching.node(NS, 'demo-1', 'demo-1 says Paused', (seen) => says(seen, 'Ready', 'False', 'Paused'));
    expect(actsOn(await audit.read(), NS)).to.deep.equal([]);
    await edit({ paused: false });
    await watching.pod(NS, 'demo-1', 'demo-1 is back', isPodReady);
    const { status } = await healthy(7);
    expect(conditionOf(status, 'Paused')?.status).to.equal('False');
    await keys.areOnHomes([0, 1, 2, 3, 4, 5, 6]);
  });
});
