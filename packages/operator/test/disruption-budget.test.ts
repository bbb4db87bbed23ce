// How many members must stay up at present, which the eviction API checks before it ends a Pod.

import type { MarekvsClusterStatus } from '@marekvs/api';
import { type ClusterObservation, type NodeRecord, planCluster, type Verification } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { NOW_MS, node, nodes, pod, silent, withNode } from '../../planner/test/support/builders.ts';
import { gone, isolated, record, whole } from '../../planner/test/support/removing.ts';
import { minAvailable } from '../src/cluster/disruption-budget.ts';

const three = nodes(3);

/** A cluster of three at rest. */
const still = (change: Partial<ClusterObservation> = {}): ClusterObservation => {
  const o = whole({ spec: { nodes: 5 } });
  return { ...o, nodes: three, cluster: { ...o.cluster, spec: { ...o.cluster.spec, nodes: 3 } }, facts: [], ...change };
};

interface Known {
  readonly state?: Verification['state'] | undefined;
  /** The condition as it is stored. */
  readonly stored?: 'True' | 'False' | 'Unknown';
  readonly storedAgoMs?: number;
  /** Since when these members have to be compared. */
  readonly dueAgoMs?: number;
}

const agoText = (ms: number) => new Date(NOW_MS - ms).toISOString();

function available(
  o: ClusterObservation,
  { state, stored, storedAgoMs = 0, dueAgoMs = storedAgoMs }: Known,
): number | undefined {
  const plan = planCluster(o);
  const verification = state === undefined ? undefined : { state, at: agoText(dueAgoMs), topology: 'any' };
  const lastTransitionTime = agoText(storedAgoMs);
  const conditions = [
    { type: 'FullyReplicated', status: stored, reason: 'x', message: 'x', observedGeneration: 1, lastTransitionTime },
  ];
  const status = stored === undefined ? undefined : ({ conditions } as MarekvsClusterStatus);
  return minAvailable(o, { ...plan, verification }, status);
}

describe('the disruption budget', () => {
  it('allows one disruption while every record is on all its homes', () => {
    expect(available(still(), { state: 'Covered' })).to.equal(2);
    expect(available(still(), { state: 'Covered', stored: 'False' }), 'as soon as it is known').to.equal(2);
  });
  it('allows none in the turn of any member, ready again or not', () => {
    const roll = { name: 'demo-2', uid: three[2]?.uid ?? '', nodeId: 2, podUID: 'pod-uid-before', previous: 'a' };
    const startedAt = agoText(10_000);
    const operation = { id: '2-turn', type: 'Roll', roll, specGeneration: 1, phase: 'Restarting', startedAt } as const;
    for (const serving of [true, false]) {
      const nodesOfTurn = withNode(three, 2, { serving, removalMark: '2-turn' });
      const o = still({ nodes: nodesOfTurn });
      const inTurn = { ...o, cluster: { ...o.cluster, operation: { ...operation, timeline: [] } } };
      expect(available(inTurn, { state: 'Covered' }), `serving ${serving}`).to.equal(3);
    }
  });
  describe('for members that are to leave drained hosts by themselves', () => {
    const wish = (change: Partial<ClusterObservation> = {}, spec: object = {}): ClusterObservation => {
      const o = still(change);
      const hosts = { ...o.cluster.spec.hosts, replaceOnDrain: true, ...spec };
      return { ...o, cluster: { ...o.cluster, spec: { ...o.cluster.spec, hosts } } };
    };
    const covered = (o: ClusterObservation) => available(o, { state: 'Covered' });

    it('allows none, whichever member is away, since an eviction is quicker than the operator hears of a cordon', () => {
      expect(covered(wish())).to.equal(3);
      expect(covered(wish({ drainsSeen: 'notYet' }))).to.equal(3);
      expect(covered(wish({ nodes: withNode(three, 1, { pod: pod(1, { isReady: false }) }) }))).to.equal(3);
    });
    it('allows none while one of them is removed, not even of that one, which would end unproven', () => {
      const target = record('Isolating').target?.nodeId;
      const nodesOf = (o: ClusterObservation) => o.nodes.filter(({ serving, id }) => serving || id === target).length;
      const removing = whole({ spec: { nodes: 4, hosts: { replaceOnDrain: true } }, operation: record('Isolating') });
      expect(available(removing, {})).to.equal(nodesOf(removing));
      const ended = {
        ...removing,
        nodes: removing.nodes.map((one) => (one.id === target ? { ...one, pod: undefined } : one)),
      };
      expect(available(ended, {})).to.equal(nodesOf(removing) - 1);
    });
    it('allows one where no member would leave by itself, so that a drain can end', () => {
      expect(covered(wish({ drainsSeen: 'forbidden' }))).to.equal(2);
      expect(covered(wish({}, { moveOnDrain: false }))).to.equal(2);
      expect(covered(wish({ nodes: three.map((one) => ({ ...one, replicationFactor: 1 })) }))).to.equal(2);
      const paused = wish();
      const spec = { ...paused.cluster.spec, paused: true };
      expect(covered({ ...paused, cluster: { ...paused.cluster, spec } })).to.equal(2);
    });
  });
  it('allows none while records are missing, however long', () => {
    expect(available(still(), { state: 'Missing' })).to.equal(3);
    expect(available(still(), { state: 'Missing', stored: 'Unknown', storedAgoMs: 1e9 })).to.equal(3);
  });
  it('counts one that is joining while none may go, and no other that is not let in', () => {
    const besides = (change: Partial<NodeRecord>) =>
      still({ nodes: [...three, node(3, { serving: false, wasActive: false, ...change })] });
    expect(available(besides({}), { state: 'Missing' })).to.equal(4);
    expect(available(besides({}), { state: 'Covered' }), 'as soon as one may go').to.equal(2);
    for (const change of [{ wasActive: true }, { intent: 'Leaving' as const }, { isDeleting: true }])
      expect(available(besides(change), { state: 'Missing' })).to.equal(3);
  });
  it('allows none from when a change of the members is seen, before that is reported', () => {
    for (const state of [undefined, 'Waiting', 'Running', 'Unreadable'] as const)
      for (const stored of [undefined, 'True', 'False'] as const)
        expect(available(still(), { state, ...(stored === undefined ? {} : { stored }) })).to.equal(3);
  });
  it('follows the last result while the same members are compared again because a person asked', () => {
    const verification = { state: 'Running', at: '2026-01-01T00:00:00Z', topology: 'any' } as const;
    const o = still();
    const asked = { ...o, cluster: { ...o.cluster, verification } };
    for (const state of ['Waiting', 'Running'] as const) {
      expect(available(asked, { state, stored: 'True' })).to.equal(2);
      expect(available(asked, { state, stored: 'False' })).to.equal(3);
    }
  });
  it('allows none for two minutes while the contents are unknown, and one after that, so that a drain can end', () => {
    for (const state of [undefined, 'Waiting', 'Running', 'Unreadable'] as const) {
      const after = (storedAgoMs: number) => available(still(), { state, stored: 'Unknown', storedAgoMs });
      expect([after(0), after(119_999), after(120_000)], state).to.deep.equal([3, 3, 2]);
    }
  });
  it('counts the two minutes from when all members could be compared, since one may have been away for longer before', () => {
    for (const state of ['Waiting', 'Running'] as const) {
      const after = (dueAgoMs: number) =>
        available(still(), { state, stored: 'Unknown', storedAgoMs: 3_600_000, dueAgoMs });
      expect([after(0), after(119_999), after(120_000)], state).to.deep.equal([3, 3, 2]);
    }
  });
  it('counts them from the first unknown result while contents cannot be read, which may come and go', () => {
    const storedAgoMs = 120_000;
    expect(available(still(), { state: 'Unreadable', stored: 'Unknown', storedAgoMs, dueAgoMs: 0 })).to.equal(2);
  });
  it('allows none while the members do not agree, whatever the contents', () => {
    const o = still({ nodes: withNode(three, 1, { answer: silent }) });
    expect(available(o, { state: 'Covered' })).to.equal(3);
    expect(available(o, { state: undefined, stored: 'Unknown', storedAgoMs: 1e9 })).to.equal(3);
  });
  it('does not change while a Pod is away, which uses up the one disruption', () => {
    const o = still({ nodes: withNode(three, 1, { pod: pod(1, { isReady: false }) }) });
    expect(available(o, { state: 'Missing' })).to.equal(2);
  });
  it('keeps every survivor of a removal, whatever the contents', () => {
    const operation = record('Proving');
    expect(available(isolated({ operation }), { state: 'Covered' })).to.equal(4);
    expect(available(gone({ operation: record('Settling') }), { state: 'Covered' })).to.equal(4);
  });
  it('counts a member that is let in by the same pass', () => {
    const joined = (list: readonly NodeRecord[]) => withNode(list, 2, { serving: false });
    expect(available(still({ nodes: joined(three) }), { state: 'Covered' })).to.equal(2);
  });
  it('does not exist before there is data to lose, and keeps at least one member after that', () => {
    const o = still();
    expect(available({ ...o, cluster: { ...o.cluster, isFormed: false } }, { state: 'Covered' })).to.equal(undefined);
    const none = three.map((entry) => ({ ...entry, serving: false, wasActive: true }));
    expect(available(still({ nodes: none.map((entry) => ({ ...entry, answer: silent })) }), {})).to.equal(1);
    expect(node(0).serving).to.equal(true);
  });
});
