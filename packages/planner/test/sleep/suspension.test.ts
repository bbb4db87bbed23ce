// One member is kept away from its volume for a while: when that may begin, what each phase does, and until when it may
// come back. Pure; the lives are in packages/reliability.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ClusterObservation, type NodeRecord, planCluster } from '../../src/index.ts';
import {
  HASH,
  keptRevisions,
  MONOTONIC_MS,
  NOW_MS,
  nodes,
  notAsked,
  observation,
  pod,
  serving,
  silent,
  volume,
  withNode,
} from '../support/builders.ts';
import { drained, factsOfAll } from '../support/facts.ts';
import { compared } from '../support/reports.ts';
import { stoppingRecord } from '../support/stopping.ts';

type Change = NonNullable<Parameters<typeof observation>[0]>;

const REASON = 'anna: its disk is checked';
const DAY_MS = 86_400_000;
const NEXT = 'bbbbbbbbbbbbbbbb';
const four = nodes(4);
const wish = (change: Partial<NodeRecord> = {}) => withNode(four, 2, { suspendAsked: REASON, ...change });

const asked = ({ cluster, ...rest }: Change = {}): ClusterObservation =>
  observation({
    nodes: wish(),
    facts: factsOfAll([0, 1, 2, 3]),
    cluster: { ...cluster, spec: { nodes: 4, ...cluster?.spec } },
    ...rest,
  });

const record = (phase: Operation['phase'], agoMs = 60_000): Operation =>
  stoppingRecord(phase, agoMs, {
    id: '2-abc',
    type: 'Suspend',
    chosen: REASON,
    roll: { name: 'demo-2', uid: 'node-uid-2', nodeId: 2, podUID: 'pod-uid-2', previous: HASH, cause: 'Suspend' },
  });

const LEFT = { serving: false, intent: 'Leaving', removalMark: '2-abc' } as const;
const OFF = { ...LEFT, stopped: 'Suspended', pod: undefined, answer: notAsked } as const;
const off = (phase: Operation['phase'], agoMs = 60_000, change: Partial<NodeRecord> = {}, more: Change = {}) =>
  asked({
    nodes: wish({ ...OFF, ...change }),
    ...more,
    cluster: { operation: record(phase, agoMs), ...more.cluster },
  });
const kinds = (o: ClusterObservation) => planCluster(o).steps.map(({ kind }) => kind);
const phaseOf = (o: ClusterObservation) => planCluster(o).removal.operation?.phase;
const said = (o: ClusterObservation, reason: string) =>
  planCluster(o).holds.find((hold) => hold.reason === reason)?.message;

describe('a member that is to be suspended', () => {
  it('is isolated when all others are up, and the record names who asked for it', () => {
    expect(planCluster(asked()).removal.operation).to.deep.include({ type: 'Suspend', chosen: REASON });
  });

  for (const [what, change, words] of [
    ['another member is away', { nodes: withNode(wish(), 0, { answer: silent }) }, 'demo-0'],
    ['all are to stop', { cluster: { spec: { hibernated: true } } }, 'stopping all members waits'],
    [
      'no other member has its records',
      { nodes: wish().map((node) => ({ ...node, replicationFactor: 1 })), cluster: { spec: { replicationFactor: 1 } } },
      'kubectl mkv suspend demo-2 -n default --only-copy',
    ],
  ] as const satisfies readonly (readonly [string, Change, string])[])
    it(`is left alone while ${what}`, () => {
      const plan = planCluster(asked(change));
      expect(plan.removal.operation?.type).to.not.equal('Suspend');
      const texts = plan.holds.map(({ message }) => message);
      const isElse = plan.removal.operation?.type === 'Hibernate';
      expect(isElse || texts.some((text) => text.includes(words)), texts.join()).to.equal(true);
    });

  it('is suspended although it has the only copy of its keys when the request says so', () => {
    const single = wish({ suspendAsked: `only-copy/${REASON}` }).map((node) => ({ ...node, replicationFactor: 1 }));
    const { operation } = planCluster(asked({ nodes: single, cluster: { spec: { replicationFactor: 1 } } })).removal;
    expect(operation).to.deep.include({ type: 'Suspend', chosen: REASON });
  });

  it('is suspended one at a time: the second waits, and says for which', () => {
    const both = withNode(off('Suspended').nodes, 3, { suspendAsked: REASON });
    const o = off('Suspended', 60_000, {}, { nodes: both });
    expect(planCluster(o).removal.operation?.roll?.name).to.equal('demo-2');
    expect(said(o, 'SuspensionWaits')).to.equal('stopping demo-3 waits: demo-2 comes back first');
  });

  it('is isolated also when it does not run, once all others are up', () => {
    const crashed = {
      pod: pod(2, { isReady: false, waiting: { reason: 'CrashLoopBackOff', message: '' } }),
      answer: silent,
    };
    expect(phaseOf(asked({ nodes: wish(crashed) }))).to.equal('Claimed');
    expect(phaseOf(asked({ nodes: wish(crashed), cluster: { operation: record('Claimed') } }))).to.equal('Stopping');
    const beside = withNode(wish(crashed), 0, { answer: silent });
    expect(planCluster(asked({ nodes: beside })).removal.operation).to.equal(undefined);
  });

  it('is not stopped before the others have its records', () => {
    const aside = asked({ nodes: wish(LEFT), cluster: { operation: record('Proving', 1_000) } });
    expect(kinds(aside)).to.not.include('stopNode');
    expect(phaseOf(aside)).to.not.equal('Stopping');
  });

  describe('gives its clients their time to move,', () => {
    const ids = [0, 1, 2, 3];
    const view = drained(ids, 2);
    /** All show it without primaries, and have what it has. */
    const waiting = (clientGraceSeconds: number, sinceMs: number, agoMs = sinceMs) => {
      const nodes = wish(LEFT).map((one): NodeRecord => ({ ...one, answer: serving(view) }));
      const facts = factsOfAll(ids, { view, shownSinceMs: MONOTONIC_MS - 900_000 });
      const cluster = { operation: record('Isolating', agoMs), spec: { removal: { clientGraceSeconds } } };
      return asked({ nodes, facts, isolatedSinceMs: MONOTONIC_MS - sinceMs, cluster });
    };
    const at = (seconds: number, sinceMs: number) =>
      planCluster(compared(waiting(seconds, sinceMs), { startedAtMs: MONOTONIC_MS, scannedAtMs: MONOTONIC_MS }))
        .removal;

    for (const seconds of [0, 5, 600])
      it(`${seconds} s when clientGraceSeconds says so, and no longer, however many stay`, () => {
        expect(at(seconds, seconds * 1_000).operation?.phase).to.equal('Stopping');
        const early = at(seconds, seconds * 1_000 - 1);
        expect([early.operation?.phase, early.waits?.reason]).to.deep.equal(['Isolating', 'MemberLeaving']);
      });

    it('which does not count as time in which it has to be ready', () => {
      expect(phaseOf(waiting(600, 599_999, 1_200_000))).to.equal('Isolating');
      expect(phaseOf(waiting(600, 599_999, 1_200_001))).to.equal('Cancelling');
    });
  });

  it('is taken back when that is not proven in time, or the request was withdrawn', () => {
    const late = asked({ nodes: wish(LEFT), cluster: { operation: record('Proving', 606_000) } });
    expect(planCluster(late).removal.operation).to.deep.include({ phase: 'Cancelling' });
    const unwanted = withNode(four, 2, LEFT);
    expect(phaseOf(asked({ nodes: unwanted, cluster: { operation: record('Proving', 1_000) } }))).to.equal(
      'Cancelling',
    );
  });

  it('is stopped, and counts as suspended when its Pod is gone', () => {
    const proven = asked({ nodes: wish(LEFT), cluster: { operation: record('Stopping') } });
    expect(planCluster(proven).steps).to.deep.include({ kind: 'stopNode', node: proven.nodes[2], how: 'Suspended' });
    expect(phaseOf(off('Stopping', 1_000, { pod: pod(2, { isTerminating: true }) }))).to.equal('Stopping');
    expect(phaseOf(off('Stopping', 1_000))).to.equal('Suspended');
  });
});

describe('a suspended member', () => {
  it('is left alone and reported: who asked for it, since when, until when, and the command that ends it', () => {
    const plan = planCluster(off('Suspended'));
    expect(plan.steps).to.deep.equal([]);
    expect(plan.requeueAfterMs).to.equal(undefined);
    expect(said(off('Suspended'), 'Suspended')).to.equal(
      `demo-2 is stopped for repair by hand since 2026-01-01T00:09:00Z (${REASON}), nothing else is restarted or removed: kubectl mkv resume-member demo-2 -n default, before 2026-01-07T07:21:00Z`,
    );
  });

  it('prevents other operations: no member is removed, updated or stopped', () => {
    const changed = { cluster: { operation: record('Suspended'), templateHash: NEXT, spec: { nodes: 3 } } };
    const plan = planCluster(off('Suspended', 60_000, {}, { ...changed, revisions: keptRevisions([HASH, NEXT]) }));
    expect(plan.removal.operation?.type).to.equal('Suspend');
    expect(plan.steps.map(({ kind }) => kind)).to.deep.equal([]);
    const all = off(
      'Suspended',
      60_000,
      {},
      { cluster: { operation: record('Suspended'), spec: { nodes: 4, hibernated: true } } },
    );
    expect(said(all, 'HibernationWaits')).to.include('demo-2 comes back first');
  });

  it('is not replaced because it is away', () => {
    expect(kinds(off('Suspended', 6 * DAY_MS))).to.not.include('createNode');
  });

  it('is no longer suspended when a person has it replaced, and is not started for that', () => {
    const deleted = off('Suspended', 60_000, { isDeleting: true });
    expect(planCluster(deleted).removal.ended).to.include({ outcome: 'Cancelled', reason: 'Repairing' });
    const after = asked({ nodes: wish({ ...OFF, isDeleting: true, removalMark: undefined, intent: 'Active' }) });
    expect(kinds(after)).to.not.include('reinstate');
    const marked = asked({ nodes: wish({ ...OFF, isDeleting: true }), cluster: { spec: { nodes: 3 } } });
    expect(planCluster(marked).steps).to.deep.include({ kind: 'endRestart', node: marked.nodes[2], serving: false });
  });

  it('is started when no operation knows about it any more', () => {
    const stray = asked({ nodes: withNode(four, 2, { ...OFF, suspendAsked: undefined }) });
    expect(kinds(stray)).to.include('reinstate');
  });
});

describe('a member that is to come back from suspension', () => {
  const resumed = { suspendAsked: undefined };

  for (const [what, agoMs, change, more, phase] of [
    ['comes back while the others remember every deletion', 6 * DAY_MS, resumed, {}, 'Restarting'],
    ['stays away after that time, less a margin', 6.4 * DAY_MS, resumed, {}, 'Suspended'],
    [
      'stays away when it had been away before',
      DAY_MS,
      { ...resumed, lastActiveAtMs: NOW_MS - 6.4 * DAY_MS },
      {},
      'Suspended',
    ],
    ['stays away when the clock was set back', -120_000, resumed, {}, 'Suspended'],
    [
      'comes back when a person has accepted a loss',
      30 * DAY_MS,
      resumed,
      { cluster: { operation: record('Suspended', 30 * DAY_MS), mayStartAfterOutage: true } },
      'Restarting',
    ],
  ] as const satisfies readonly (readonly [string, number, Partial<NodeRecord>, Change, string])[])
    it(what, () => {
      expect(phaseOf(off('Suspended', agoMs, change, more))).to.equal(phase);
    });

  it('is reported as away for too long, with what a person can do', () => {
    const [first] = planCluster(off('Suspended', 8 * DAY_MS, resumed)).holds;
    expect(first).to.include({ reason: 'SuspendedTooLong', needsPerson: true });
    expect(first?.message).to.include('kubectl mkv replace demo-2 -n default');
  });

  it('gets its Pod with the template it had, marked and out of the Service until it is complete', () => {
    const o = off('Restarting', 1_000, resumed);
    expect(planCluster(o).steps).to.deep.include({ kind: 'resumeNode', node: o.nodes[2], operationId: '2-abc' });
  });

  it('is not started when deletions may have been forgotten before anybody did so', () => {
    const o = off('Restarting', 8 * DAY_MS, resumed);
    expect(planCluster(o).steps).to.deep.equal([]);
    expect(planCluster(o).removal.waits).to.include({ reason: 'SuspendedTooLong', needsPerson: true });
  });

  it('is suspended again when a person asks for it before it serves, with its old time', () => {
    const again = off('Restarting', 1_000, { stopped: undefined, intent: 'Active', volume: volume(2) });
    const { operation } = planCluster(again).removal;
    expect(operation?.phase).to.equal('Suspended');
    expect(operation?.timeline?.filter(({ phase }) => phase === 'Stopping')).to.have.length(1);
  });
});
