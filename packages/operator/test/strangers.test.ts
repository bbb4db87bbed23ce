// Copied nodes and edited owner references in the whole operator, in the world in memory: what is not of a cluster is
// shown, and changes nothing about anybody.

import { findCondition, type MarekvsNode } from '@marekvs/api';
import type { NodeStep } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { BY_OWNER, ownedBy } from '../src/caches/indexes.ts';
import { createClaimRefusals } from '../src/node/observation/claim-refusals.ts';
import { createGoneParents } from '../src/node/observation/gone-parents.ts';
import { type NodeMemory, nodeAround, observeNode } from '../src/node/observation/observe.ts';
import { createPodGoneTimes } from '../src/node/observation/pod-gone.ts';
import { createPodsSeen } from '../src/node/observation/pods-seen.ts';
import { executeNode } from '../src/node/steps/execute.ts';
import { confirmStep } from '../src/node/steps/fences.ts';
import { healthyWorld, type World } from './support/decided-on.ts';

const CLUSTERS = 'marekvsclusters.marekvs.io';
const NODES = 'marekvsnodes.marekvs.io';
const REVISIONS = 'controllerrevisions.apps';
const { signal } = new AbortController();

type OwnerReference = NonNullable<MarekvsNode['metadata']['ownerReferences']>[number];

/** What `kubectl get -o yaml | sed | kubectl create` makes of a node. */
function copy(
  w: World,
  change: { readonly namespace?: string; readonly name?: string; readonly clusterName?: string },
) {
  const original = w.node(1);
  if (original === undefined) throw new Error('demo-1 is not in the cache');
  const { namespace = 'default', name = 'demo-1', clusterName = 'demo' } = change;
  const { metadata, spec } = original;
  return w.create(NODES, {
    ...original,
    metadata: { ...metadata, namespace, name },
    spec: { ...spec, clusterName },
  } as MarekvsNode);
}

function nodeIn(w: World, namespace: string, name: string): MarekvsNode | undefined {
  return w.caches.nodes.store.get(`${namespace}/${name}`)?.object;
}

function editOwner(w: World, id: number, change: Partial<OwnerReference>): readonly OwnerReference[] {
  const before = w.node(id)?.metadata.ownerReferences ?? [];
  w.change(w.kinds.node, `demo-${id}`, { metadata: { ownerReferences: before.map((one) => ({ ...one, ...change })) } });
  return before;
}

function memory({ clock }: World): NodeMemory {
  return {
    goneParents: createGoneParents(),
    podsGone: createPodGoneTimes(clock),
    podsSeen: createPodsSeen(),
    claims: createClaimRefusals(clock),
  };
}

const COPIES = [
  { where: 'another namespace', change: { namespace: 'stranger' }, name: 'demo-1' },
  { where: 'another clusterName', change: { name: 'copy-1', clusterName: 'copy' }, name: 'copy-1' },
  { where: 'another name', change: { name: 'demo-9' }, name: 'demo-9' },
] as const;

describe('a copy of a node', () => {
  for (const { where, change, name } of COPIES) {
    const namespace = 'namespace' in change ? change.namespace : 'default';
    const world = async () => {
      const w = await healthyWorld();
      copy(w, change);
      await w.live(2);
      return w;
    };

    it(`to ${where} is called foreign on it, and nothing else of it or for it is written`, async () => {
      const w = await world();
      const node = nodeIn(w, namespace, name);
      const ready = findCondition(node?.status?.conditions, 'Ready');
      expect(ready).to.deep.include({ status: 'False', reason: 'NodeForeign' });
      const about = w.writes.filter((write) => write.name === name);
      expect(about.map(({ verb, what }) => `${verb} ${what}`)).to.deep.equal([`update ${NODES}/status`]);
      expect(w.list('pods')).to.have.lengthOf(3);
      expect(w.list('persistentvolumeclaims')).to.have.lengthOf(3);
      const events = w.events.filter(
        (event) => event.reason === 'NodeForeign' && event.regarding.kind === 'MarekvsNode',
      );
      expect(events).to.have.lengthOf(1);
    });
    it(`to ${where} is noted by the cluster, which stays Healthy, three strong, and in need of nobody`, async () => {
      const w = await world();
      const { status } = w.cluster() ?? {};
      expect(status?.message).to.include('count for nothing');
      expect(status).to.deep.include({ phase: 'Healthy', instanceNames: ['demo-0', 'demo-1', 'demo-2'] });
      expect(findCondition(status?.conditions, 'Stalled')?.status).to.equal('False');
    });
    it(`to ${where} does not keep the cluster from growing and repairing, and its note goes with it`, async () => {
      const w = await world();
      w.apply({ nodes: 4 });
      w.remove('pods', 'demo-1');
      await w.live(8);
      expect(w.cluster()?.status?.instanceNames).to.deep.equal(['demo-0', 'demo-1', 'demo-2', 'demo-3']);
      w.ports.client.delete(w.kinds.node, { namespace, name }, { uid: nodeIn(w, namespace, name)?.metadata.uid ?? '' });
      await w.live(2);
      expect(nodeIn(w, namespace, name)).to.equal(undefined);
      expect(w.cluster()?.status?.message).to.not.include('count for nothing');
      expect(w.list('pods')).to.have.lengthOf(4);
    });
  }

  it('to another namespace and another clusterName outlives the cluster, which ends as without it', async () => {
    const w = await healthyWorld();
    for (const { change } of COPIES.slice(0, 2)) copy(w, change);
    w.remove(CLUSTERS, 'demo');
    await w.live(6);
    expect(w.list('pods')).to.have.lengthOf(0);
    expect(w.node(1)).to.equal(undefined);
  });
  it('in another namespace that has a cluster of that name is not a node of that one, either', async () => {
    const w = await healthyWorld();
    w.create(CLUSTERS, {
      apiVersion: 'marekvs.io/v1alpha1',
      kind: 'MarekvsCluster',
      metadata: { name: 'demo', namespace: 'stranger' },
      spec: { image: 'marekvs:test', paused: true },
    } as never);
    copy(w, { namespace: 'stranger' });
    await w.live(2);
    expect(findCondition(nodeIn(w, 'stranger', 'demo-1')?.status?.conditions, 'Ready')?.reason).to.equal('NodeForeign');
    expect(w.cluster()?.status?.phase).to.equal('Healthy');
  });
  it('under the name that a new node would have keeps that name, and a person is asked', async () => {
    const w = await healthyWorld();
    copy(w, { name: 'demo-3' });
    w.apply({ nodes: 4 });
    await w.live(2);
    const { status } = w.cluster() ?? {};
    expect(findCondition(status?.conditions, 'Stalled')?.reason).to.equal('NameTaken');
    expect(w.list('pods')).to.have.lengthOf(3);
  });
  it('of its revision does not give the cluster another template', async () => {
    const w = await healthyWorld();
    const [revision] = w.list(REVISIONS).filter(({ metadata }) => metadata.ownerReferences !== undefined);
    if (revision === undefined) throw new Error('there is no revision');
    const before = w.cluster()?.status;
    w.create(REVISIONS, {
      ...revision,
      metadata: { ...revision.metadata, namespace: 'stranger' },
      data: { image: 'evil' },
    } as never);
    await w.live(2);
    w.writes.length = 0;
    w.wake('cluster default/demo');
    await w.wait(2_000);
    expect(w.writes).to.deep.equal([]);
    expect(w.cluster()?.status?.phase).to.equal(before?.phase);
    const key = ownedBy({ namespace: 'default', name: 'demo', uid: w.cluster()?.metadata.uid ?? '' });
    const own = [...w.caches.revisions.store.byIndex(BY_OWNER, key)];
    expect(own.map(({ uid }) => uid)).to.deep.equal([revision.metadata.uid]);
  });
});

describe('the owner references of a live node', () => {
  const EDITS: readonly (readonly [string, Partial<OwnerReference>])[] = [
    ['name a cluster of another name', { name: 'other' }],
    ['name an older UID than that of its cluster', { uid: 'mark-0-restored' }],
    ['do not let the cluster control it', { controller: false }],
  ];
  for (const [what, change] of EDITS) {
    it(`that ${what}: it counts no more, and its Pod and volume stay`, async () => {
      const w = await healthyWorld();
      editOwner(w, 1, change);
      await w.wait(10_000);
      expect(findCondition(w.node(1)?.status?.conditions, 'Ready')?.reason).to.equal('NodeForeign');
      expect(w.cluster()?.status?.instanceNames).to.deep.equal(['demo-0', 'demo-2']);
      expect(w.cluster()?.status?.phase).to.not.equal('Healthy');
      const ended = w.writes.filter(({ verb }) => verb === 'delete');
      expect(ended).to.deep.equal([]);
      expect(w.get('pods', 'demo-1')?.metadata.deletionTimestamp).to.equal(undefined);
    });
    it(`that ${what}: put right again it is a member like before`, async () => {
      const w = await healthyWorld();
      const before = editOwner(w, 1, change);
      // Before the garbage collector comes.
      await w.wait(20_000);
      w.change(w.kinds.node, 'demo-1', { metadata: { ownerReferences: before } });
      await w.live(2);
      const { conditions } = w.node(1)?.status ?? {};
      expect(findCondition(conditions, 'Ready')?.status).to.equal('True');
      expect(findCondition(conditions, 'Joined')?.status).to.equal('True');
      expect(w.cluster()?.status).to.deep.include({
        phase: 'Healthy',
        instanceNames: ['demo-0', 'demo-1', 'demo-2'],
      });
    });
    it(`that ${what}: deleted with its Pod it stays, and put right it is replaced first`, async () => {
      const w = await healthyWorld();
      const before = editOwner(w, 1, change);
      await w.wait(10_000);
      w.remove(NODES, 'demo-1');
      await w.wait(60_000);
      expect(w.get('pods', 'demo-1')?.metadata.deletionTimestamp).to.equal(undefined);
      expect(w.node(1)?.metadata.finalizers).to.have.lengthOf(1);
      w.change(w.kinds.node, 'demo-1', { metadata: { ownerReferences: before } });
      await w.live(1);
      expect(w.node(3)?.spec.nodeId).to.equal(3);
      expect(w.get('pods', 'demo-1')?.metadata.deletionTimestamp).to.equal(undefined);
    });
  }
});

describe('a step of a node', () => {
  it('is left out once its live owner is another one', async () => {
    const w = await healthyWorld();
    const around = nodeAround('default/demo-1', w.ports);
    const pod = around?.record.pod;
    if (around === undefined || pod === undefined) throw new Error('demo-1 is not complete in the cache');
    const context = {
      namespace: 'default',
      scope: observeNode(around, w.ports, memory(w)),
      ports: w.ports,
      goneParents: createGoneParents(),
      signal,
    };
    w.hold(NODES);
    editOwner(w, 1, { name: 'other' });
    w.writes.length = 0;
    const steps: readonly NodeStep[] = [
      { kind: 'createVolume' },
      { kind: 'createPod', seeds: [] },
      { kind: 'changeClaim', volume: context.scope.record.volume as never, change: { size: '20Gi' } },
      { kind: 'deletePod', pod, why: 'CancelledByUser' },
      { kind: 'deletePod', pod, why: 'RollingOut' },
      { kind: 'deletePod', pod, why: 'Deleting' },
    ];
    for (const step of steps) expect(await executeNode(step, context), step.kind).to.deep.equal({ kind: 'stale' });
    expect(w.writes).to.deep.equal([]);
  });
});

describe('a cluster that a live read found gone', () => {
  /** demo-1 as it was observed while its cluster was known to be gone. */
  const withoutCluster = (w: World) => {
    const known = memory(w);
    const around = nodeAround('default/demo-1', w.ports);
    if (around === undefined) throw new Error('demo-1 is not in the cache');
    known.goneParents.note({ namespace: 'default', name: 'demo', uid: w.cluster()?.metadata.uid ?? '' });
    const scope = observeNode({ ...around, cluster: undefined }, w.ports, known);
    return { namespace: 'default', scope, ports: w.ports, goneParents: known.goneParents, signal };
  };

  it('and that is there again, as an older etcd shows it, is managed again', async () => {
    const w = await healthyWorld();
    const before = w.get(CLUSTERS, 'demo');
    w.hold(CLUSTERS);
    w.remove(CLUSTERS, 'demo');
    for (const id of [0, 1, 2]) w.wake(`node default/demo-${id}`);
    await w.wait(5_000);
    if (before === undefined) throw new Error('there was no cluster');
    w.restore(CLUSTERS, before);
    w.caches.clusters.observe(w.get(CLUSTERS, 'demo') as never);
    w.remove('pods', 'demo-1');
    await w.live(3);
    expect(w.cluster()?.metadata.uid).to.equal(before.metadata.uid);
    expect(w.get('pods', 'demo-1')?.status?.phase).to.equal('Running');
    expect(w.list('pods')).to.have.lengthOf(3);
  });

  const steps = (w: World) => {
    const { pod } = withoutCluster(w).scope.record;
    if (pod === undefined) throw new Error('demo-1 has no Pod');
    return [{ kind: 'deletePod', pod, why: 'Deleting' } as const, { kind: 'releaseNode' } as const];
  };
  it('is read again before its Pod is ended or its node released: it may be there after all', async () => {
    const w = await healthyWorld();
    for (const step of steps(w)) {
      w.writes.length = 0;
      expect(await executeNode(step, withoutCluster(w))).to.deep.equal({ kind: 'stale' });
      expect(w.writes).to.deep.equal([]);
    }
  });
  it('holds both when it is gone, when it is being deleted, or when a younger one has its name', async () => {
    const ways: readonly ((w: World) => void)[] = [
      (w) => w.drop(CLUSTERS, 'demo'),
      (w) => w.change(w.kinds.cluster, 'demo', { metadata: { deletionTimestamp: '2026-01-02T00:00:00Z' } }),
      (w) => {
        w.drop(CLUSTERS, 'demo');
        w.clock.advance(5_000);
        w.apply({ nodes: 3 });
      },
    ];
    for (const end of ways) {
      const w = await healthyWorld();
      const context = withoutCluster(w);
      const [ofPod] = steps(w);
      if (ofPod === undefined) throw new Error('no step');
      w.hold(CLUSTERS);
      end(w);
      expect((await confirmStep(ofPod, context)).kind).to.equal('confirmed');
    }
  });
  it('does not hold when an older one has its name: then the reference of the node was edited', async () => {
    const w = await healthyWorld();
    const context = withoutCluster(w);
    const [ofPod] = steps(w);
    if (ofPod === undefined) throw new Error('no step');
    w.hold(CLUSTERS);
    const before = w.get(CLUSTERS, 'demo');
    if (before === undefined) throw new Error('there was no cluster');
    w.restore(CLUSTERS, { ...before, metadata: { ...before.metadata, uid: 'another' } });
    expect((await confirmStep(ofPod, context)).kind).to.equal('stale');
  });
  it('does not hold for a node whose owner was put right meanwhile', async () => {
    const w = await healthyWorld();
    const context = withoutCluster(w);
    const [ofPod] = steps(w);
    if (ofPod === undefined) throw new Error('no step');
    w.drop(CLUSTERS, 'demo');
    editOwner(w, 1, { uid: 'another' });
    expect((await confirmStep(ofPod, context)).kind).to.equal('stale');
  });
});

describe('the memory of gone clusters', () => {
  const one = { namespace: 'a', name: 'demo', uid: 'u' };
  it('is about one very cluster, and ends with it', () => {
    const gone = createGoneParents();
    gone.note(one);
    expect(gone.has({ ...one })).to.equal(true);
    for (const other of [{ namespace: 'b' }, { name: 'x' }, { uid: 'v' }])
      expect(gone.has({ ...one, ...other })).to.equal(false);
    gone.forget({ ...one });
    expect(gone.has(one)).to.equal(false);
  });
  it('is bounded: what is forgotten is read again', () => {
    const gone = createGoneParents();
    for (let i = 0; i < 1_001; i += 1) gone.note({ ...one, uid: `u${i}` });
    expect(gone.has({ ...one, uid: 'u0' })).to.equal(false);
    expect(gone.has({ ...one, uid: 'u1000' })).to.equal(true);
  });
});
