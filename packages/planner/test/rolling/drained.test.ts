// A member that somebody else has drained serves and leads nothing. It is restarted on its volume, behind the gate of a
// turn; again and again only ever more rarely, and then a person is told.

import { type LastOperation, ownedCounts } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { ClusterObservation, NodeRecord, ViewLine } from '../../src/index.ts';
import { isOperationPending, planCluster, planNode } from '../../src/index.ts';
import { isDrainedOutside } from '../../src/members/member-state.ts';
import {
  DRAINED_RETRY_MS,
  DRAINED_SETTLE_MS,
  drainedHold,
  memberToMend,
  undrainingDueInMs,
} from '../../src/operations/mending/drained.ts';
import { timeText } from '../../src/values/hold.ts';
import {
  HASH,
  joining,
  line,
  NOW_MS,
  node,
  nodeObservation,
  nodes,
  observation,
  pod,
  silent,
  withNode,
} from '../support/builders.ts';
import { factsOfAll, nodesShowing } from '../support/facts.ts';

const IDS = [0, 1, 2, 3];
type Change = NonNullable<Parameters<typeof observation>[0]>;

function shownWithout(ids: readonly number[]): readonly ViewLine[] {
  return IDS.map((id) => line(id, { hasPrimaries: !ids.includes(id) }));
}

/** Four members of which all show these without primaries. */
function drained(ids: readonly number[], { cluster = {}, ...rest }: Change = {}): ClusterObservation {
  const view = shownWithout(ids);
  return observation({
    nodes: nodesShowing(IDS, view),
    facts: factsOfAll(IDS, { view }),
    ...rest,
    cluster: { ...cluster, spec: { nodes: 4, ...cluster.spec } },
  });
}
const turn = (o: ClusterObservation) => planCluster(o).removal.operation;
const but = (o: ClusterObservation, id: number, change: Partial<NodeRecord>): ClusterObservation => ({
  ...o,
  nodes: withNode(o.nodes, id, change),
});

/** The end of such a restart, so long ago. */
function restarted(id: number, agoMs: number, attempt?: number): LastOperation {
  const at = timeText(NOW_MS - agoMs);
  return {
    id: 'op',
    type: 'Roll',
    roll: {
      name: `demo-${id}`,
      uid: `node-uid-${id}`,
      nodeId: id,
      podUID: 'before',
      previous: HASH,
      cause: 'Drained',
      ...(attempt === undefined ? {} : { attempt }),
    },
    outcome: 'Succeeded',
    reason: 'DrainedFromOutside',
    startedAt: at,
    finishedAt: at,
    specGeneration: 1,
    phases: [],
  };
}
const after = (id: number, agoMs: number, attempt = 1, who = id) =>
  drained([who], { cluster: { lastOperation: restarted(id, agoMs, attempt) } });

describe('a member that was drained from outside', () => {
  it('is restarted with the template that it has, once all have shown it for 3 s', () => {
    const settling = (agreedForMs: number | undefined) =>
      drained([1], { history: { agreedForMs, differForMs: undefined } });
    expect(turn(settling(DRAINED_SETTLE_MS - 1))).to.equal(undefined);
    expect(turn(settling(undefined))).to.equal(undefined);
    expect(undrainingDueInMs(settling(DRAINED_SETTLE_MS - 1))).to.equal(1);
    const operation = turn(settling(DRAINED_SETTLE_MS));
    expect(operation?.roll).to.deep.include({ name: 'demo-1', cause: 'Drained', previous: HASH, attempt: 1 });
    expect(operation?.type).to.equal('Roll');
  });
  it('is said of the cluster, which needs nobody for the first restart', () => {
    const hold = drainedHold(drained([1]));
    expect(hold).to.deep.include({ reason: 'DrainedFromOutside', needsPerson: false });
    expect(hold?.message).to.match(
      /^demo-1 leads nothing, or less than it should: .* GET \/drain; it is restarted on its volume$/,
    );
    expect(planCluster(drained([1])).holds).to.deep.include(hold);
  });
  it('costs no more than the usual probes where there is none', () => {
    expect(isOperationPending(drained([]), 4)).to.equal(false);
    expect(isOperationPending(drained([1]), 4)).to.equal(true);
    expect([drainedHold(drained([])), undrainingDueInMs(drained([]))]).to.deep.equal([undefined, undefined]);
  });
  it('is found also where several are leaving and so lead what nobody else is home of', () => {
    const theirs = ownedCounts(IDS, 1);
    const shown = (by: number) =>
      IDS.map((id) => line(id, { primaryPartitions: (theirs.get(id) ?? 0) - (id === 1 || id === 2 ? by : 0) }));
    const of = (by: number) =>
      drained([], { nodes: nodesShowing(IDS, shown(by)), facts: factsOfAll(IDS, { view: shown(by) }) });
    expect(turn(of(0))).to.equal(undefined);
    expect(turn(of(1))?.roll?.name).to.equal('demo-1');
  });
  it('is one of several: the lowest id first, also when all are', () => {
    expect(turn(drained([2, 3]))?.roll?.name).to.equal('demo-2');
    expect(turn(drained(IDS))?.roll?.name).to.equal('demo-0');
  });

  const others: readonly (readonly [string, string, (o: ClusterObservation) => ClusterObservation])[] = [
    ['another one is silent', 'MemberSilent', (o) => but(o, 3, { answer: silent })],
    ['another one joins', 'MemberJoining', (o) => but(o, 3, { answer: joining })],
    ['the Pod of another one is not ready', 'MemberNotActive', (o) => but(o, 3, { pod: pod(3, { isReady: false }) })],
    ['another one was told to leave', 'MemberLeaving', (o) => but(o, 3, { pod: pod(3, { isLeaving: true }) })],
    [
      'another one is not connected to all',
      'MeshIncomplete',
      (o) => ({ ...o, facts: factsOfAll(IDS, { view: shownWithout([1]) }, { 3: { meshPeers: 2 } }) }),
    ],
  ];
  for (const [what, reason, change] of others)
    it(`waits while ${what}`, () => {
      const plan = planCluster(change(drained([1])));
      expect(plan.removal.operation).to.equal(undefined);
      if (plan.turnWaits !== undefined) expect(plan.turnWaits.reason).to.equal(reason);
    });

  const notDrained: readonly (readonly [string, Partial<NodeRecord>])[] = [
    ['was told to leave', { intent: 'Leaving' }],
    ['has its door closed', { intent: 'Sealed' }],
    ['is marked by an operation', { removalMark: 'op' }],
    ['is to be stopped', { stopped: 'Suspended' }],
    ['is being deleted', { isDeleting: true }],
    ['has a Pod that was told to leave', { pod: pod(1, { isLeaving: true }) }],
    ['has a Pod that is ending, as the kubelet drains it', { pod: pod(1, { isTerminating: true }) }],
    ['has a Pod that is not ready', { pod: pod(1, { isReady: false }) }],
    ['has a Pod of somebody else', { pod: pod(1, { ownerUid: 'other' }) }],
    ['has no Pod', { pod: undefined }],
    ['joins', { answer: joining }],
    ['is silent', { answer: silent }],
  ];
  for (const [what, change] of notDrained)
    it(`is not one that ${what}`, () => {
      const [, own] = drained([1]).nodes;
      if (own === undefined) throw new Error('no demo-1');
      expect(isDrainedOutside(own)).to.equal(true);
      expect(isDrainedOutside({ ...own, ...change })).to.equal(false);
      expect(memberToMend(but(drained([1]), 1, change))).to.equal(undefined);
    });
  it('is not one that only some show so', () => {
    const o = drained([1]);
    const one = nodesShowing([2], shownWithout([]))[0];
    expect(memberToMend({ ...o, nodes: o.nodes.map((each) => (each.id === 2 && one ? one : each)) })).to.equal(
      undefined,
    );
  });

  const held: readonly (readonly [string, Change['cluster']])[] = [
    ['is paused', { spec: { paused: true } }],
    ['is not formed', { isFormed: false }],
    ['is being deleted', { isDeleting: true }],
    ['has spec.update.type OnDelete', { spec: { update: { type: 'OnDelete' } as never } }],
    ['has restarts that are paused', { rollout: { approved: undefined, isPaused: true, retry: undefined } }],
  ];
  for (const [what, cluster] of held)
    it(`is left alone in a cluster that ${what}`, () => {
      expect(turn(drained([1], { cluster: cluster ?? {} }))).to.equal(undefined);
    });
});

describe('a member that is drained again', () => {
  const MINUTE = 60_000;
  const cases: readonly (readonly [string, number, number])[] = [
    ['the second time after 10 min', 1, 10 * MINUTE],
    ['the third time after 20 min', 2, 20 * MINUTE],
    ['the fourth time after 40 min', 3, 40 * MINUTE],
    ['then after an hour', 4, 60 * MINUTE],
    ['never after more than an hour', 900, 60 * MINUTE],
  ];
  for (const [what, attempt, pauseMs] of cases)
    it(`is restarted ${what}`, () => {
      expect(turn(after(1, pauseMs - 1_000, attempt))).to.equal(undefined);
      expect(undrainingDueInMs(after(1, pauseMs - 1_000, attempt))).to.equal(1_000);
      expect(turn(after(1, pauseMs, attempt))?.roll).to.deep.include({ attempt: attempt + 1 });
    });
  it('stalls the cluster meanwhile, and says until when and what to close', () => {
    const hold = drainedHold(after(1, 0));
    expect(hold).to.deep.include({ reason: 'DrainedFromOutside', needsPerson: true });
    expect(hold?.message).to.match(
      /again; it is restarted at \d\d:\d\d:\d\d; until then close that port to whoever is not/,
    );
  });
  it('counts as the first time two hours later', () => {
    const twoHours = 2 * 60 * MINUTE;
    expect(turn(after(1, twoHours - 1_000, 3))?.roll?.attempt).to.equal(4);
    expect(turn(after(1, twoHours, 3))?.roll?.attempt).to.equal(1);
  });
  it('keeps no other operation from beginning meanwhile', () => {
    const outdated = {
      cluster: { lastOperation: restarted(1, 0), templateHash: 'b'.repeat(16) },
      revisions: observation({ cluster: { templateHash: 'b'.repeat(16) } }).revisions,
    };
    expect(turn(drained([1], outdated))?.roll).to.not.have.property('cause');
  });
  it('is restarted at once when it is another one, until every one had its turn', () => {
    expect(turn(after(0, 0, 1, 1))?.roll).to.deep.include({ name: 'demo-1', attempt: 2 });
    expect(turn(after(0, 0, 3, 1))?.roll).to.deep.include({ name: 'demo-1', attempt: 4 });
    expect(turn(after(0, 0, 4, 1))).to.equal(undefined);
    expect(turn(after(0, DRAINED_RETRY_MS, 4, 1))?.roll?.attempt).to.equal(5);
  });
  it('waits by distance, whatever was done to the clock', () => {
    expect(turn(after(1, -20 * MINUTE))?.roll?.attempt).to.equal(2);
  });
});

describe('the turn of a drained member', () => {
  const roll = { ...restarted(1, 0).roll, podUID: 'pod-uid-1' };
  const operation = {
    id: 'op',
    type: 'Roll',
    roll,
    specGeneration: 1,
    phase: 'Claimed',
    startedAt: timeText(NOW_MS),
    timeline: [{ phase: 'Claimed', at: timeText(NOW_MS) }],
  } as NonNullable<Change['cluster']>['operation'] & object;

  it('takes it out of the Service first', () => {
    const { steps } = planCluster(drained([1], { cluster: { operation } }));
    expect(steps[0]).to.deep.include({ kind: 'isolate', operationId: 'op' });
  });
  it('ends when it leads again by itself', () => {
    const { ended } = planCluster(drained([], { cluster: { operation } })).removal;
    expect(ended).to.deep.include({ outcome: 'Cancelled', message: 'demo-1 leads its partitions again' });
  });
  it('makes its Pod again from the same template', () => {
    const own = node(1, { removalMark: 'op', serving: false });
    const { step } = planNode(
      nodeObservation(own, { operation, siblings: nodes(4).map((one) => (one.id === 1 ? own : one)) }),
    );
    expect(step).to.deep.include({ kind: 'deletePod', why: 'DrainedFromOutside' });
  });
});

describe('what others wait for while a member is drained', () => {
  it('a removal waits for its restart, and says so', () => {
    const o = drained([1], { cluster: { spec: { nodes: 3 }, lastOperation: restarted(1, 0) } });
    const { waits, operation } = planCluster(o).removal;
    expect(operation).to.equal(undefined);
    expect(waits?.reason).to.equal('DrainedFromOutside');
  });
  it('a removal that waits lets that restart begin', () => {
    const o = drained([1], { cluster: { spec: { nodes: 3 } } });
    expect(turn(o)?.roll).to.deep.include({ name: 'demo-1', cause: 'Drained' });
  });
});
