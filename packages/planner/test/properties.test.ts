// What holds for every observation, also absurd ones: safety first. The seeds come from fast-check; a failure prints
// its seed and the smallest counter-example.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  type ClusterObservation,
  departureHold,
  hasLostVolume,
  type MemberAnswer,
  type NodeObservation,
  type NodeRecord,
  type PodRecord,
  planCluster,
  planNode,
  type VolumeRecord,
} from '../src/index.ts';
import {
  CLUSTER,
  cluster,
  deepFreeze,
  line,
  MONOTONIC_MS,
  NOW_MS,
  node,
  nodeObservation,
  pod,
  silent,
  volume,
  wantedLabels,
} from './support/builders.ts';
import { OPERATION_ID, operation, proof } from './support/departing.ts';

const RUNS = 400;
const id = fc.oneof(fc.nat(6), fc.constantFrom(9, 10, 65_533, 65_534));
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const ago = fc.integer({ min: 0, max: 200_000 }).map((ms) => NOW_MS - ms);

const view = fc
  .uniqueArray(fc.oneof(id, fc.constant(65_535)), { maxLength: 5 })
  .chain((ids) => fc.tuple(...ids.map((of) => fc.boolean().map((hasPrimaries) => line(of, { hasPrimaries })))));

const answer: fc.Arbitrary<MemberAnswer> = fc.oneof(
  fc.constant<MemberAnswer>({ kind: 'notAsked' }),
  fc.boolean().map((isInvalid): MemberAnswer => ({ ...silent, isInvalid }) as MemberAnswer),
  ago.map((sinceMs): MemberAnswer => ({ kind: 'joining', sinceMs })),
  ago.map((sinceMs): MemberAnswer => ({ kind: 'sealed', sinceMs })),
  view.map(
    (lines): MemberAnswer => ({ kind: 'serving', atMs: NOW_MS, viewAtMs: MONOTONIC_MS, view: lines, digest: 'any' }),
  ),
);

function podOf(of: number): fc.Arbitrary<PodRecord> {
  return (
    fc
      .record({
        isReady: fc.boolean(),
        isTerminating: fc.boolean(),
        terminationDueMs: maybe(ago),
        createdAtMs: ago,
        phase: fc.constantFrom('Pending', 'Running', 'Failed', 'Succeeded', 'Unknown'),
        ownerUid: fc.constantFrom(`node-uid-${of}`, `node-uid-${of}`, `node-uid-${of}`, 'other', undefined),
        isLeaving: fc.boolean(),
        isSealed: fc.constantFrom(false, false, true),
        ip: maybe(fc.constant(`10.0.0.${(of % 250) + 1}`)),
        hostName: maybe(fc.constant('host')),
        seeds: fc.constantFrom<readonly string[]>([], ['10.0.0.1:7946']),
        labels: fc.constantFrom<Readonly<Record<string, string>>>(pod(of).labels, {}, { 'marekvs.io/serving': 'true' }),
      })
      // The environment that closes the door says that it was told to leave, too.
      .map((change) => pod(of, { ...change, isLeaving: change.isLeaving || change.isSealed }))
  );
}

function volumeOf(of: number): fc.Arbitrary<VolumeRecord> {
  return fc
    .record({
      uid: fc.constantFrom(`volume-uid-${of}`, `volume-uid-${of}`, 'another'),
      nodeId: fc.constantFrom<number | undefined>(of, of, of, undefined, 3),
      clusterName: fc.constantFrom<string | undefined>(CLUSTER, CLUSTER, CLUSTER, 'other', undefined),
      isTerminating: fc.boolean(),
      isBound: fc.boolean(),
    })
    .map((change) => volume(of, change));
}

function nodeOf(of: number): fc.Arbitrary<NodeRecord> {
  return fc
    .record({
      isDeleting: fc.boolean(),
      serving: fc.boolean(),
      seeds: fc.constantFrom<readonly string[]>([], ['10.0.0.1:7946']),
      recordedVolumeUid: maybe(fc.constant(`volume-uid-${of}`)),
      reportedReason: fc.constantFrom<NodeRecord['reportedReason']>(
        undefined,
        'PodMissing',
        'QuotaExceeded',
        'WaitingForTurn',
      ),
      pod: maybe(podOf(of)),
      volume: maybe(volumeOf(of)),
      answer,
    })
    .map((change) => node(of, change));
}

const nodeList = fc
  .uniqueArray(id, { maxLength: 6 })
  .chain((ids) => fc.tuple(...[...ids].sort((a, b) => a - b).map(nodeOf)));

const observation: fc.Arbitrary<ClusterObservation> = fc
  .record({
    nodes: nodeList,
    loose: fc.array(id.chain(volumeOf), { maxLength: 4 }),
    isFormed: fc.boolean(),
    isDeleting: fc.boolean(),
    isValid: fc.boolean(),
    paused: fc.boolean(),
    wished: fc.integer({ min: 1, max: 8 }),
    replicationFactor: fc.integer({ min: 1, max: 4 }),
    highestNodeId: fc.integer({ min: -1, max: 12 }),
    createdAtMs: ago,
    agreedForMs: maybe(fc.nat(30_000)),
    differForMs: maybe(fc.nat(30_000)),
  })
  .map((given) => ({
    nowMs: NOW_MS,
    monotonicMs: MONOTONIC_MS,
    foreignNodes: { names: [], areElsewhere: false },
    revisions: [],
    facts: [],
    comparison: undefined,
    verifiedAtMs: MONOTONIC_MS,
    isolatedSinceMs: undefined,
    unmeshedSinceMs: undefined,
    autoscale: undefined,
    hosts: new Map(),
    drainedHosts: new Map(),
    drainsSeen: 'known' as const,
    selectedHosts: undefined,
    fewerHostsForMs: undefined,
    hostFindings: new Map(),
    resizeSupport: 'offered' as const,
    isInLine: false,
    isProvenHere: true,
    cluster: cluster({
      isFormed: given.isFormed,
      isDeleting: given.isDeleting,
      createdAtMs: given.createdAtMs,
      highestNodeId: given.highestNodeId,
      problems: given.isValid ? [] : [{ path: 'spec.image', message: 'bad' }],
      spec: { nodes: given.wished, replicationFactor: given.replicationFactor, paused: given.paused },
    }),
    nodes: given.nodes,
    volumes: uniqueNames([...given.nodes.flatMap((entry) => entry.volume ?? []), ...given.loose]),
    history: { agreedForMs: given.agreedForMs, differForMs: given.differForMs },
  }));

/** A namespace has at most one claim of a name. */
function uniqueNames(volumes: readonly VolumeRecord[]): readonly VolumeRecord[] {
  return [...new Map(volumes.map((entry) => [entry.name, entry])).values()];
}

const operationRecord = fc
  .record({
    phase: fc.constantFrom('Claimed', 'Sealing', 'Proving', 'Deleting', 'Departing', 'Cancelling'),
    basis: fc.constantFrom(undefined, 'Proof', 'Dead', 'NeverJoined', 'Forced'),
    type: fc.constantFrom('Remove', 'Replace'),
  })
  .map((change) => operation(change as Partial<Operation>));

/** What a removal writes on a node, correct or not. */
function removalOf({ id: of }: NodeRecord): fc.Arbitrary<Partial<NodeRecord>> {
  return fc.record({
    intent: fc.constantFrom<NodeRecord['intent']>('Active', 'Active', 'Leaving', 'Sealed'),
    ran: fc.constantFrom(undefined, { podUid: `pod-uid-${of}`, generation: 1 }, { podUid: 'earlier', generation: 1 }),
    removalMark: fc.constantFrom(undefined, OPERATION_ID, 'other'),
    removalProof: fc.constantFrom(undefined, proof(), proof({ targetUid: `node-uid-${of}`, podUID: `pod-uid-${of}` })),
    forceRemove: fc.constantFrom(undefined, `node-uid-${of}/lost`, 'another/lost'),
  });
}

const nodeView: fc.Arbitrary<NodeObservation> = nodeList
  .filter((list) => list.length > 0)
  .chain((list) => fc.tuple(...list.map((entry) => removalOf(entry).map((change) => ({ ...entry, ...change })))))
  .chain((list) =>
    fc
      .record({
        at: fc.nat(list.length - 1),
        parent: fc.constantFrom<NodeObservation['parent']>('present', 'paused', 'gone', 'unconfirmed'),
        isClusterFormed: fc.boolean(),
        replicationFactor: fc.integer({ min: 1, max: 4 }),
        record: maybe(operationRecord),
        isTarget: fc.boolean(),
        hasFinalizer: fc.boolean(),
      })
      .map(({ at, record, isTarget, ...change }) => {
        const own = list[at] ?? node(0);
        const target = { name: own.name, uid: isTarget ? own.uid : 'other', nodeId: own.id };
        const current = record === undefined ? undefined : { ...record, target };
        return nodeObservation(own, {
          ...change,
          operation: current,
          siblings: list,
          wantedPodLabels: wantedLabels(own.id, own.serving),
        });
      }),
  );

const forAll = <T>(arbitrary: fc.Arbitrary<T>, check: (value: T) => void): void =>
  fc.assert(fc.property(arbitrary, check), { numRuns: RUNS });

const created = (o: ClusterObservation) =>
  planCluster(o).steps.flatMap((step) => (step.kind === 'createNode' ? [step] : []));

describe('every cluster plan', () => {
  it('is a function of its input alone and leaves that unchanged', () => {
    forAll(observation, (o) => {
      deepFreeze(o);
      expect(planCluster(o)).to.deep.equal(planCluster(structuredClone(o)));
    });
  });

  it('has no step that lowers the membership while no operation is stored: no deletion, no member taken out of the Service', () => {
    forAll(observation, (o) => {
      for (const step of planCluster(o).steps) {
        const harmless = ['createNode', 'setServing', 'setSeeds', 'reinstate', 'rememberId', 'storeRevision'];
        expect(harmless).to.include(step.kind);
        if (step.kind === 'setServing') expect(step.serving).to.equal(true);
      }
    });
  });

  it('restarts no member with seeds once the cluster is formed', () => {
    forAll(observation, (o) => {
      if (o.cluster.isFormed) expect(planCluster(o).steps.map((step) => step.kind)).to.not.include('setSeeds');
    });
  });

  it('creates nodes only under ids that are free, different and at most 65534', () => {
    forAll(observation, (o) => {
      const ids = created(o).map((step) => step.id);
      const taken = new Set(o.nodes.map((entry) => entry.id));
      expect(new Set(ids).size).to.equal(ids.length);
      for (const of of ids) {
        expect(taken.has(of)).to.equal(false);
        expect(of).to.be.within(0, 65_534);
      }
    });
  });

  it('chooses an id with a history only together with its own volume, or because the members show it', () => {
    forAll(observation, (o) => {
      for (const { id: chosen, why } of created(o)) {
        if (why === 'MemberWithoutNode' || chosen > o.cluster.highestNodeId) continue;
        const own = o.volumes.find((entry) => entry.nodeId === chosen && entry.name === `data-${CLUSTER}-${chosen}`);
        expect(own, `volume of ${chosen}`).to.not.equal(undefined);
        expect(own?.isTerminating && o.volumes.filter((entry) => entry.nodeId === chosen).length === 1).to.equal(false);
      }
    });
  });

  it('never collides with the volume of another id', () => {
    forAll(observation, (o) => {
      for (const { id: chosen, why } of created(o)) {
        if (why === 'MemberWithoutNode') continue;
        const clashes = o.volumes.filter(
          (entry) =>
            entry.name === `data-${CLUSTER}-${chosen}` && entry.nodeId !== undefined && entry.nodeId !== chosen,
        );
        expect(clashes.map((entry) => entry.nodeId)).to.deep.equal([]);
      }
    });
  });

  it('only creates nodes, and takes back those told to leave by no operation, while the membership is unknown', () => {
    forAll(observation, (o) => {
      const plan = planCluster(o);
      if (plan.membership.kind !== 'unknown' || !o.cluster.isFormed) return;
      const harmless = ['createNode', 'reinstate', 'rememberId', 'storeRevision'];
      for (const step of plan.steps) expect(harmless).to.include(step.kind);
      expect(created(o).filter((step) => step.why === 'MemberWithoutNode')).to.deep.equal([]);
    });
  });

  it('plans nothing for a cluster that is deleted, paused or invalid', () => {
    forAll(observation, (o) => {
      if (!o.cluster.isDeleting && !o.cluster.spec.paused && o.cluster.problems.length === 0) return;
      const plan = planCluster(o);
      expect(plan.steps).to.deep.equal([]);
      expect(plan.mayLatchFormed).to.equal(false);
    });
  });

  it('marks the cluster as formed only when every usable node serves in an agreed list', () => {
    forAll(observation, (o) => {
      const plan = planCluster(o);
      if (!plan.mayLatchFormed) return;
      expect(o.cluster.isFormed).to.equal(false);
      expect(plan.membership.kind).to.equal('agreed');
      for (const entry of o.nodes) if (!hasLostVolume(entry)) expect(entry.answer.kind).to.equal('serving');
    });
  });

  it('has a requeue after more than 0 ms, or none', () => {
    forAll(observation, (o) => {
      const { requeueAfterMs } = planCluster(o);
      if (requeueAfterMs !== undefined) expect(requeueAfterMs).to.be.greaterThan(0);
    });
  });
});

describe('every node plan', () => {
  it('is a function of its input alone and leaves that unchanged', () => {
    forAll(nodeView, (o) => {
      deepFreeze(o);
      expect(planNode(o)).to.deep.equal(planNode(structuredClone(o)));
    });
  });

  it('never both acts and holds, but for a member that is told to leave, which says what it waits for', () => {
    forAll(nodeView, (o) => {
      const plan = planNode(o);
      if (plan.step !== undefined && plan.step.kind !== 'drain') expect(plan.hold).to.equal(undefined);
    });
  });

  it('deletes only a Pod of its own that is not terminating, for one of six reasons', () => {
    forAll(nodeView, (o) => {
      const { step } = planNode(o);
      if (step?.kind !== 'deletePod') return;
      expect(step.pod.ownerUid).to.equal(o.node.uid);
      expect(step.pod.isTerminating).to.equal(false);
      const isTerminal = ['Failed', 'Succeeded'].includes(step.pod.phase);
      if (step.why === 'PodTerminal') expect(isTerminal).to.equal(true);
      else if (step.why === 'MemberLonely') {
        expect(o.isClusterFormed).to.equal(false);
        expect(o.node.seeds).to.not.deep.equal(step.pod.seeds);
      } else if (step.why === 'CancelledByUser')
        expect([o.node.intent, step.pod.isLeaving]).to.deep.equal(['Active', true]);
      else if (step.why === 'MemberSealing') {
        expect([o.node.intent, step.pod.isSealed, o.node.removalMark]).to.deep.equal(['Sealed', false, OPERATION_ID]);
        expect([o.node.ran?.podUid, o.operation?.target?.uid]).to.deep.equal([step.pod.uid, o.node.uid]);
      } else if (step.why === 'MemberLeaving') expect(departureHold(o)).to.equal(undefined);
      else expect([step.why, o.parent, o.node.isDeleting]).to.deep.equal(['Deleting', 'gone', true]);
    });
  });

  it('ends no process faster than its Pod says, but one behind a closed door that was proven', () => {
    forAll(nodeView, (o) => {
      const { step } = planNode(o);
      if (step?.kind !== 'deletePod' || step.graceSeconds === undefined) return;
      expect([step.why, step.pod.isSealed, step.graceSeconds]).to.deep.equal(['MemberLeaving', true, 2]);
      expect(o.operation?.basis ?? 'Proof').to.equal('Proof');
    });
  });

  it('lets a node of an existing cluster go only as the target of an operation that is past its proof', () => {
    forAll(nodeView, (o) => {
      const { step } = planNode(o);
      const isOnItsWayOut =
        (step?.kind === 'deletePod' && step.why === 'MemberLeaving') ||
        step?.kind === 'detachVolume' ||
        (step?.kind === 'releaseNode' && o.parent !== 'gone');
      if (!isOnItsWayOut) return;
      expect(o.node.isDeleting).to.equal(true);
      expect(o.operation?.target?.uid).to.equal(o.node.uid);
      expect(o.operation?.phase).to.be.oneOf(['Deleting', 'Departing']);
      expect(o.node.removalMark).to.be.oneOf([undefined, o.operation?.id]);
    });
  });

  it('starts a Pod only where there is none, on the very volume the node was recorded with (H2, H3)', () => {
    forAll(nodeView, (o) => {
      if (planNode(o).step?.kind !== 'createPod') return;
      expect(o.node.pod).to.equal(undefined);
      expect(o.node.volume).to.deep.include({ clusterName: CLUSTER, nodeId: o.node.id, isTerminating: false });
      if (o.node.recordedVolumeUid !== undefined) expect(o.node.volume?.uid).to.equal(o.node.recordedVolumeUid);
    });
  });

  it('creates a volume only for a node that never had one', () => {
    forAll(nodeView, (o) => {
      if (planNode(o).step?.kind !== 'createVolume') return;
      expect([o.node.volume, o.node.recordedVolumeUid]).to.deep.equal([undefined, undefined]);
    });
  });

  it('lets a node go only when no Pod of its own is left and no other running member shows it', () => {
    forAll(nodeView, (o) => {
      if (planNode(o).step?.kind !== 'releaseNode') return;
      expect(o.node.isDeleting).to.equal(true);
      expect(o.node.pod?.ownerUid).to.not.equal(o.node.uid);
      if (o.parent === 'gone') return;
      for (const { uid, id: of, pod: own, answer: said } of o.siblings) {
        if (of === o.node.id || own?.ownerUid !== uid || own.isTerminating || said.kind !== 'serving') continue;
        expect(said.view.map((entry) => entry.id)).to.not.include(o.node.id);
      }
    });
  });

  it('tells a member to leave only when its node is to leave and its Pod is marked', () => {
    forAll(nodeView, (o) => {
      const { step } = planNode(o);
      if (step?.kind !== 'drain') return;
      expect([o.node.intent === 'Active', step.pod.isLeaving]).to.deep.equal([false, true]);
    });
  });

  it('changes nothing while the cluster is paused or not confirmed', () => {
    forAll(nodeView, (o) => {
      const { step } = planNode(o);
      if (o.parent === 'paused') expect([undefined, 'detachVolume', 'releaseNode']).to.include(step?.kind);
      if (o.parent === 'unconfirmed') expect([undefined, 'confirmParent']).to.include(step?.kind);
    });
  });

  it('has a requeue after more than 0 ms, or none', () => {
    forAll(nodeView, (o) => {
      const { requeueAfterMs } = planNode(o);
      if (requeueAfterMs !== undefined) expect(requeueAfterMs).to.be.greaterThan(0);
    });
  });
});
