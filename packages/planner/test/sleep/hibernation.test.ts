// All members stop together and start together: when that may begin, what each phase does, and until when they may be
// woken. Pure; the lives are in packages/reliability.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ClusterObservation, type NodeRecord, planCluster } from '../../src/index.ts';
import {
  freshNode,
  HASH,
  keptRevisions,
  NOW_MS,
  nodes,
  notAsked,
  observation,
  pod,
  silent,
  volume,
  withNode,
} from '../support/builders.ts';
import { factsOfAll } from '../support/facts.ts';
import { compared } from '../support/reports.ts';
import { stoppingRecord } from '../support/stopping.ts';

type Change = NonNullable<Parameters<typeof observation>[0]>;

const three = nodes(3);
const NEXT = 'bbbbbbbbbbbbbbbb';
const DAY_MS = 86_400_000;

const asked = ({ cluster, ...rest }: Change = {}): ClusterObservation =>
  observation({
    nodes: three,
    facts: factsOfAll([0, 1, 2]),
    cluster: { ...cluster, spec: { hibernated: true, ...cluster?.spec } },
    ...rest,
  });

const record = (phase: Operation['phase'], agoMs = 60_000, change: Partial<Operation> = {}): Operation =>
  stoppingRecord(phase, agoMs, { id: 'all-abc', type: 'Hibernate', ...change });

const stoppedNodes = (change: Partial<NodeRecord> = {}): readonly NodeRecord[] =>
  three.map((node) => ({
    ...node,
    serving: false,
    wasActive: true,
    stopped: 'Hibernated',
    pod: undefined,
    answer: notAsked,
    ...change,
  }));

const outOfService = three.map((node) => ({ ...node, serving: false, pod: pod(node.id, { labels: {} }) }));
const kinds = (o: ClusterObservation) => planCluster(o).steps.map(({ kind }) => kind);
const phaseOf = (o: ClusterObservation) => planCluster(o).removal.operation?.phase;
const reasons = (o: ClusterObservation) => planCluster(o).holds.map(({ reason }) => reason);

describe('the hibernation of a cluster', () => {
  it('begins when all members are up, complete and there to stay', () => {
    const plan = planCluster(asked());
    expect(plan.removal.operation).to.include({ type: 'Hibernate', phase: 'Claimed' });
    expect(plan.removal.isUrgent).to.equal(true);
  });

  it('does not begin while spec.hibernated is not set', () => {
    expect(planCluster(asked({ cluster: { spec: { hibernated: false } } })).removal.operation).to.equal(undefined);
  });

  for (const [what, change, words] of [
    ['a member is away', { nodes: withNode(three, 1, { answer: silent }) }, 'demo-1'],
    ['a member joins', { nodes: [...three, freshNode(3)] }, 'demo-3 joins first'],
    [
      'a member was told to leave',
      { nodes: withNode(three, 0, { pod: pod(0, { isLeaving: true }), mayRestartPod: 'pod-uid-0' }) },
      'demo-0',
    ],
    ['a volume is lost', { nodes: withNode(three, 2, { volume: undefined }) }, 'demo-2 is replaced first'],
    [
      'it was given up a moment ago',
      {
        cluster: {
          lastOperation: {
            id: 'all-a',
            type: 'Hibernate',
            outcome: 'Failed',
            reason: 'DeadlineExceeded',
            startedAt: new Date(NOW_MS - 700_000).toISOString(),
            finishedAt: new Date(NOW_MS - 1_000).toISOString(),
            specGeneration: 1,
          },
        },
      },
      'it was given up',
    ],
  ] as const satisfies readonly (readonly [string, Change, string])[])
    it(`waits while ${what}, and says so`, () => {
      const plan = planCluster(asked(change));
      expect(plan.removal.operation?.type).to.not.equal('Hibernate');
      const said = plan.holds.filter(({ reason }) => reason === 'HibernationWaits').map(({ message }) => message);
      const isRepaired = plan.steps.some(({ kind }) => kind === 'createNode');
      expect(isRepaired || said.some((message) => message.includes(words)), said.join()).to.equal(true);
    });

  it('waits for the operation under way, and names it', () => {
    const target = { name: 'demo-2', uid: 'node-uid-2', nodeId: 2 };
    const operation: Operation = { ...record('Claimed'), type: 'Remove', basis: 'Proof', target, id: '2-abc' };
    const { removal, holds } = planCluster(asked({ cluster: { operation } }));
    expect(removal.operation?.type).to.equal('Remove');
    expect(holds.find(({ reason }) => reason === 'HibernationWaits')?.message).to.include('2-abc on demo-2 ends first');
  });

  it('changes neither size nor templates first', () => {
    expect(phaseOf(asked({ cluster: { spec: { nodes: 5 } } }))).to.equal('Claimed');
    expect(phaseOf(asked({ cluster: { templateHash: NEXT }, revisions: keptRevisions([HASH, NEXT]) }))).to.equal(
      'Claimed',
    );
    const four = nodes(4);
    const smaller = asked({ nodes: four, facts: factsOfAll([0, 1, 2, 3]), cluster: { spec: { nodes: 3 } } });
    expect(planCluster(smaller).removal.operation).to.include({ type: 'Hibernate' });
  });

  it('stops nothing and forms nothing in a cluster that was never formed', () => {
    const never = asked({ nodes: [], facts: [], cluster: { isFormed: false } });
    expect(kinds(never)).to.deep.equal([]);
    expect(reasons(never)).to.deep.equal(['HibernationWaits']);
  });

  it('first takes all members out of the Service, whose clients have their time from then on', () => {
    expect(planCluster(asked({ cluster: { operation: record('Claimed', 1_000) } })).steps).to.deep.include({
      kind: 'setServing',
      node: three[0],
      serving: false,
    });
    const inside = three.map((node) => ({ ...node, serving: false }));
    expect(
      planCluster(asked({ nodes: inside, cluster: { operation: record('Isolating', 1_000) } })).removal.waits,
    ).to.include({
      reason: 'MemberLeaving',
      message: 'demo-0 is being taken out of the client Service',
    });
    const out = planCluster(asked({ nodes: outOfService, cluster: { operation: record('Claimed', 1_000) } })).removal;
    expect(out.operation?.timeline?.at(-1)).to.deep.equal({ phase: 'Isolating', at: '2026-01-01T00:10:00Z' });
  });

  it('gives clients their grace once, although the phase after it is not stored at once', () => {
    const claimed = record('Claimed', 30_000);
    const phases = [
      ['Claimed', 30_000],
      ['Isolating', 7_000],
      ['Proving', 1_000],
    ] as const;
    const timeline = phases.map(([phase, agoMs]) => ({ phase, at: new Date(NOW_MS - agoMs).toISOString() }));
    const again = asked({ nodes: outOfService, cluster: { operation: { ...claimed, timeline } } });
    expect(phaseOf(again)).to.equal('Proving');
    expect(planCluster(again).contents).to.not.equal(undefined);
  });

  for (const seconds of [0, 5, 600])
    it(`waits ${seconds} s for clients, when clientGraceSeconds says so, and no longer, however many stay`, () => {
      const at = (agoMs: number) => {
        const spec = { hibernated: true, removal: { clientGraceSeconds: seconds } };
        const operation = record('Isolating', agoMs);
        return planCluster(asked({ nodes: outOfService, cluster: { operation, spec } })).removal;
      };
      expect(at(seconds * 1_000).operation?.phase).to.equal('Proving');
      const early = at(seconds * 1_000 - 1);
      expect([early.operation?.phase, early.waits?.message]).to.deep.equal([
        'Isolating',
        `clients have ${seconds} s to finish`,
      ]);
    });

  it('gives clients their time once, although nobody stores phases that are over soon', () => {
    const at = (ms: number) => new Date(NOW_MS - ms).toISOString();
    const timeline: Operation['timeline'] = [
      { phase: 'Claimed', at: at(10_000) },
      { phase: 'Isolating', at: at(9_000) },
      { phase: 'Proving', at: at(4_000) },
    ];
    const operation = { ...record('Claimed', 10_000), timeline };
    const { removal } = planCluster(asked({ nodes: outOfService, cluster: { operation } }));
    expect(removal.operation).to.deep.include({ phase: 'Proving', timeline });
  });

  it('stops no member before every record was found on all its homes', () => {
    const proving = asked({ nodes: outOfService, cluster: { operation: record('Proving', 6_000) } });
    expect(phaseOf(proving)).to.equal('Proving');
    expect(kinds(proving)).to.not.include('stopNode');
    expect(phaseOf(compared(proving))).to.equal('Stopping');
  });

  it('is given up when that is not proven in time, and clients are let in again', () => {
    const late = asked({ nodes: outOfService, cluster: { operation: record('Proving', 606_000) } });
    const { operation } = planCluster(late).removal;
    expect(operation).to.include({ phase: 'Waking' });
    expect(operation?.cancel?.reason).to.equal('DeadlineExceeded');
  });

  it('has that time beside the time of its clients', () => {
    const at = (agoMs: number) => {
      const spec = { hibernated: true, removal: { clientGraceSeconds: 600 } };
      return phaseOf(asked({ nodes: outOfService, cluster: { operation: record('Proving', agoMs), spec } }));
    };
    expect([at(1_200_000), at(1_200_001)]).to.deep.equal(['Proving', 'Waking']);
  });

  it('says of what is given up no more than fits into the status', () => {
    const proving = (agoMs: number) => asked({ nodes: outOfService, cluster: { operation: record('Proving', agoMs) } });
    const { comparison } = compared(proving(6_000), { problem: { nodeId: 2, error: 'x'.repeat(2_000) } });
    const { operation } = planCluster({ ...proving(606_000), comparison }).removal;
    expect(operation?.cancel?.message).to.have.lengthOf(1_024);
  });

  it('ends all Pods at once, and is complete when none is left', () => {
    const stopping = asked({ nodes: outOfService, cluster: { operation: record('Stopping') } });
    expect(kinds(stopping)).to.deep.equal(['stopNode', 'stopNode', 'stopNode']);
    const ending = withNode(stoppedNodes(), 2, { pod: pod(2, { isTerminating: true }) });
    expect(phaseOf(asked({ nodes: ending, cluster: { operation: record('Stopping') } }))).to.equal('Stopping');
    expect(phaseOf(asked({ nodes: stoppedNodes(), cluster: { operation: record('Stopping') } }))).to.equal(
      'Hibernated',
    );
  });
});

describe('a hibernated cluster', () => {
  const asleep = (change: Change = {}) =>
    asked({
      nodes: stoppedNodes(),
      facts: [],
      ...change,
      cluster: { operation: record('Hibernated'), ...change.cluster },
    });

  it('is left alone: no step, no comparison, no requeue', () => {
    const plan = planCluster(asleep());
    expect(plan).to.deep.include({ steps: [], contents: undefined, requeueAfterMs: undefined });
    expect(plan.holds.map(({ reason }) => reason)).to.deep.equal(['Hibernated']);
  });

  it('says until when it may be woken, and the command for it', () => {
    const [said] = planCluster(asleep()).holds;
    expect(said?.message).to.include('kubectl mkv wake demo -n default, before 2026-01-07T07:');
  });

  it('does not grow, shrink, update or replace anything, whatever is asked for or missing', () => {
    for (const change of [
      { cluster: { operation: record('Hibernated'), spec: { nodes: 5 } } },
      { cluster: { operation: record('Hibernated'), templateHash: NEXT } },
      { nodes: withNode(stoppedNodes(), 1, { volume: undefined }) },
      { nodes: withNode(stoppedNodes(), 1, { isDeleting: true }) },
    ] satisfies readonly Change[])
      expect(kinds(asleep(change))).to.deep.equal([]);
  });

  it('stops a node again whose stop somebody has undone', () => {
    expect(kinds(asleep({ nodes: withNode(stoppedNodes(), 1, { stopped: undefined }) }))).to.deep.equal(['stopNode']);
  });
});

describe('a cluster that is to be woken', () => {
  const woken = (agoMs: number, change: Change = {}) =>
    asked({
      nodes: stoppedNodes(),
      facts: [],
      ...change,
      cluster: {
        operation: record('Hibernated', agoMs),
        ...change.cluster,
        spec: { hibernated: false, ...change.cluster?.spec },
      },
    });

  for (const [what, agoMs, change, phase] of [
    ['is woken while all members remember every deletion', 6 * DAY_MS - 1_000, {}, 'Waking'],
    ['stays hibernated after that time, less a margin', 7 * DAY_MS - 0.7 * DAY_MS + 1_000, {}, 'Hibernated'],
    ['stays hibernated when the clock was set back to before the stop', -120_000, {}, 'Hibernated'],
    ['is woken when the clock differs a little', -30_000, {}, 'Waking'],
    ['is woken when a person has accepted a loss', 30 * DAY_MS, { cluster: { mayStartAfterOutage: true } }, 'Waking'],
    [
      'is woken when deletions are remembered for longer',
      30 * DAY_MS,
      { nodes: stoppedNodes({ gcGraceSeconds: 40 * 86_400 }) },
      'Waking',
    ],
    [
      'stays hibernated when one member remembers deletions for less time',
      2 * DAY_MS,
      { nodes: withNode(stoppedNodes(), 1, { gcGraceSeconds: 86_400 }) },
      'Hibernated',
    ],
  ] as const satisfies readonly (readonly [string, number, Change, string])[])
    it(what, () => {
      expect(phaseOf(woken(agoMs, change))).to.equal(phase);
    });

  it('is not either when no operator was there between their end and now', () => {
    const stopping = (agoMs: number, change: Change = {}) =>
      woken(0, { ...change, cluster: { operation: record('Stopping', agoMs) } });
    expect(phaseOf(stopping(6 * DAY_MS))).to.equal('Waking');
    expect(phaseOf(stopping(8 * DAY_MS))).to.equal('Hibernated');
    const [said] = planCluster(woken(8 * DAY_MS)).holds;
    expect(said).to.include({ reason: 'HibernatedTooLong', needsPerson: true });
    const running = withNode(stoppedNodes(), 0, { pod: pod(0) });
    expect(phaseOf(stopping(8 * DAY_MS, { nodes: running }))).to.equal('Waking');
  });

  it('says what would allow it to be woken, with the value to set', () => {
    const [said] = planCluster(woken(8 * DAY_MS)).holds;
    expect(said).to.include({ reason: 'HibernatedTooLong', needsPerson: true });
    expect(said?.message).to.include(`raise spec.gcGraceSeconds to ${10 * 86_400} or more`);
  });

  it('takes up the template of the spec before it starts, unless a person has paused the update', () => {
    const changed = { cluster: { templateHash: NEXT }, revisions: keptRevisions([HASH, NEXT]) };
    expect(kinds(woken(60_000, changed))).to.deep.equal(['stampNode', 'stampNode', 'stampNode']);
    const rollout = { approved: undefined, isPaused: true, retry: undefined };
    const blockedText = { ...changed, cluster: { templateHash: NEXT, rollout } };
    expect(phaseOf(woken(60_000, blockedText))).to.equal('Waking');
  });

  it('starts all members at once, and is hibernated again with its old time when none has started yet', () => {
    const waking = { operation: record('Waking', 1_000) };
    expect(kinds(woken(0, { cluster: waking }))).to.deep.equal(['startNode', 'startNode', 'startNode']);
    const again = asked({ nodes: stoppedNodes(), cluster: waking });
    const { operation } = planCluster(again).removal;
    expect(operation?.phase).to.equal('Hibernated');
    expect(operation?.timeline?.filter(({ phase }) => phase === 'Stopping')).to.have.length(1);
  });

  it('is hibernated again when no member has started before deletions may have been forgotten', () => {
    const waking = (agoMs: number) => ({ operation: record('Waking', agoMs) });
    const late = woken(0, { cluster: waking(8 * DAY_MS) });
    expect(kinds(late)).to.deep.equal([]);
    expect(phaseOf(late)).to.equal('Hibernated');
    const accepted = { ...waking(8 * DAY_MS), mayStartAfterOutage: true };
    expect(kinds(woken(0, { cluster: accepted }))).to.deep.equal(['startNode', 'startNode', 'startNode']);
  });

  it('starts no further member by itself when deletions may have been forgotten since the first one was started', () => {
    const running = withNode(stoppedNodes(), 0, { stopped: undefined, pod: pod(0) });
    const late = woken(0, { nodes: running, cluster: { operation: record('Waking', 8 * DAY_MS) } });
    expect(kinds(late)).to.deep.equal([]);
    expect(phaseOf(late)).to.equal('Waking');
    expect(planCluster(late).holds[0]).to.include({ reason: 'HibernatedTooLong', needsPerson: true });
  });

  it('lets in no clients before all members show each other, and is woken when all were compared', () => {
    const waking = { operation: record('Waking', 5_000) };
    const alone = withNode(outOfService, 2, { pod: undefined, answer: notAsked });
    const lines = alone.map((node) =>
      node.answer.kind === 'serving'
        ? { ...node, answer: { ...node.answer, view: node.answer.view.slice(0, 2) } }
        : node,
    );
    expect(kinds(woken(0, { nodes: lines, facts: factsOfAll([0, 1, 2]), cluster: waking }))).to.deep.equal([]);
    expect(kinds(woken(0, { nodes: outOfService, facts: factsOfAll([0, 1, 2]), cluster: waking }))).to.include(
      'setServing',
    );
    const all = woken(0, { nodes: three, facts: factsOfAll([0, 1, 2]), cluster: waking });
    expect(phaseOf(all)).to.equal('Waking');
    expect(planCluster(compared(all)).removal.ended).to.include({ outcome: 'Succeeded', reason: 'Woken' });
  });

  it('ends as it is, for repair, when a volume was lost meanwhile or a member does not come back in time', () => {
    const lost = withNode(three, 1, { volume: volume(1, { uid: 'another' }) });
    const waking = { operation: record('Waking', 5_000) };
    expect(planCluster(woken(0, { nodes: lost, cluster: waking })).removal.ended).to.include({ reason: 'Repairing' });
    const late = { operation: record('Waking', 601_000) };
    const silentOne = withNode(three, 1, { answer: silent });
    expect(planCluster(woken(0, { nodes: silentOne, cluster: late })).removal.ended).to.include({
      outcome: 'Failed',
      reason: 'DeadlineExceeded',
    });
  });

  it('is started from the notes of its nodes when its status was lost', () => {
    const forgotten = woken(0, { cluster: { isFormed: false, operation: undefined } });
    expect(kinds(forgotten)).to.deep.equal(['startNode', 'startNode', 'startNode']);
  });
});
