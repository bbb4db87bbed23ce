// What the cluster plan and the node plan do about a StatefulSet of the cluster's name: stand still, take over its
// members, and end when every member is taken over.

import type { AdoptionRequest } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Adoption, ASKED_INTERVAL_MS, FOUND_INTERVAL_MS, planCluster, planNode } from '../src/index.ts';
import {
  CLUSTER_UID,
  freshNode,
  line,
  node,
  nodeObservation,
  nodes,
  notAsked,
  observation,
  pod,
  serving,
  views,
  volume,
  withNode,
} from './support/builders.ts';

const REQUEST: AdoptionRequest = {
  clusterUid: CLUSTER_UID,
  statefulSetUid: 'set-uid',
  clusterIdentity: 'marekvs',
  dataDir: '/data',
  volumes: [0, 1, 2].map((nodeId) => ({ nodeId, uid: `volume-uid-${nodeId}` })),
};
const UNDER_WAY: Adoption = { kind: 'underWay', request: REQUEST };
const adopts = (id: number) => ({ volumeUid: `volume-uid-${id}`, dataDir: '/data' });
const taken = (count = 3) =>
  nodes(3)
    .map((one) => ({ ...one, adopts: adopts(one.id) }))
    .slice(0, count);

const plan = (adoption: Adoption, change: Parameters<typeof observation>[0] = {}) =>
  planCluster(observation({ ...change, cluster: { isFormed: false, adoption, ...change?.cluster } }));

describe('a cluster that is not formed, beside a StatefulSet of its name,', () => {
  for (const [title, adoption, words, afterMs] of [
    [
      'a StatefulSet of its own',
      { kind: 'found', isOurs: true, isAsked: false },
      'kubectl mkv adopt demo',
      FOUND_INTERVAL_MS,
    ],
    [
      'one of its own that was asked for',
      { kind: 'found', isOurs: true, isAsked: true },
      'is still there',
      ASKED_INTERVAL_MS,
    ],
    ['one of somebody else', { kind: 'found', isOurs: false, isAsked: false }, 'somebody else', FOUND_INTERVAL_MS],
    ['Pods that were let go by hand', { kind: 'loose', pod: 'demo-0' }, 'Pod demo-0', FOUND_INTERVAL_MS],
    ['members of an unreadable request', { kind: 'unclear' }, 'put it back', FOUND_INTERVAL_MS],
  ] as const)
    it(`does nothing beside ${title}, and says what to do`, () => {
      const { steps, holds, mayLatchFormed, requeueAfterMs } = plan(adoption, { nodes: [], volumes: [] });
      expect([steps, mayLatchFormed, requeueAfterMs]).to.deep.equal([[], false, afterMs]);
      expect(holds.map(({ message, needsPerson }) => [message.includes(words), needsPerson])).to.deep.equal([
        [true, true],
      ]);
    });

  it('says what to do also while it is paused or its spec is invalid', () => {
    const found: Adoption = { kind: 'found', isOurs: true, isAsked: false };
    const problems = [{ path: 'spec.nodes', message: 'x' }];
    for (const cluster of [{ spec: { paused: true } }, { problems }]) {
      const { steps, holds } = plan(found, { nodes: [], volumes: [], cluster });
      expect(steps).to.deep.equal([]);
      expect(holds.map(({ reason }) => reason)).to.include('StatefulSetFound');
    }
  });

  it('gets a node for each member that was handed over, however many spec.nodes asks for', () => {
    const { steps } = plan(UNDER_WAY, { nodes: taken(1), volumes: [], cluster: { spec: { nodes: 7 } } });
    expect(steps).to.deep.equal([
      { kind: 'createNode', id: 1, why: 'Adopting', adopts: adopts(1) },
      { kind: 'createNode', id: 2, why: 'Adopting', adopts: adopts(2) },
    ]);
  });

  it('is formed once every member answers and all show the same list, which names exactly these members', () => {
    expect(plan(UNDER_WAY, { nodes: taken() }).mayLatchFormed).to.equal(true);
    const cases = [
      withNode(taken(), 1, { pod: pod(1, { ownerUid: undefined }), answer: notAsked }),
      withNode(taken(), 1, { answer: serving([...views(3), line(7)]) }),
      taken().map((one) => ({ ...one, answer: serving([...views(3), line(7)]) })),
    ];
    for (const list of cases) {
      const { mayLatchFormed, steps, holds } = plan(UNDER_WAY, { nodes: list });
      expect([mayLatchFormed, steps]).to.deep.equal([false, []]);
      expect(holds.map(({ reason }) => reason)).to.include('Adopting');
    }
  });

  it('does not restart a member that shows only itself, since it holds data', () => {
    const alone = taken().map((one) => ({ ...one, answer: serving([line(one.id)]) }));
    const history = { agreedForMs: undefined, differForMs: 600_000 };
    expect(plan(UNDER_WAY, { nodes: alone, history }).steps).to.deep.equal([]);
  });
});

describe('a node that was made to take over a member', () => {
  const loose = volume(1, { nodeId: undefined, clusterName: undefined, clusterUid: undefined });
  const labelled = volume(1, { dataDir: '/data' });
  const own = (change: Parameters<typeof freshNode>[1] = {}) =>
    freshNode(1, { serving: true, adopts: adopts(1), ...change });
  const step = (change: Parameters<typeof freshNode>[1], isClusterFormed = false) =>
    planNode(nodeObservation(own(change), { isClusterFormed }));

  it('takes over the volume first, seen or not, and never creates one', () => {
    for (const seen of [loose, undefined])
      expect(step({ volume: seen }).step).to.deep.equal({ kind: 'adoptVolume', ...adopts(1) });
    expect(step({ volume: volume(1) }).step?.kind, 'its folder is not noted yet').to.equal('adoptVolume');
    expect(step({ volume: volume(1, { uid: 'other', dataDir: '/data' }) }).hold?.reason).to.equal('VolumeForeign');
  });

  it('takes over a Pod only when it has no controller and is not ending', () => {
    const of = (change: Parameters<typeof pod>[1]) => step({ volume: labelled, pod: pod(1, change) });
    expect(of({ ownerUid: undefined }).step).to.deep.equal({ kind: 'adoptPod' });
    expect(of({ ownerUid: 'set-uid' }).hold?.reason).to.equal('NameTaken');
    expect(of({ ownerUid: undefined, isTerminating: true }).step).to.equal(undefined);
  });

  it('takes over no Pod once the cluster is formed, or when the operator made the node itself', () => {
    const free = { volume: labelled, pod: pod(1, { ownerUid: undefined }) };
    expect(step({ ...free, recordedVolumeUid: 'volume-uid-1' }, true).hold?.reason).to.equal('NameTaken');
    expect(planNode(nodeObservation(node(1, free), { isClusterFormed: false })).hold?.reason).to.equal('NameTaken');
  });

  it('starts a Pod again that has ended, on the volume it took over', () => {
    expect(step({ volume: labelled, pod: undefined }).step?.kind).to.equal('createPod');
    expect(labelled.clusterUid).to.equal(CLUSTER_UID);
  });
});
