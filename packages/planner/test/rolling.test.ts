// A changed template: how far the update is, which member's turn is next, what a turn does, and where the update stops.
// Pure; whole updates run in packages/reliability.

import { LABELS } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type ClusterObservation,
  hold,
  type NodeRecord,
  planCluster,
  presentTopology,
  stoppedHold,
} from '../src/index.ts';
import { isMeshDoubtful, isMeshShort, turnFailure } from '../src/operations/rolling/turn-failure.ts';
import { currentUpdate, revisionForNewNodes, revisionsToDrop, revisionsToStore } from '../src/templates/revisions.ts';
import { stampSteps } from '../src/templates/template-without-turn.ts';
import { timeText } from '../src/values/hold.ts';
import {
  freshNode,
  freshPod,
  HASH,
  keptRevisions,
  line,
  NOW_MS,
  node,
  nodes,
  notAsked,
  observation,
  pod,
  serving,
  silent,
  views,
  withNode,
} from './support/builders.ts';
import { factsOfAll } from './support/facts.ts';
import { compared } from './support/reports.ts';

const NEXT = 'bbbbbbbbbbbbbbbb';
const four = nodes(4);
type Change = NonNullable<Parameters<typeof observation>[0]>;
type Stored = NonNullable<ClusterObservation['cluster']['update']>;

/** Four members with the older template; the changed one is asked for. */
const changed = ({ cluster = {}, ...rest }: Change = {}): ClusterObservation =>
  observation({
    nodes: four,
    facts: factsOfAll([0, 1, 2, 3]),
    revisions: keptRevisions([HASH, NEXT]),
    cluster: { templateHash: NEXT, ...cluster, spec: { nodes: 4, ...cluster.spec } },
    ...rest,
  });
const stored = (change: Partial<Stored> = {}): Stored => ({ revision: HASH, updated: 4, total: 4, ...change });
const STOPPED = {
  node: 'demo-3',
  nodeUID: 'node-uid-3',
  reason: 'ImagePullFailed',
  message: 'no such image',
  at: '2026-01-01T00:00:00Z',
} as const;
const stoppedAt = (change: Partial<Stored> = {}) =>
  stored({ revision: NEXT, previous: HASH, updated: 0, stopped: STOPPED, ...change });
const updated = (id: number): NodeRecord =>
  node(id, { templateHash: NEXT, pod: pod(id, { templateHash: NEXT }), answer: serving(views(4)) });
const turnOf = (o: ClusterObservation) => planCluster(o).removal.operation?.roll?.name;

describe('the progress of an update', () => {
  it('counts the Pods that run with the template, not the nodes that name it', () => {
    const stamped = withNode(four, 3, { templateHash: NEXT });
    expect(currentUpdate(changed({ nodes: stamped }))).to.deep.equal({ revision: NEXT, updated: 0, total: 4 });
    expect(currentUpdate(changed({ nodes: [...four.slice(0, 3), updated(3)] })).updated).to.equal(1);
  });

  it('counts a Pod that was taken over as made from the template that its node names', () => {
    const taken = withNode(four, 3, { templateHash: NEXT, pod: pod(3, { templateHash: undefined }) });
    expect(currentUpdate(changed({ nodes: taken })).updated).to.equal(1);
  });

  it('counts members that are up with it, excluding a failed or unfinished turn, a terminating Pod and a member that is down', () => {
    const of = (change: Partial<NodeRecord>) =>
      currentUpdate(changed({ nodes: [...four.slice(0, 3), { ...updated(3), ...change }] })).updated;
    const seen = (change: Parameters<typeof pod>[1]) => ({ pod: pod(3, { templateHash: NEXT, ...change }) });
    expect(of({})).to.equal(1);
    expect(of({ serving: false })).to.equal(0);
    expect(of(seen({ isReady: false }))).to.equal(0);
    expect(of(seen({ isTerminating: true }))).to.equal(0);
  });

  it('names as the template to go back to one that all have, also when a member is down just then', () => {
    const down = withNode(four, 1, { pod: pod(1, { isReady: false }) });
    const update = stored({ updated: 3, previous: 'cccc' });
    expect(currentUpdate(changed({ nodes: down, cluster: { update } })).previous).to.equal(HASH);
    const gone = withNode(four, 1, { templateHash: 'cccc' });
    expect(currentUpdate(changed({ nodes: gone, cluster: { update } })).previous).to.equal('cccc');
  });

  const PREVIOUS: readonly (readonly [string, Stored | undefined, string | undefined])[] = [
    ['nothing, when nothing was stored', undefined, undefined],
    ['the one that all had', stored(), HASH],
    ['the one before that, when the last one was stopped', stored({ stopped: STOPPED, previous: 'cccc' }), 'cccc'],
    ['what it was, while the same one is asked for', stored({ revision: NEXT, previous: 'cccc' }), 'cccc'],
  ];
  for (const [title, update, previous] of PREVIOUS)
    it(`names as the template to go back to ${title}`, () => {
      expect(currentUpdate(changed({ cluster: { update } })).previous).to.equal(previous);
    });

  it('stays stopped until the template changes or a person asks for a retry', () => {
    const retry = (value: string) => ({ approved: undefined, isPaused: false, retry: value });
    const stops = (cluster: Change['cluster']) =>
      currentUpdate(changed({ cluster: { update: stoppedAt(), ...cluster } }));
    expect(stops({}).stopped).to.deep.equal(STOPPED);
    expect(stops({ templateHash: HASH }).stopped).to.equal(undefined);
    expect(stops({ rollout: retry('now') }))
      .to.deep.include({ retried: 'now' })
      .and.not.have.property('stopped');
    const heeded = stoppedAt({ retried: 'now' });
    expect(stops({ update: heeded, rollout: retry('now') }).stopped).to.deep.equal(STOPPED);
  });

  it('while stopped gives new nodes the template that all had, as long as that is stored unaltered', () => {
    const stops = (change: Change = {}) => changed({ cluster: { update: stoppedAt() }, ...change });
    expect(revisionForNewNodes(changed())).to.equal(NEXT);
    expect(revisionForNewNodes(stops())).to.equal(HASH);
    const altered = keptRevisions([HASH, NEXT]).map((one) => (one.hash === HASH ? { ...one, isValid: false } : one));
    expect(revisionForNewNodes(stops({ revisions: altered }))).to.equal(NEXT);
  });
});

describe('the stored templates', () => {
  it('are the one that is asked for and every one that a node was made from', () => {
    expect(revisionsToStore(changed({ revisions: [] }))).to.deep.equal([NEXT, HASH]);
    expect(revisionsToStore(changed())).to.deep.equal([]);
  });

  it('are deleted when no node needs them and five younger ones exist, or when they were altered', () => {
    const older = ['1', '2', '3', '4', '5', '6', '7'];
    const revisions = keptRevisions([...older, HASH, NEXT]);
    const dropped = (o: ClusterObservation) => revisionsToDrop(o).map(({ hash }) => hash);
    expect(dropped(changed({ revisions }))).to.deep.equal(['2', '1']);
    expect(dropped(changed({ revisions, cluster: { update: stored({ previous: '1' }) } }))).to.deep.equal(['2']);
    const altered = revisions.map((one) => (one.hash === '7' ? { ...one, isValid: false } : one));
    expect(dropped(changed({ revisions: altered }))).to.deep.equal(['7', '1']);
  });
});

describe('the next turn of an update', () => {
  it('is that of the highest id with the older template, compared as a number', () => {
    expect(turnOf(changed())).to.equal('demo-3');
    expect(turnOf(changed({ nodes: [...four.slice(0, 3), updated(3)] }))).to.equal('demo-2');
  });

  it('names the template to go back to, and no target, since nothing is removed', () => {
    const { operation } = planCluster(changed()).removal;
    expect(operation?.roll).to.include({ previous: HASH, podUID: 'pod-uid-3', uid: 'node-uid-3' });
    expect(operation).to.include({ type: 'Roll' }).and.not.have.property('target');
  });

  const waits: readonly (readonly [string, Change, RegExp])[] = [
    ['a template that is not stored yet', { revisions: keptRevisions([HASH]) }, /revision b+ is being stored/],
    ['a member that is down', { nodes: withNode(four, 0, { pod: undefined, answer: notAsked }) }, /demo-0 has no Pod/],
    ['a member that is silent', { nodes: withNode(four, 1, { answer: silent }) }, /demo-1 has not answered/],
    [
      'a node that has never joined',
      { nodes: [...four.slice(0, 3), freshNode(3, { templateHash: NEXT })] },
      /demo-3 joins first/,
    ],
    [
      'one that is not behind the Service yet',
      { nodes: withNode(four, 1, { pod: pod(1, { labels: {} }) }) },
      /demo-1 is let in to clients first/,
    ],
    ['an incomplete mesh', { facts: factsOfAll([0, 1, 2, 3], {}, { 2: { meshPeers: 1 } }) }, /demo-2 has 1 of 3 mesh/],
  ];
  for (const [title, change, message] of waits)
    it(`waits for ${title}`, () => {
      const plan = planCluster(changed(change));
      expect(plan.removal.operation?.roll).to.equal(undefined);
      expect([plan.turnWaits?.message, ...plan.holds.map((hold) => hold.message)].join()).to.match(message);
    });

  it('waits without a requeue of its own while members of other clusters are restarted first', () => {
    const topology = presentTopology(changed().nodes)?.hash ?? '';
    const verification = { state: 'Covered', topology, at: '2026-01-01T00:00:00Z', message: 'compared' } as const;
    const plan = planCluster(changed({ isInLine: true, cluster: { verification } }));
    expect(plan.removal.operation).to.equal(undefined);
    expect(plan.requeueAfterMs ?? Number.POSITIVE_INFINITY, 'but for what is due at rest').to.be.above(60_000);
    expect(plan.turnWaits?.reason).to.equal('RolloutInLine');
    expect(plan.turnWaits?.message).to.match(/^demo-3 waits: .* others were first$/);
  });

  const rests: readonly (readonly [string, Change['cluster'], string])[] = [
    ['a person has paused it', { rollout: { approved: undefined, isPaused: true, retry: undefined } }, 'RolloutPaused'],
    ['Pods are to be deleted by hand', { spec: { update: { type: 'OnDelete' } } }, 'RolloutOnDelete'],
    ['it has stopped', { update: stoppedAt() }, 'RolloutStopped'],
  ];
  for (const [title, cluster, reason] of rests)
    it(`does not begin while ${title}`, () => {
      const plan = planCluster(changed({ cluster: cluster ?? {} }));
      expect([plan.resting?.reason, plan.removal.operation]).to.deep.equal([reason, undefined]);
    });

  it('does not begin after the canaries until a person has approved this very revision', () => {
    const spec = { update: { canaryNodes: 1 } };
    const list = [...four.slice(0, 3), updated(3)];
    const with_ = (approved: string | undefined) =>
      planCluster(
        changed({ nodes: list, cluster: { spec, rollout: { approved, isPaused: false, retry: undefined } } }),
      );
    expect(with_(undefined).resting?.reason).to.equal('RolloutAwaitsApproval');
    expect(with_('another').resting?.reason).to.equal('RolloutAwaitsApproval');
    expect(with_(NEXT).removal.operation?.roll?.name).to.equal('demo-2');
    expect(turnOf(changed({ cluster: { spec } }))).to.equal('demo-3');
  });

  it('comes after the replacement of a node that has to go', () => {
    const o = changed({ nodes: withNode(four, 1, { isDeleting: true, deletedAtMs: NOW_MS }) });
    expect(planCluster(o).steps.map(({ kind }) => kind)).to.include('createNode');
    expect(turnOf(o)).to.equal(undefined);
  });

  it('comes after a removal that was asked for together with it', () => {
    const { operation } = planCluster(changed({ cluster: { spec: { nodes: 3 } } })).removal;
    expect(operation).to.include({ type: 'Remove' }).and.not.have.property('roll');
  });

  it('comes after such a removal also while the hosts, which decide who is removed, have yet to be asked about', () => {
    const hosts: ClusterObservation['hosts'] = new Map([['host-0', 'notAsked']]);
    const fewer = changed({ cluster: { spec: { nodes: 3 } }, hosts });
    expect(planCluster(fewer).removal.operation).to.equal(undefined);
    expect(turnOf(changed({ hosts })), 'without a removal').to.equal('demo-3');
  });

  it('comes after growth', () => {
    expect(planCluster(changed({ cluster: { spec: { nodes: 5 } } })).steps.map(({ kind }) => kind)).to.include(
      'createNode',
    );
    expect(turnOf(changed({ cluster: { spec: { nodes: 5 } } }))).to.equal(undefined);
  });
});

describe('a member that is about to be restarted', () => {
  const isolating: NonNullable<ClusterObservation['cluster']['operation']> = {
    id: '3-turn',
    type: 'Roll',
    roll: { name: 'demo-3', uid: 'node-uid-3', nodeId: 3, podUID: 'pod-uid-3', previous: HASH },
    specGeneration: 1,
    phase: 'Isolating',
    startedAt: new Date(NOW_MS - 60_000).toISOString(),
    timeline: [],
  };

  it('is restarted 5 s after no client is sent to it any more, whatever clientGraceSeconds says and however many stay', () => {
    const view = four.map(({ id }) => line(id, { hasPrimaries: id !== 3 }));
    const leaving = { intent: 'Leaving', serving: false, pod: pod(3, { isLeaving: true }) } as const;
    const at = (clientGraceSeconds: number, ms: number) => {
      const { monotonicMs } = observation();
      const shown = { view, shownSinceMs: monotonicMs - 60_000 };
      const o = changed({
        nodes: withNode(four, 3, leaving).map((one) => ({ ...one, answer: serving(view) })),
        facts: factsOfAll([0, 1, 2, 3], shown, { 1: { shownSinceMs: monotonicMs - ms } }),
        cluster: { operation: isolating, spec: { removal: { clientGraceSeconds } } },
        isolatedSinceMs: monotonicMs - 10_000,
      });
      const plan = planCluster(compared(o, { startedAtMs: monotonicMs, scannedAtMs: monotonicMs }));
      return plan.steps.map(({ kind }) => kind);
    };
    for (const seconds of [0, 5, 600])
      expect([at(seconds, 5_000), at(seconds, 4_999)], `${seconds}`).to.deep.equal([['restartNode'], []]);
  });

  it('is restarted after more than 15 s out of the Service, however long its turn has taken before', () => {
    const leaving = withNode(four, 3, { intent: 'Leaving', serving: false, pod: pod(3, { isLeaving: true }) });
    const { monotonicMs } = observation();
    const since = (ms: number | undefined) =>
      changed({
        nodes: leaving,
        cluster: { operation: isolating },
        isolatedSinceMs: ms === undefined ? undefined : monotonicMs - ms,
      });
    for (const ms of [undefined, 0, 15_000]) {
      const plan = planCluster(since(ms));
      expect([plan.steps, plan.removal.waits?.reason], `${ms}`).to.deep.equal([[], 'MemberLeaving']);
    }
    expect(planCluster(compared(since(15_001))).steps.map(({ kind }) => kind)).to.deep.equal(['restartNode']);
  });
});

describe('a member that was restarted', () => {
  const ID = '3-turn';
  const turn: NonNullable<ClusterObservation['cluster']['operation']> = {
    id: ID,
    type: 'Roll',
    roll: { name: 'demo-3', uid: 'node-uid-3', nodeId: 3, podUID: 'pod-uid-before', previous: HASH },
    specGeneration: 1,
    phase: 'Restarting',
    startedAt: new Date(NOW_MS - 10_000).toISOString(),
    timeline: [{ phase: 'Restarting', at: new Date(NOW_MS - 5_000).toISOString() }],
  };
  const young = pod(3, { templateHash: NEXT, createdAtMs: NOW_MS - 5_000 });
  const back = withNode(four, 3, { ...updated(3), pod: young, serving: false, removalMark: ID });
  const during = (change: Change = {}) => changed({ nodes: back, ...change, cluster: { operation: turn } });
  const AGREED_MS = 996_000;
  const facts = (differs: Parameters<typeof factsOfAll>[2] = {}) =>
    factsOfAll([0, 1, 2, 3], { shownSinceMs: AGREED_MS }, differs);

  it('is compared from when all members show each other until its turn ends, since earlier answers do not count', () => {
    const apart = facts({ 1: { digest: 'of a moment ago' } });
    expect(planCluster(during({ facts: apart })).contents).to.equal(undefined);
    const unmeshed = facts({ 1: { meshPeers: 2 } });
    const { contents } = planCluster(during({ facts: unmeshed }));
    expect(contents).to.deep.include({ purpose: 'settling', isKeptFresh: true, sinceMs: AGREED_MS });
    expect(contents?.sources).to.deep.equal([0, 1, 2, 3]);
  });

  it('is still compared when one member is late to answer', () => {
    const begun = compared(during({ facts: facts() }));
    const late = { ...begun, facts: facts({ 1: { atMs: AGREED_MS - 10_000 } }) };
    expect(planCluster(late).contents?.purpose).to.equal('settling');
  });

  describe('with a failed mesh after it served clients', () => {
    const short = facts({ 3: { meshPeers: 2, figures: { meshPeers: 2 } } });
    const served = withNode(back, 3, { serving: true, removalMark: undefined });
    const unmeshed = { unmeshedSinceMs: observation().monotonicMs - 30_000, facts: short };
    const goesBack = { ...turn, phase: 'RollingBack', cancel: { reason: 'MeshIncomplete', message: 'why' } } as const;
    const goingBack = (nodes: readonly NodeRecord[], cluster: Change['cluster'] = {}, phaseMs = 1_000) =>
      changed({
        nodes,
        ...unmeshed,
        cluster: {
          update: stoppedAt(),
          operation: { ...goesBack, timeline: [{ phase: 'RollingBack', at: timeText(NOW_MS - phaseMs) }] },
          ...cluster,
        },
      });

    it('goes back to the older template', () => {
      const old = withNode(served, 3, { pod: { ...young, createdAtMs: NOW_MS - 60_000 } });
      const { removal } = planCluster(changed({ nodes: old, ...unmeshed, cluster: { operation: turn } }));
      expect(removal.operation?.phase).to.equal('RollingBack');
    });
    it('first leaves its clients on the way back', () => {
      expect(planCluster(goingBack(served)).steps.map(({ kind }) => kind)).to.deep.equal(['isolate']);
    });
    it('waits up to 30 s on the way back until the others have what clients wrote to it', () => {
      const leaving = withNode(back, 3, { intent: 'Leaving', pod: { ...young, isLeaving: true } });
      const steps = (phaseMs: number) =>
        planCluster(goingBack(leaving, {}, phaseMs)).steps.map((step) => ('revision' in step ? step.revision : ''));
      expect(steps(30_000)).to.deep.equal([]);
      expect(steps(30_001)).to.deep.equal([HASH]);
    });
  });

  describe('when it does not come up with the older template either', () => {
    const failedBack = withNode(four, 3, {
      serving: false,
      removalMark: undefined,
      answer: notAsked,
      pod: pod(3, { isReady: false, restartCount: 3, uid: 'pod-uid-again' }),
    });
    const ends = (templateHash: string) =>
      planCluster(
        changed({
          nodes: failedBack,
          revisions: keptRevisions([HASH, NEXT, 'cccccccccccccccc']),
          cluster: { templateHash, update: stoppedAt(), operation: { ...turn, phase: 'RollingBack' } },
        }),
      );

    it('leaves the update stopped', () => {
      const { update, removal } = ends(NEXT);
      expect(removal.ended?.reason).to.equal('RolloutStopped');
      expect(update.stopped?.reason).to.equal('CrashLooping');
    });
    it('does not stop an update to a template that was asked for meanwhile, which was never tried', () => {
      const { update, removal } = ends('cccccccccccccccc');
      expect(removal.ended).to.include({ outcome: 'Failed', reason: 'CrashLooping' });
      expect(update).to.include({ revision: 'cccccccccccccccc' }).and.not.have.property('stopped');
    });
  });

  describe('when the template has changed again', () => {
    const other = (change: Partial<NodeRecord>, phase: 'Restarting' | 'RollingBack' = 'Restarting') => {
      const outdated = { ...updated(3), pod: { ...young, templateHash: HASH }, templateHash: HASH };
      const seen = changed({
        nodes: withNode(four, 3, { ...outdated, serving: false, removalMark: ID, ...change }),
        facts: facts(),
        cluster: { operation: { ...turn, phase, roll: { ...turn.roll, previous: NEXT } as typeof turn.roll } },
      });
      return planCluster(seen).steps.map(({ kind }) => kind);
    };

    it('is restarted again as long as it is not Active', () => {
      expect(other({ answer: notAsked })).to.deep.equal(['restartNode']);
    });
    it('first completes its turn when it is Active, since clients that know homes write to it', () => {
      expect(other({})).to.deep.equal(['endRestart']);
    });
    it('goes back, Active or not, when it has failed', () => {
      expect(other({}, 'RollingBack')).to.deep.equal(['restartNode']);
    });
  });

  it('serves no clients before the mesh is complete, even when it was compared', () => {
    const unmeshed = compared(during({ facts: facts({ 1: { meshPeers: 2 } }) }));
    expect(planCluster(unmeshed).steps).to.deep.equal([]);
    const meshed = { ...unmeshed, facts: facts() };
    expect(planCluster(meshed).steps.map(({ kind }) => kind)).to.deep.equal(['endRestart']);
  });

  it('serves clients after a failed turn only once its mesh is complete, whatever template is asked for', () => {
    const failed = withNode(four, 3, { serving: false, wasActive: true });
    const lastOperation: NonNullable<ClusterObservation['cluster']['lastOperation']> = {
      id: ID,
      type: 'Roll',
      roll: turn.roll,
      outcome: 'Failed',
      reason: 'MeshIncomplete',
      startedAt: turn.startedAt,
      finishedAt: turn.startedAt,
    };
    const letIn = (meshPeers: number) =>
      planCluster(changed({ nodes: failed, facts: facts({ 3: { meshPeers } }), cluster: { lastOperation } })).steps.map(
        ({ kind }) => kind,
      );
    expect(letIn(2)).to.deep.equal([]);
    expect(letIn(3)).to.deep.equal(['setServing']);
  });

  it('is behind the Service before the next member is taken out of it', () => {
    const served = withNode(back, 3, { serving: true, removalMark: undefined });
    const nextOf = (nodes: readonly NodeRecord[]) =>
      planCluster(compared(during({ nodes, facts: facts() }))).removal.operation?.roll?.name;
    expect(nextOf(served)).to.equal('demo-2');
    const labels = Object.fromEntries(Object.entries(young.labels).filter(([name]) => name !== LABELS.serving));
    expect(nextOf(withNode(served, 3, { pod: { ...young, labels } }))).to.equal('demo-3');
  });

  it('is named in the hold of a pause, since nothing brings it back meanwhile', () => {
    const paused = (nodes: readonly NodeRecord[]) =>
      planCluster(changed({ nodes, cluster: { operation: turn, spec: { paused: true } } })).holds.map(
        ({ reason, message }) => `${reason}: ${message}`,
      );
    expect(paused(back)).to.deep.equal([
      'Paused: spec.paused is true; demo-3 is in the middle of its turn and serves no clients before it goes on: kubectl mkv resume demo',
    ]);
    expect(paused(four)).to.deep.equal(['Paused: spec.paused is true']);
  });

  it('does not count as updated when its turn failed and it is not to go back', () => {
    const failed = withNode([0, 1, 2, 3].map(updated), 3, { serving: false });
    const plan = planCluster(changed({ nodes: failed, cluster: { update: stoppedAt() } }));
    expect(plan.update).to.include({ updated: 3, total: 4 });
    expect(plan.resting?.reason).to.equal('RolloutStopped');
  });
});

describe('a template without a turn', () => {
  const stamped = (o: ClusterObservation) =>
    stampSteps(o).flatMap((step) => (step.kind === 'stampNode' ? [`${step.node.name} ${step.revision}`] : []));
  const broken = (reason: string) =>
    withNode(four, 1, {
      answer: silent,
      pod: pod(1, { phase: 'Pending', isReady: false, waiting: { reason, message: 'no' } }),
    });

  for (const reason of ['ImagePullBackOff', 'CrashLoopBackOff', 'CreateContainerConfigError'])
    it(`is taken up by a member that cannot run: ${reason}`, () => {
      expect(stamped(changed({ nodes: broken(reason) }))).to.deep.equal([`demo-1 ${NEXT}`]);
    });

  it('is not taken up by a member that runs, or is merely starting', () => {
    expect(stamped(changed())).to.deep.equal([]);
    expect(stamped(changed({ nodes: withNode(four, 1, { pod: freshPod(1), answer: notAsked }) }))).to.deep.equal([]);
  });

  it('is taken up by every node with OnDelete, so that a deleted Pod never comes back with an older one', () => {
    expect(stamped(changed({ cluster: { spec: { update: { type: 'OnDelete' } } } }))).to.have.length(4);
  });

  it('is withdrawn from a member that cannot run once the update has stopped, unless rollbackOnFailure is false', () => {
    const bad = withNode(broken('ImagePullBackOff'), 1, { templateHash: NEXT, uid: 'node-uid-3' }).map((one) =>
      one.id === 1 && one.pod !== undefined ? { ...one, pod: { ...one.pod, ownerUid: 'node-uid-3' } } : one,
    );
    const o = (rollbackOnFailure: boolean) =>
      changed({ nodes: bad, cluster: { update: stoppedAt(), spec: { update: { rollbackOnFailure } } } });
    expect(stamped(o(true))).to.deep.equal([`demo-1 ${HASH}`]);
    expect(stamped(o(false))).to.deep.equal([]);
  });
});

describe('the failure of a turn', () => {
  const NO_CHECKS = { checks: [] };
  const restarted = (ageMs: number, change: Parameters<typeof pod>[1]): NodeRecord =>
    node(3, {
      templateHash: NEXT,
      answer: notAsked,
      pod: pod(3, { templateHash: NEXT, isReady: false, createdAtMs: NOW_MS - ageMs, ...change }),
    });
  const failing = (one: NodeRecord, sinceMs = NOW_MS - 1_000) =>
    turnFailure(changed(), one, sinceMs, NO_CHECKS)?.reason;
  const waiting = (reason: string) => ({ phase: 'Pending', waiting: { reason, message: 'why' } });

  const FORMAT = {
    phase: 'Running',
    waiting: { reason: 'RunContainerError', message: 'exec /usr/local/bin/marekvs: exec format error' },
  };

  const BACK_OFF = { phase: 'Running', waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } };

  const ROWS: readonly (readonly [string, NodeRecord, string | undefined])[] = [
    ['when a first pull has failed, which may mend itself', restarted(5_000, waiting('ErrImagePull')), undefined],
    [
      'when the first pull has been failing for a minute',
      restarted(61_000, waiting('ErrImagePull')),
      'ImagePullFailed',
    ],
    ['when a second pull has failed', restarted(5_000, waiting('ImagePullBackOff')), 'ImagePullFailed'],
    ['when the name of the image is invalid', restarted(1_000, waiting('InvalidImageName')), 'ImagePullFailed'],
    [
      'when the image is not signed as required',
      restarted(5_000, waiting('SignatureValidationFailed')),
      'ImagePullFailed',
    ],
    ['when the image is for another architecture', restarted(61_000, FORMAT), 'ContainerConfigInvalid'],
    ['when such an image was started three times', restarted(20_000, { ...FORMAT, restartCount: 3 }), 'CrashLooping'],
    [
      'when the configuration of the container is wrong, which may be corrected',
      restarted(5_000, waiting('CreateContainerConfigError')),
      undefined,
    ],
    [
      'when that configuration has been wrong for a minute',
      restarted(61_000, waiting('CreateContainerConfigError')),
      'ContainerConfigInvalid',
    ],
    ['after two crashes', restarted(20_000, { restartCount: 2 }), undefined],
    ['after three crashes', restarted(20_000, { restartCount: 3 }), 'CrashLooping'],
    ['in back-off after a second crash', restarted(10_000, { ...BACK_OFF, restartCount: 1 }), undefined],
    ['in back-off after a third crash', restarted(25_000, { ...BACK_OFF, restartCount: 2 }), 'CrashLooping'],
    ['in back-off less than a minute after the start', restarted(59_999, { ...BACK_OFF, restartCount: 1 }), undefined],
    ['in back-off a minute after the start', restarted(60_000, { ...BACK_OFF, restartCount: 1 }), 'CrashLooping'],
    ['without a host, which may be on its way', restarted(30_000, { ...waiting(''), unschedulable: 'no' }), undefined],
    ['without a host for a minute', restarted(61_000, { ...waiting(''), unschedulable: 'no' }), 'PodUnschedulable'],
    ['while the member joins before its deadline', restarted(599_000, {}), undefined],
    ['while the member still joins after its deadline', restarted(601_000, {}), 'DeadlineExceeded'],
    [
      'because of the Pod from before the turn',
      restarted(61_000, { ...waiting('ImagePullBackOff'), templateHash: HASH }),
      undefined,
    ],
    [
      'because of a Pod that is terminating',
      restarted(61_000, { ...waiting('ImagePullBackOff'), isTerminating: true }),
      undefined,
    ],
  ];
  for (const [title, one, reason] of ROWS)
    it(`is ${reason ?? 'not found'} ${title}`, () => {
      expect(failing(one)).to.equal(reason);
    });

  it('has the words of the host, for example about an image without the architecture', () => {
    const message = 'no match for platform in manifest: not found';
    const one = restarted(5_000, { phase: 'Pending', waiting: { reason: 'ImagePullBackOff', message } });
    expect(turnFailure(changed(), one, NOW_MS - 1_000, NO_CHECKS)?.message).to.contain(message);
  });

  it('is found when the Pod is refused for a minute, and not while it waits for something else', () => {
    const refused = node(3, { templateHash: NEXT, pod: undefined, answer: notAsked, reportedReason: 'QuotaExceeded' });
    expect(failing(refused, NOW_MS - 59_000)).to.equal(undefined);
    expect(failing(refused, NOW_MS - 60_000)).to.equal('QuotaExceeded');
    expect(failing({ ...refused, reportedReason: 'WaitingForTurn' }, NOW_MS - 90_000)).to.equal(undefined);
  });

  describe('because of the mesh', () => {
    const OPEN = {
      name: 'meshComplete',
      passed: false,
      value: '2 of 3',
      hold: hold('MeshIncomplete', 'not whole'),
    } as const;
    const one = node(3, {
      templateHash: NEXT,
      answer: serving(views(4)),
      pod: pod(3, { templateHash: NEXT, createdAtMs: NOW_MS - 31_000 }),
    });
    /** What members count, which may have an observer in it. */
    const seen = (counts: Readonly<Record<number, number>>, peers = counts) => {
      const differs = Object.fromEntries(
        Object.keys(counts).map((id) => [
          id,
          { meshPeers: peers[Number(id)], figures: { meshPeers: counts[Number(id)] } },
        ]),
      );
      return changed({ nodes: [...four.slice(0, 3), one], facts: factsOfAll([0, 1, 2, 3], {}, differs) });
    };
    const failure = (o: ClusterObservation, restarted = one) =>
      turnFailure(o, restarted, NOW_MS - 40_000, { checks: [OPEN] })?.reason;
    const openFor = (ms: number | undefined, counts: Readonly<Record<number, number>>): ClusterObservation => {
      const o = seen(counts);
      return { ...o, unmeshedSinceMs: ms === undefined ? undefined : o.monotonicMs - ms };
    };

    for (const id of [1, 3])
      it(`is found when demo-${id} counts too few connections for 30 s, and not for a shorter break of the network`, () => {
        for (const ms of [undefined, 1_000, 29_999])
          expect(failure(openFor(ms, { [id]: 2 })), `${ms}`).to.equal(undefined);
        expect(failure(openFor(30_000, { [id]: 2 }))).to.equal('MeshIncomplete');
      });
    it('is not found from old figures of a member that has given none since', () => {
      const now = openFor(30_000, { 1: 2 });
      const late = { ...now, monotonicMs: now.monotonicMs + 60_000 };
      expect([isMeshShort(now), isMeshShort(late)]).to.deep.equal([true, false]);
      expect(failure({ ...late, unmeshedSinceMs: now.monotonicMs - 30_000 })).to.equal(undefined);
    });
    it('is not found before its Pod has run for as long', () => {
      const young = { ...one, pod: pod(3, { templateHash: NEXT, createdAtMs: NOW_MS - 29_999 }) };
      expect(failure(openFor(60_000, { 3: 2 }), young)).to.equal(undefined);
    });
    it('is not found when the missing connection may be the operator’s, and no member is compared until that is clear', () => {
      const doubtful = seen({ 0: 3, 3: 3 }, { 0: 2, 3: 2 });
      expect(failure(doubtful)).to.equal(undefined);
      expect(isMeshDoubtful(doubtful, one, { checks: [OPEN] })).to.equal(true);
      expect(isMeshDoubtful(doubtful, one, { checks: [] })).to.equal(false);
      const young = { ...one, pod: pod(3, { templateHash: NEXT, createdAtMs: NOW_MS - 29_000 }) };
      expect(isMeshDoubtful(doubtful, young, { checks: [OPEN] })).to.equal(false);
    });
  });

  it('is reported with the member, the cause and the revision', () => {
    expect(stoppedHold(changed({ cluster: { update: stoppedAt() } }))).to.include({
      reason: 'RolloutStopped',
      message: `the update to revision ${NEXT} has stopped at demo-3: no such image`,
      needsPerson: true,
    });
  });
});
