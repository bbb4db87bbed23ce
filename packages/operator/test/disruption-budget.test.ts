// How many members must stay up right now: what eviction asks before it takes a Pod away.

import type { MarekvsClusterStatus } from '@marekvs/api';
import { type ClusterObservation, type NodeRecord, planCluster, type Verification } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { NOW_MS, node, nodes, pod, silent, withNode } from '../../planner/test/support/builders.ts';
import { gone, isolated, record, whole } from '../../planner/test/support/removing.ts';
import { minAvailable } from '../src/cluster/disruption-budget.ts';

const three = nodes(3);

/** A cluster of three of which nothing is under way. */
const still = (change: Partial<ClusterObservation> = {}): ClusterObservation => {
  const o = whole({ spec: { nodes: 5 } });
  return { ...o, nodes: three, cluster: { ...o.cluster, spec: { ...o.cluster.spec, nodes: 3 } }, facts: [], ...change };
};

interface Known {
  readonly state?: Verification['state'] | undefined;
  /** The condition as it is stored. */
  readonly stored?: 'True' | 'False' | 'Unknown';
  readonly storedAgoMs?: number;
  /** Since when these members are to be compared. */
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
  it('allows none in the turn of a member, whoever that is, ready again or not', () => {
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
  describe('of members that leave drained hosts by themselves', () => {
    const wish = (change: Partial<ClusterObservation> = {}, spec: object = {}): ClusterObservation => {
      const o = still(change);
      const hosts = { ...o.cluster.spec.hosts, replaceOnDrain: true, ...spec };
      return { ...o, cluster: { ...o.cluster, spec: { ...o.cluster.spec, hosts } } };
    };
    const covered = (o: ClusterObservation) => available(o, { state: 'Covered' });

    it('allows none, whoever is away: an eviction is quicker than anybody who hears of a cordon', () => {
      expect(covered(wish())).to.equal(3);
      expect(covered(wish({ drainsSeen: 'notYet' }))).to.equal(3);
      expect(covered(wish({ nodes: withNode(three, 1, { pod: pod(1, { isReady: false }) }) }))).to.equal(3);
    });
    it('allows none while one of them is removed, that one included: it would be ended unproven', () => {
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
    it('allows one where nobody would leave: a drain would never end', () => {
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
  it('allows none from the moment a change is seen, before it was reported', () => {
    for (const state of [undefined, 'Waiting', 'Running', 'Unreadable'] as const)
      for (const stored of [undefined, 'True', 'False'] as const)
        expect(available(still(), { state, ...(stored === undefined ? {} : { stored }) })).to.equal(3);
  });
  it('goes by the last answer while the same members are compared again because somebody asked', () => {
    const verification = { state: 'Running', at: '2026-01-01T00:00:00Z', topology: 'any' } as const;
    const o = still();
    const asked = { ...o, cluster: { ...o.cluster, verification } };
    for (const state of ['Waiting', 'Running'] as const) {
      expect(available(asked, { state, stored: 'True' })).to.equal(2);
      expect(available(asked, { state, stored: 'False' })).to.equal(3);
    }
  });
  it('allows none for two minutes while nobody knows, and one after that: a comparison that cannot end holds up no drain', () => {
    for (const state of [undefined, 'Waiting', 'Running', 'Unreadable'] as const) {
      const after = (storedAgoMs: number) => available(still(), { state, stored: 'Unknown', storedAgoMs });
      expect([after(0), after(119_999), after(120_000)], state).to.deep.equal([3, 3, 2]);
    }
  });
  it('counts the two minutes from when all were there to be compared: a member may have been away for longer', () => {
    for (const state of ['Waiting', 'Running'] as const) {
      const after = (dueAgoMs: number) =>
        available(still(), { state, stored: 'Unknown', storedAgoMs: 3_600_000, dueAgoMs });
      expect([after(0), after(119_999), after(120_000)], state).to.deep.equal([3, 3, 2]);
    }
  });
  it('counts them from the first doubt while contents cannot be read: that may come and go for good', () => {
    const storedAgoMs = 120_000;
    expect(available(still(), { state: 'Unreadable', stored: 'Unknown', storedAgoMs, dueAgoMs: 0 })).to.equal(2);
  });
  it('allows none while the members do not agree, whatever is known', () => {
    const o = still({ nodes: withNode(three, 1, { answer: silent }) });
    expect(available(o, { state: 'Covered' })).to.equal(3);
    expect(available(o, { state: undefined, stored: 'Unknown', storedAgoMs: 1e9 })).to.equal(3);
  });
  it('stays as it is while a Pod is away: that Pod uses it up', () => {
    const o = still({ nodes: withNode(three, 1, { pod: pod(1, { isReady: false }) }) });
    expect(available(o, { state: 'Missing' })).to.equal(2);
  });
  it('keeps every survivor of a removal, whatever is known', () => {
    const operation = record('Proving');
    expect(available(isolated({ operation }), { state: 'Covered' })).to.equal(4);
    expect(available(gone({ operation: record('Settling') }), { state: 'Covered' })).to.equal(4);
  });
  it('counts who is let in by this very pass', () => {
    const joined = (list: readonly NodeRecord[]) => withNode(list, 2, { serving: false });
    expect(available(still({ nodes: joined(three) }), { state: 'Covered' })).to.equal(2);
  });
  it('is none before there is data to lose, and at least one after that', () => {
    const o = still();
    expect(available({ ...o, cluster: { ...o.cluster, isFormed: false } }, { state: 'Covered' })).to.equal(undefined);
    const none = three.map((entry) => ({ ...entry, serving: false }));
    expect(available(still({ nodes: none.map((entry) => ({ ...entry, answer: silent })) }), {})).to.equal(1);
    expect(node(0).serving).to.equal(true);
  });
});
