// A decision based on stale caches is not carried out when the API server shows otherwise: the caches of this world are
// held back while a test changes the live objects.

import { withDefaults } from '@marekvs/api';
import type { ClusterStep } from '@marekvs/planner';
import { persistentVolumeClaims } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { executeCluster } from '../src/cluster/steps/execute.ts';
import { confirmRecordChange } from '../src/cluster/steps/fences.ts';
import { nodeStamp } from '../src/objects/template.ts';
import { cachedNode, cachedVolume, decidedOn, healthyWorld, type World } from './support/decided-on.ts';

const CLUSTERS = 'marekvsclusters.marekvs.io';
const NODES = 'marekvsnodes.marekvs.io';
const CLAIMS = 'persistentvolumeclaims';
const GONE = { kind: 'Status', status: 'Success' } as const;

/** What the cluster controller does with one step that it has decided on. */
async function execute(w: World, step: ClusterStep): Promise<readonly string[]> {
  w.writes.length = 0;
  await executeCluster([step], decidedOn(w));
  return w.writes.map(({ verb, what, name }) => `${verb} ${what} ${name}`);
}

const STEPS: Readonly<Record<string, (w: World) => ClusterStep>> = {
  createNode: () => ({ kind: 'createNode', id: 3, why: 'ScalingUp' }),
  setSeeds: (w) => ({ kind: 'setSeeds', node: cachedNode(w, 2), seeds: ['10.0.0.1:7946'] }),
  isolate: (w) => ({ kind: 'isolate', node: cachedNode(w, 2), operationId: '2-op' }),
  reinstate: (w) => ({ kind: 'reinstate', node: cachedNode(w, 2) }),
  ownVolume: (w) => ({ kind: 'ownVolume', volume: cachedVolume(w, 2), isOwned: true }),
  deleteVolume: (w) => ({ kind: 'deleteVolume', volume: cachedVolume(w, 2), operationId: '2-op' }),
};

/** No node uses the volume of 2 any more. */
function withoutNode(w: World): void {
  w.drop('pods', 'demo-2');
  w.drop(NODES, 'demo-2');
}

describe('in a cluster known from a cache, the step', () => {
  for (const [kind, step] of Object.entries(STEPS)) {
    it(`${kind} is carried out while the cluster is as it was`, async () => {
      const w = await healthyWorld();
      const decided = step(w);
      if (kind === 'deleteVolume') withoutNode(w);
      expect(await execute(w, decided)).to.have.lengthOf(1);
    });

    it(`${kind} is not carried out once the cluster has changed, and the cache learns of it`, async () => {
      const w = await healthyWorld();
      const decided = step(w);
      if (kind === 'deleteVolume') withoutNode(w);
      w.hold(CLUSTERS);
      w.apply({ nodes: 7 });
      expect(await execute(w, decided)).to.deep.equal([]);
      expect(w.cluster()?.spec.nodes).to.equal(7);
    });

    it(`${kind} is not carried out when the cluster is gone`, async () => {
      const w = await healthyWorld();
      const decided = step(w);
      if (kind === 'deleteVolume') withoutNode(w);
      w.hold(CLUSTERS);
      w.drop(CLUSTERS, 'demo');
      expect(await execute(w, decided)).to.deep.equal([]);
    });
  }

  it('reinstate is not carried out while the cache does not show that the Pod was told to leave, and then permits its restart', async () => {
    const w = await healthyWorld();
    const decided = STEPS.reinstate?.(w) as ClusterStep;
    const permitted = () => w.get(NODES, 'demo-2')?.metadata.annotations?.['marekvs.io/may-restart'];
    w.hold('pods');
    w.patch('pods', 'demo-2', { metadata: { annotations: { 'marekvs.io/leaving': 'true' } } });
    expect(await execute(w, decided)).to.deep.equal([]);
    expect(await execute(w, STEPS.reinstate?.(w) as ClusterStep)).to.have.lengthOf(1);
    expect(permitted()).to.equal(cachedNode(w, 2).pod?.uid);
  });

  it('reinstate permits no restart of a Pod in which nothing runs yet: what it will have is compared first', async () => {
    const w = await healthyWorld();
    w.patch('pods', 'demo-2', { metadata: { annotations: { 'marekvs.io/leaving': 'true' } } });
    const { pod, ...node } = cachedNode(w, 2);
    const pending = { ...pod, phase: 'Pending' } as NonNullable<typeof pod>;
    expect(await execute(w, { kind: 'reinstate', node: { ...node, pod: pending } })).to.have.lengthOf(1);
    expect(w.get(NODES, 'demo-2')?.metadata.annotations).to.not.have.property('marekvs.io/may-restart');
  });

  it('createNode is not carried out beside a node that the cache does not show', async () => {
    const w = await healthyWorld();
    w.hold(NODES);
    const { metadata, spec } = w.get(NODES, 'demo-2') as never as { metadata: object; spec: object };
    w.create(NODES, { metadata: { ...metadata, name: 'demo-9' }, spec: { ...spec, nodeId: 9 } } as never);
    expect(await execute(w, STEPS.createNode?.(w) as ClusterStep)).to.deep.equal([]);
  });

  it('createNode is not carried out beside a volume that the cache does not show', async () => {
    const w = await healthyWorld();
    const claim = w.volumeOf(2);
    w.hold(CLAIMS);
    w.create(CLAIMS, { ...claim, metadata: { ...claim?.metadata, name: 'data-demo-9', uid: undefined } } as never);
    expect(await execute(w, STEPS.createNode?.(w) as ClusterStep)).to.deep.equal([]);
    expect(cachedVolume(w, 9).name, 'the cache learns of it').to.equal('data-demo-9');
  });

  it('deleteVolume is not carried out on a claim that has changed since', async () => {
    const w = await healthyWorld();
    const decided = STEPS.deleteVolume?.(w) as ClusterStep;
    withoutNode(w);
    w.hold(CLAIMS);
    w.change(persistentVolumeClaims, 'data-demo-2', {
      metadata: { annotations: { 'example.com/keep': 'it is needed' } },
    });
    const outcome = await execute(w, decided).then(() => 'carried out', String);
    expect(outcome).to.include('409 Conflict');
    expect(w.volumeOf(2)).to.not.equal(undefined);
    expect(w.volumeOf(2)?.metadata).to.not.have.property('deletionTimestamp');
  });

  it('deleteVolume is not carried out while there is a node with its id, with or without a Pod', async () => {
    const w = await healthyWorld();
    w.drop('pods', 'demo-2');
    expect(await execute(w, STEPS.deleteVolume?.(w) as ClusterStep)).to.deep.equal([]);
  });
});

describe('a node that would be on an empty volume under a used id', () => {
  it('is not created for a kept volume that is gone by now, and a new id is used', async () => {
    const w = await healthyWorld(4);
    w.drop('pods', 'demo-3');
    w.members();
    w.drop(NODES, 'demo-3');
    w.apply({ nodes: 3 });
    await w.live(1);
    const kept = {
      'marekvs.io/detached-at': '2026-01-01T00:00:00Z',
      'marekvs.io/last-active-at': '2026-01-01T00:00:00Z',
    };
    w.change(persistentVolumeClaims, 'data-demo-3', { metadata: { annotations: kept } });
    w.hold(CLAIMS);
    w.drop(CLAIMS, 'data-demo-3');
    w.apply({ nodes: 4 });
    await w.live(3);
    expect(w.list(NODES).map(({ metadata }) => metadata.name)).to.deep.equal(['demo-0', 'demo-1', 'demo-2', 'demo-4']);
  });

  it('is not created for a kept volume that was exchanged since, although the cache shows that by now', async () => {
    const w = await healthyWorld(4);
    const claim = w.volumeOf(3);
    w.drop('pods', 'demo-3');
    w.drop(NODES, 'demo-3');
    const context = decidedOn(w);
    w.drop(CLAIMS, 'data-demo-3');
    w.create(CLAIMS, { ...claim, metadata: { ...claim?.metadata, uid: undefined } } as never);
    expect(cachedVolume(w, 3).uid).to.not.equal(claim?.metadata.uid);
    w.writes.length = 0;
    const stamp = nodeStamp(context.cluster, withDefaults(context.cluster.spec));
    const { steps } = await executeCluster([{ kind: 'createNode', id: 3, why: 'RolledBack' }], { ...context, stamp });
    expect(w.writes).to.deep.equal([]);
    expect(steps, 'it is not said either').to.deep.equal([]);
  });

  it('gets no Pod while its volume is not the one that the cache shows', async () => {
    const w = await healthyWorld();
    const claim = w.volumeOf(2);
    w.hold(CLAIMS);
    w.drop(CLAIMS, 'data-demo-2');
    w.create(CLAIMS, { ...claim, metadata: { ...claim?.metadata, uid: undefined } } as never);
    w.drop('pods', 'demo-2');
    await w.wait(10_000);
    expect(w.get('pods', 'demo-2')).to.equal(undefined);
  });
});

describe('a volume', () => {
  const lots: Readonly<Record<string, (w: World) => void>> = {
    'is there': () => {},
    'is gone': (w) => w.drop(NODES, 'demo-9'),
    'is being deleted': (w) => w.remove(NODES, 'demo-9'),
    'had one before': (w) => w.change(w.kinds.node, 'demo-9', { status: { pvcUID: 'the-one-before' } }),
  };
  for (const [what, happen] of Object.entries(lots))
    it(`is ${what === 'is there' ? '' : 'not '}created for a node that ${what}`, async () => {
      const w = await healthyWorld();
      const { metadata, spec } = w.get(NODES, 'demo-2') as never as { metadata: object; spec: object };
      w.create(NODES, {
        metadata: { ...metadata, name: 'demo-9', uid: undefined },
        spec: { ...spec, nodeId: 9 },
      } as never);
      w.hold(NODES);
      happen(w);
      await w.wait(500);
      expect(w.get(CLAIMS, 'data-demo-9') !== undefined).to.equal(what === 'is there');
    });
});

describe('a Pod', () => {
  it('is not started for a node that was recorded with another volume than the cache shows', async () => {
    const w = await healthyWorld();
    w.hold(NODES);
    w.change(w.kinds.node, 'demo-2', { status: { pvcUID: 'another' } });
    w.drop('pods', 'demo-2');
    await w.wait(10_000);
    expect(w.get('pods', 'demo-2')).to.equal(undefined);
  });
});

describe('the end of the Pod of a node that goes', () => {
  const FORCED = { 'marekvs.io/removal': '2-op', 'marekvs.io/force-remove': '' };

  async function departing() {
    const w = await healthyWorld(4);
    w.withhold();
    const node = w.get(NODES, 'demo-2');
    const uid = node?.metadata.uid;
    w.change(w.kinds.node, 'demo-2', {
      metadata: { annotations: { ...FORCED, 'marekvs.io/force-remove': `${uid}/its disk ticks` } },
    });
    return { w, uid };
  }
  const operationOn = (uid: string | undefined) => ({
    id: '2-op',
    type: 'Replace',
    basis: 'Forced',
    phase: 'Departing',
    target: { name: 'demo-2', uid, nodeId: 2 },
    specGeneration: 1,
    startedAt: '2026-01-01T00:00:00Z',
    timeline: [],
  });

  /** Lists from before the end of a Pod let no node go, nor do lists that may lack its last gossip. */
  const askedAgain = async (w: World) => {
    await w.wait(2_500);
    expect(w.get(NODES, 'demo-2'), 'nobody was asked again').to.not.equal(undefined);
    w.members();
    await w.wait(1_000);
  };

  for (const isTaken of [false, true]) {
    it(`${isTaken ? 'does not come when the live cluster has given the removal up' : 'comes when cluster and node say so'}`, async () => {
      const { w, uid } = await departing();
      w.change(w.kinds.cluster, 'demo', { status: { operation: operationOn(uid) } });
      if (isTaken) {
        w.hold(CLUSTERS);
        w.change(w.kinds.cluster, 'demo', { status: { operation: null } });
      }
      w.remove(NODES, 'demo-2');
      await w.wait(500);
      expect(w.writes.some(({ verb, what }) => verb === 'delete' && what === 'pods')).to.equal(!isTaken);
    });
  }

  it('is waited for while the Pod exists, although the cache does not show it', async () => {
    const { w, uid } = await departing();
    const pod = w.get('pods', 'demo-2');
    w.change(w.kinds.cluster, 'demo', { status: { operation: operationOn(uid) } });
    w.drop('pods', 'demo-2');
    w.members();
    w.hold('pods');
    w.create('pods', pod as never);
    w.remove(NODES, 'demo-2');
    await askedAgain(w);
    expect(w.get(NODES, 'demo-2')?.metadata.finalizers).to.deep.equal(['marekvs.io/member-safe-removal']);
  });

  it('is not followed by the end of its node when the live cluster has gone back to gathering the proof', async () => {
    const { w, uid } = await departing();
    w.change(w.kinds.cluster, 'demo', { status: { operation: operationOn(uid) } });
    w.drop('pods', 'demo-2');
    w.members();
    w.hold(CLUSTERS);
    w.change(w.kinds.cluster, 'demo', { status: { operation: { ...operationOn(uid), phase: 'Proving' } } });
    w.remove(NODES, 'demo-2');
    await askedAgain(w);
    expect(w.get(NODES, 'demo-2')).to.not.equal(undefined);
  });

  const others = [
    { name: 'when everybody who runs has been asked whether it is forgotten', isRestarted: false },
    { name: 'while somebody runs whom the cache does not show, and who was not asked', isRestarted: true },
  ];
  for (const { name, isRestarted } of others)
    it(`is ${isRestarted ? 'not ' : ''}followed by the end of its node ${name}`, async () => {
      const { w, uid } = await departing();
      w.change(w.kinds.cluster, 'demo', { status: { operation: operationOn(uid) } });
      w.drop('pods', 'demo-2');
      w.members();
      w.hold('pods');
      if (isRestarted) {
        const { metadata, ...rest } = w.get('pods', 'demo-1') as never as { metadata: object };
        w.drop('pods', 'demo-1');
        w.create('pods', { ...rest, metadata: { ...metadata, uid: undefined } } as never);
      }
      w.remove(NODES, 'demo-2');
      await askedAgain(w);
      expect(w.get(NODES, 'demo-2') !== undefined).to.equal(isRestarted);
    });
});

/** A removal that is no longer wanted, so that its end is stored at once. */
function claimed(w: World, name: string) {
  const target = { name, uid: w.get(NODES, name)?.metadata.uid ?? '', nodeId: Number(name.slice('demo-'.length)) };
  const startedAt = '2026-01-01T00:00:00Z';
  return { id: 'op', type: 'Remove', phase: 'Claimed', specGeneration: 1, startedAt, target, timeline: [] };
}

describe('a node that is missing in the cache', () => {
  for (const isGone of [true, false])
    it(`is ${isGone ? '' : 'not '}reported as vanished ${isGone ? 'when it is gone' : 'while it exists'}`, async () => {
      const w = await healthyWorld(4);
      w.hold(NODES);
      const uid = w.get(NODES, 'demo-1')?.metadata.uid ?? '';
      w.caches.nodes.observeDelete({ namespace: 'default', name: 'demo-1', uid });
      if (isGone) w.drop(NODES, 'demo-1');
      // The stored record about another node shows which nodes count.
      w.change(w.kinds.cluster, 'demo', { status: { operation: claimed(w, 'demo-3') } });
      await w.wait(100);
      expect(w.events.some(({ reason }) => reason === 'FinalizerRemoved')).to.equal(isGone);
    });
});

describe('the deletion of a node', () => {
  const OPERATION = '3-op';
  async function marked(proofOf = OPERATION) {
    const w = await healthyWorld(4);
    const status = { ...w.get(NODES, 'demo-3')?.status, removalProof: { operationId: proofOf } };
    w.change(w.kinds.node, 'demo-3', { metadata: { annotations: { 'marekvs.io/removal': OPERATION } }, status });
    const target = { name: 'demo-3', uid: w.get(NODES, 'demo-3')?.metadata.uid, nodeId: 3 };
    w.change(w.kinds.cluster, 'demo', {
      status: { operation: { id: OPERATION, type: 'Remove', phase: 'Deleting', target, timeline: [] } },
    });
    return w;
  }
  const deletion = (w: World): ClusterStep => ({ kind: 'deleteNode', node: cachedNode(w, 3), operationId: OPERATION });

  it('is carried out while nothing has changed', async () => {
    const w = await marked();
    expect(await execute(w, deletion(w))).to.deep.equal([`delete ${NODES} demo-3`]);
  });

  it('is not carried out when the node does not carry the proof any more', async () => {
    const w = await marked('an earlier one');
    expect(await execute(w, deletion(w))).to.deep.equal([]);
  });

  it('is not carried out when another node has gone meanwhile, since too few would be left', async () => {
    const w = await marked();
    w.hold(NODES);
    w.drop(NODES, 'demo-1');
    expect(await execute(w, deletion(w))).to.deep.equal([]);
  });

  it('is not carried out for a volume that counted as lost and exists, although the cache shows it by now', async () => {
    const w = await marked();
    w.hold(CLAIMS);
    const claim = w.volumeOf(1);
    const uid = claim?.metadata.uid ?? '';
    w.caches.volumes.observeDelete({ namespace: 'default', name: 'data-demo-1', uid }, GONE);
    const decided = decidedOn(w);
    w.caches.volumes.observe(claim as never);
    expect(cachedVolume(w, 1).uid).to.equal(uid);
    w.writes.length = 0;
    await executeCluster([deletion(w)], decided);
    expect(w.writes).to.deep.equal([]);
  });

  it('is not carried out while another volume counts as lost that exists, since the node may be wanted for that reason', async () => {
    const w = await marked();
    w.hold(CLAIMS);
    const uid = w.volumeOf(1)?.metadata.uid ?? '';
    w.caches.volumes.observeDelete({ namespace: 'default', name: 'data-demo-1', uid }, GONE);
    expect(await execute(w, deletion(w))).to.deep.equal([]);
  });
});

describe('a removal', () => {
  const claimed = async (isLost: boolean) => {
    const w = await healthyWorld(4);
    w.hold(CLAIMS);
    const claim = w.volumeOf(2);
    // The cache shows the volume of 2 as lost, rightly or wrongly.
    w.caches.volumes.observeDelete({ namespace: 'default', name: 'data-demo-2', uid: claim?.metadata.uid ?? '' }, GONE);
    if (isLost) w.drop(CLAIMS, 'data-demo-2');
    return confirmRecordChange('claim', { kind: 'claim' }, decidedOn(w));
  };

  it('begins for a volume that is gone', async () => {
    const verdict = await claimed(true);
    expect(verdict.kind === 'confirmed' && verdict.live.cluster?.metadata.name).to.equal('demo');
  });

  it('does not begin for a node that is gone, although the cache has just learnt of that', async () => {
    const w = await healthyWorld(4);
    const context = decidedOn(w);
    w.drop(NODES, 'demo-3');
    expect(await confirmRecordChange('claim', { kind: 'claim' }, context)).to.deep.equal({ kind: 'stale' });
  });

  it('does not begin for a volume that is gone only in the cache', async () => {
    expect(await claimed(false)).to.deep.equal({ kind: 'stale' });
  });
});

describe('the end of a removal', () => {
  const OPERATION = '3-op';

  /** A removal has begun, and then the cache shows its target as gone, rightly or wrongly. */
  async function lostFromSight(isGone: boolean) {
    const w = await healthyWorld(4);
    const uid = w.get(NODES, 'demo-3')?.metadata.uid ?? '';
    const operation = {
      id: OPERATION,
      type: 'Replace',
      phase: 'Claimed',
      specGeneration: 1,
      startedAt: '2026-01-01T00:00:00Z',
      target: { name: 'demo-3', uid, nodeId: 3 },
      timeline: [],
    };
    w.hold(NODES);
    w.caches.nodes.observeDelete({ namespace: 'default', name: 'demo-3', uid }, GONE);
    if (isGone) w.drop(NODES, 'demo-3');
    w.change(w.kinds.cluster, 'demo', { status: { operation } });
    await w.wait(100);
    return w;
  }

  it('is reported when its target has vanished', async () => {
    const status = (await lostFromSight(true)).get(CLUSTERS, 'demo')?.status;
    expect(status?.operation).to.equal(undefined);
    expect(status?.lastOperation).to.deep.include({ id: OPERATION, reason: 'FinalizerRemoved' });
  });

  it('is not reported when its target is missing only in the cache, and the removal goes on', async () => {
    const w = await lostFromSight(false);
    expect(w.get(CLUSTERS, 'demo')?.status?.operation).to.deep.include({ id: OPERATION });
    expect(w.caches.nodes.store.get('default/demo-3')).to.not.equal(undefined);
  });

  for (const isGone of [true, false])
    it(`${isGone ? 'comes' : 'does not come'} by a comparison of the others ${isGone ? 'without its target' : 'while its target is missing only in the cache'}`, async () => {
      const w = await healthyWorld(4);
      const uid = w.get(NODES, 'demo-3')?.metadata.uid ?? '';
      w.drop('pods', 'demo-3');
      w.members();
      w.hold(NODES);
      w.caches.nodes.observeDelete({ namespace: 'default', name: 'demo-3', uid });
      if (isGone) w.drop(NODES, 'demo-3');
      const target = { name: 'demo-3', uid, nodeId: 3 };
      const at = '2026-01-01T00:00:00Z';
      const record = { id: OPERATION, type: 'Remove', basis: 'Proof', specGeneration: 1, startedAt: at, timeline: [] };
      w.change(w.kinds.cluster, 'demo', { status: { operation: { ...record, phase: 'Departing', target } } });
      await w.wait(3_000);
      const { operation, lastOperation } = w.cluster()?.status ?? {};
      expect(operation === undefined).to.equal(isGone);
      expect(lastOperation?.outcome).to.equal(isGone ? 'Succeeded' : undefined);
    });

  it('is not undone by a cache that still shows its target', async () => {
    const w = await healthyWorld(4);
    w.withhold();
    const uid = w.get(NODES, 'demo-3')?.metadata.uid ?? '';
    w.drop('pods', 'demo-3');
    w.members();
    w.hold(NODES);
    w.drop(NODES, 'demo-3');
    const target = { name: 'demo-3', uid, nodeId: 3 };
    const timeline = [{ phase: 'Settling', at: '2026-01-01T00:00:00Z' }];
    const record = { id: OPERATION, type: 'Remove', basis: 'Proof', specGeneration: 1, startedAt: timeline[0]?.at };
    w.change(w.kinds.cluster, 'demo', { status: { operation: { ...record, phase: 'Settling', target, timeline } } });
    await w.wait(2_000);
    expect(w.cluster()?.status?.operation).to.include({ phase: 'Settling' });
    expect(w.caches.nodes.store.get('default/demo-3'), 'the cache learns that it is gone').to.equal(undefined);
  });

  const volumes = [
    { name: 'while the kept volume is there that its target could come back from', isGone: false },
    { name: 'when that volume is gone', isGone: true },
  ];
  for (const { name, isGone } of volumes)
    it(`is ${isGone ? '' : 'not '}confirmed without a volume in the cache ${name}`, async () => {
      const w = await healthyWorld(4);
      const pvcUID = w.volumeOf(3)?.metadata.uid ?? '';
      const target = { name: 'demo-3', uid: w.get(NODES, 'demo-3')?.metadata.uid ?? '', nodeId: 3, pvcUID };
      w.drop(NODES, 'demo-3');
      const { nodes } = decidedOn(w);
      const context = { ...decidedOn(w), nodes: nodes.filter(({ name: one }) => one !== 'demo-3') };
      if (isGone) w.drop(CLAIMS, 'data-demo-3');
      const verdict = await confirmRecordChange('end', { kind: 'end', ended: { target } }, { ...context, volumes: [] });
      expect(verdict.kind).to.equal(isGone ? 'confirmed' : 'stale');
    });

  it('is confirmed, when it was taken back, only for the node as it is, and the cache learns of it', async () => {
    const w = await healthyWorld(4);
    const target = { name: 'demo-3', uid: w.get(NODES, 'demo-3')?.metadata.uid ?? '', nodeId: 3 };
    const confirmEnd = () => confirmRecordChange('end', { kind: 'end', ended: { target } }, decidedOn(w));
    expect((await confirmEnd()).kind).to.equal('confirmed');
    w.hold(NODES);
    w.change(w.kinds.node, 'demo-3', { spec: { intent: 'Leaving' } });
    expect((await confirmEnd()).kind, 'it is told to leave, and the cache does not show it').to.equal('stale');
    expect(cachedNode(w, 3).intent).to.equal('Leaving');
  });
});
