// One member's turn of a rolling update, where it does not simply go on: before anything was done, while the member is
// isolated, and when the turn has failed.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ClusterObservation, comingTurns, isTurnPending, type NodeRecord, planCluster } from '../../src/index.ts';
import { stampSteps } from '../../src/templates/template-without-turn.ts';
import {
  HASH,
  joining,
  keptRevisions,
  MONOTONIC_MS,
  NOW_MS,
  node,
  nodes,
  notAsked,
  observation,
  pod,
  serving,
  silent,
  views,
  volume,
  withNode,
} from '../support/builders.ts';
import { digestOf, factsOfAll } from '../support/facts.ts';
import { compared } from '../support/reports.ts';

const NEXT = 'bbbbbbbbbbbbbbbb';
const ID = '3-turn';
const four = nodes(4);
type Change = NonNullable<Parameters<typeof observation>[0]>;
type Operation = NonNullable<ClusterObservation['cluster']['operation']>;

/** It is the turn of demo-3. */
function turn(change: Partial<Operation> = {}): Operation {
  return {
    id: ID,
    type: 'Roll',
    roll: { name: 'demo-3', uid: 'node-uid-3', nodeId: 3, podUID: 'pod-uid-3', previous: HASH },
    specGeneration: 1,
    phase: 'Claimed',
    startedAt: new Date(NOW_MS - 10_000).toISOString(),
    timeline: [],
    ...change,
  };
}

/** Four members, of which demo-3 has its turn to take up a changed template. */
const during = ({ cluster = {}, ...rest }: Change = {}): ClusterObservation =>
  observation({
    nodes: four,
    facts: factsOfAll([0, 1, 2, 3]),
    revisions: keptRevisions([HASH, NEXT]),
    ...rest,
    cluster: { templateHash: NEXT, operation: turn(), ...cluster, spec: { nodes: 4, ...cluster.spec } },
  });
const PAUSED = { approved: undefined, isPaused: true, retry: undefined };
const kinds = (o: ClusterObservation) => planCluster(o).steps.map(({ kind }) => kind);

describe('a turn of which nothing has been done yet', () => {
  it('begins by isolating the member', () => {
    expect(kinds(during())).to.deep.equal(['isolate']);
  });

  const ends: readonly (readonly [string, Change, string])[] = [
    ['when the template it has is asked for again', { cluster: { templateHash: HASH } }, 'CancelledByUser'],
    [
      'when it does not run any more',
      { nodes: withNode(four, 3, { pod: pod(3, { isReady: false, phase: 'Pending' }), answer: notAsked }) },
      'MemberSilent',
    ],
    ['when it is silent', { nodes: withNode(four, 3, { answer: silent }) }, 'MemberSilent'],
    ['when a person pauses the update', { cluster: { rollout: PAUSED } }, 'RolloutPaused'],
    ['when it is to go', { nodes: withNode(four, 3, { isDeleting: true, deletedAtMs: NOW_MS }) }, 'Repairing'],
  ];
  for (const [title, change, reason] of ends)
    it(`ends, with no other turn after it, ${title}`, () => {
      const { removal, steps } = planCluster(during(change));
      expect(removal.ended).to.include({ outcome: 'Cancelled', reason });
      expect(removal.operation).to.equal(undefined);
      expect(steps.filter(({ kind }) => kind === 'isolate' || kind === 'restartNode')).to.deep.equal([]);
    });
});

describe('a member that was told to leave for its turn', () => {
  const leaving = withNode(four, 3, {
    intent: 'Leaving',
    serving: false,
    removalMark: ID,
    pod: pod(3, { isLeaving: true }),
  });
  const told = (startedMs: number, cluster: Change['cluster'] = {}) =>
    during({
      nodes: leaving,
      cluster: {
        operation: turn({ phase: 'Isolating', startedAt: new Date(NOW_MS - startedMs).toISOString() }),
        ...cluster,
      },
    });

  it('is taken back when the template it has is asked for again', () => {
    const { operation } = planCluster(told(10_000, { templateHash: HASH })).removal;
    expect(operation).to.include({ phase: 'Cancelling' });
    expect(operation?.cancel?.reason).to.equal('CancelledByUser');
  });

  it('is taken back at the deadline, and the update has stopped at it', () => {
    const deadlineMs = during().cluster.spec.update.progressDeadlineSeconds * 1_000;
    const before = planCluster(told(deadlineMs));
    expect([before.removal.operation?.phase, before.update.stopped]).to.deep.equal(['Proving', undefined]);
    const after = planCluster(told(deadlineMs + 1));
    expect(after.removal.operation?.phase).to.equal('Cancelling');
    expect(after.update.stopped).to.include({ node: 'demo-3', reason: 'DeadlineExceeded' });
  });
});

describe('a turn that has failed', () => {
  const failed = pod(3, { templateHash: NEXT, uid: 'pod-uid-new', isReady: false, restartCount: 3 });
  const list = withNode(four, 3, {
    templateHash: NEXT,
    serving: false,
    removalMark: ID,
    answer: notAsked,
    pod: failed,
  });
  const after = (change: Change = {}, nodesSeen: readonly NodeRecord[] = list) =>
    planCluster(
      during({ nodes: nodesSeen, ...change, cluster: { operation: turn({ phase: 'Restarting' }), ...change.cluster } }),
    );

  it('goes back to the template that the member had', () => {
    const { removal, update } = after();
    expect(removal.operation?.phase).to.equal('RollingBack');
    expect(update.stopped).to.include({ node: 'demo-3', reason: 'CrashLooping' });
  });

  it('says no more than fits into the status, whatever its host has said: neither then nor at its end', () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'x'.repeat(2_000) };
    const pulling = withNode(list, 3, { pod: { ...failed, restartCount: 0, waiting } });
    const { operation } = after({}, pulling).removal;
    expect(operation?.phase).to.equal('RollingBack');
    expect(operation?.cancel?.message).to.have.lengthOf(1_024);
    const spec = { update: { rollbackOnFailure: false } };
    const unmarked = withNode(pulling, 3, { removalMark: undefined });
    expect(after({ cluster: { spec } }, unmarked).removal.ended?.message).to.have.lengthOf(1_024);
  });

  it('does not go back when rollbackOnFailure is false: the mark is removed, and clients are kept away', () => {
    const { removal, steps } = after({ cluster: { spec: { update: { rollbackOnFailure: false } } } });
    expect(removal.operation?.phase).to.equal('Restarting');
    expect(steps).to.deep.equal([{ kind: 'endRestart', node: list[3], serving: false }]);
  });

  it('does not go back to a template that is not stored unaltered', () => {
    const { removal } = after({ revisions: keptRevisions([NEXT]) });
    expect(removal.operation?.phase).to.equal('Restarting');
  });

  describe('with a template that is not asked for any more', () => {
    const asked = (templateHash: string, change: Partial<NodeRecord> = {}) =>
      after(
        { cluster: { templateHash }, revisions: keptRevisions([HASH, NEXT, 'cccccccccccccccc']) },
        withNode(list, 3, change),
      );
    // It shows itself Active, so that its turn has gone on so far.
    const unmeshed = { answer: serving(views(4)), pod: { ...failed, isReady: true } };

    for (const hash of [HASH, 'cccccccccccccccc'])
      it(`stops nothing: the member gets what is asked for (${hash.slice(0, 1)})`, () => {
        const { update, steps, removal } = asked(hash, unmeshed);
        expect([update.stopped, removal.operation?.phase]).to.deep.equal([undefined, 'Restarting']);
        expect(steps.map((step) => (step.kind === 'restartNode' ? step.revision : step.kind))).to.deep.equal([hash]);
      });
    it('takes its clients off first where they were let in', () => {
      const { update, removal } = asked(HASH, { ...unmeshed, serving: true, removalMark: undefined });
      expect([update.stopped, removal.operation?.phase]).to.deep.equal([undefined, 'RollingBack']);
    });
  });

  it('is nobody else’s turn next, in the very write that ends it', () => {
    // It is up just now: nothing else would keep the next one.
    const up = { ...failed, isReady: true, uid: 'pod-uid-3' };
    const unmarked = withNode(list, 3, { removalMark: undefined, answer: serving(views(4)), pod: up });
    const roll = { name: 'demo-3', uid: 'node-uid-3', nodeId: 3, podUID: 'pod-uid-before', previous: HASH };
    const cluster = {
      operation: turn({ phase: 'Restarting', roll }),
      spec: { update: { rollbackOnFailure: false } },
    };
    const { removal, update } = after({ cluster }, unmarked);
    expect(removal.ended).to.include({ outcome: 'Failed', reason: 'RolloutStopped' });
    expect(removal.operation).to.equal(undefined);
    expect(update.stopped?.node).to.equal('demo-3');
  });
});

describe('a turn beside full disks, which refuse the writes of clients', () => {
  const FULL = { figures: { writeStopped: 1 } };
  const leaving = withNode(four, 3, {
    intent: 'Leaving',
    serving: false,
    removalMark: ID,
    pod: pod(3, { isLeaving: true, labels: {} }),
  });
  const view = views(4).map((line) => (line.id === 3 ? { ...line, hasPrimaries: false } : line));
  const shown = leaving.map((one) => ({ ...one, answer: { ...serving(view), digest: digestOf(view) } }));
  const proving = (phase: Operation['phase'] = 'Proving') =>
    during({
      nodes: shown,
      facts: factsOfAll([0, 1, 2, 3], { view, ...FULL }),
      cluster: { operation: turn({ phase }) },
    });

  it('begins: what mends them may come with it', () => {
    const o = observation({
      nodes: four,
      facts: factsOfAll([0, 1, 2, 3], FULL),
      revisions: keptRevisions([HASH, NEXT]),
      cluster: { templateHash: NEXT, spec: { nodes: 4 } },
    });
    expect(planCluster(o).removal.operation?.roll?.name).to.equal('demo-3');
  });
  it('goes on when what the member has was seen elsewhere, and not before', () => {
    const waits = planCluster(proving());
    expect([waits.steps, waits.removal.waits?.reason]).to.deep.equal([[], 'ComparingContents']);
    expect(kinds(compared(proving()))).to.deep.equal(['restartNode']);
  });
  it('ends when the member is compared in its new Pod', () => {
    const roll = { name: 'demo-3', uid: 'node-uid-3', nodeId: 3, podUID: 'pod-uid-before', previous: HASH };
    const back = during({
      nodes: withNode(four, 3, { templateHash: NEXT, pod: pod(3, { templateHash: NEXT }), answer: serving(views(4)) }),
      facts: factsOfAll([0, 1, 2, 3], { shownSinceMs: MONOTONIC_MS - 4_000, ...FULL }),
      cluster: { operation: turn({ phase: 'CatchingUp', roll }) },
    });
    expect(planCluster(back).removal.ended).to.equal(undefined);
    expect(planCluster(compared(back)).removal.ended?.outcome).to.equal('Succeeded');
  });
  it('of a member that is to be off its volume for long waits: the others take over what it homes', () => {
    const o = proving();
    const operation = { ...turn({ phase: 'Proving' }), type: 'Suspend' as const };
    const asked = {
      ...o,
      cluster: { ...o.cluster, operation },
      nodes: withNode(o.nodes, 3, { suspendAsked: 'repair' }),
    };
    expect(planCluster(asked).removal.waits?.reason).to.equal('DiskFull');
  });
});

describe('a member that may restart and has not yet', () => {
  const permitted = withNode(four, 3, {
    serving: false,
    removalMark: ID,
    templateHash: NEXT,
    pod: pod(3, { isLeaving: true }),
  });
  const beside = (change: Partial<NodeRecord>, own: Partial<NodeRecord> = {}, operation: Partial<Operation> = {}) =>
    kinds(
      during({
        nodes: withNode(withNode(permitted, 3, own), 1, change),
        cluster: { operation: turn({ phase: 'Restarting', ...operation }) },
      }),
    );
  const away = { pod: pod(1, { isReady: false }), answer: notAsked };

  it('is told to leave once more when another one goes down: what that misses, it may be the only one to have', () => {
    expect(beside(away)).to.deep.equal(['isolate']);
    expect(beside({ pod: undefined, answer: notAsked })).to.deep.equal(['isolate']);
    expect(beside({ pod: pod(1, { isTerminating: true }) })).to.deep.equal(['isolate']);
  });
  it('is so, too, when it is up in its new Pod and another template is asked for by now', () => {
    const up = { pod: pod(3, { uid: 'pod-uid-new', templateHash: 'cccccccccccccccc' }) };
    expect(beside(away, up)).to.deep.equal(['isolate']);
    const starting = { pod: pod(3, { ...up.pod, isReady: false }), answer: notAsked };
    expect(beside(away, starting)).to.deep.equal([]);
  });
  it('is restarted while all are up, and beside one that is to be replaced', () => {
    expect(beside({})).to.deep.equal([]);
    expect(beside({ ...away, isDeleting: true, deletedAtMs: NOW_MS })).to.not.include('isolate');
  });
  it('is restarted when it goes back, which nobody else is waited for with', () => {
    expect(beside(away, { templateHash: HASH }, { phase: 'RollingBack' })).to.deep.equal([]);
  });
  it('is waited for once its Pod is ending', () => {
    expect(beside(away, { pod: pod(3, { isLeaving: true, isTerminating: true }) })).to.deep.equal([]);
  });
});

describe('a member that is held out since its turn has failed, when another template is asked for', () => {
  const CORRECTED = 'cccccccccccccccc';
  const heldOut = { serving: false, wasActive: true, templateHash: NEXT, pod: pod(2, { templateHash: NEXT }) };
  const unmeshed = factsOfAll([0, 1, 2, 3], { meshPeers: 2 }, { 2: { meshPeers: 0 } });
  const lastOperation = {
    ...turn(),
    roll: { name: 'demo-2', uid: 'node-uid-2', nodeId: 2, podUID: 'pod-uid-before', previous: HASH },
    outcome: 'Failed' as const,
    reason: 'RolloutStopped' as const,
    finishedAt: new Date(NOW_MS - 60_000).toISOString(),
  };
  const corrected = (
    own: Partial<NodeRecord> = {},
    { cluster = {}, facts = unmeshed, ...rest }: Change = {},
  ): ClusterObservation =>
    observation({
      nodes: withNode(four, 2, { ...heldOut, ...own }),
      revisions: keptRevisions([HASH, NEXT, CORRECTED]),
      facts,
      ...rest,
      cluster: { templateHash: CORRECTED, lastOperation, ...cluster, spec: { nodes: 4, ...cluster.spec } },
    });
  const begins = (o: ClusterObservation) => planCluster(o).removal.operation?.roll?.name;

  it('has its turn first, although the others do not understand it, or it joins for ever', () => {
    expect(begins(corrected())).to.equal('demo-2');
    expect(begins(corrected({ answer: joining, pod: pod(2, { templateHash: NEXT, isReady: false }) }))).to.equal(
      'demo-2',
    );
  });
  it('has it when the template of the others is asked for again', () => {
    expect(begins(corrected({}, { cluster: { templateHash: HASH } }))).to.equal('demo-2');
  });
  it('waits while the others are not whole', () => {
    const o = corrected({}, { facts: factsOfAll([0, 1, 2, 3], { meshPeers: 2 }, { 0: { meshPeers: 1 } }) });
    expect([begins(o), planCluster(o).turnWaits?.reason]).to.deep.equal([undefined, 'MeshIncomplete']);
    const down = corrected();
    expect(begins({ ...down, nodes: withNode(down.nodes, 0, { pod: undefined, answer: notAsked }) })).to.equal(
      undefined,
    );
  });
  it('waits for the mesh like everybody else while it serves clients', () => {
    const o = corrected({ serving: true });
    expect([begins(o), planCluster(o).turnWaits?.reason]).to.deep.equal([undefined, 'MeshIncomplete']);
  });
  it('has it before a removal, which waits for it to be whole', () => {
    expect(begins(corrected({}, { cluster: { spec: { nodes: 3 } } }))).to.equal('demo-2');
    const { removal, holds } = planCluster(corrected({ serving: true }, { cluster: { spec: { nodes: 3 } } }));
    expect([removal.operation, removal.waits?.reason]).to.deep.equal([undefined, 'MeshIncomplete']);
    expect(holds.map(({ reason }) => reason)).to.include('MeshIncomplete');
  });
  it('is restarted at once: it is out of the clients’ way, and what it has comes back with its volume', () => {
    const o = corrected();
    const { operation } = planCluster(o).removal;
    const claimed = { ...o, cluster: { ...o.cluster, operation } };
    expect(
      planCluster(claimed).steps.map((step) => (step.kind === 'restartNode' ? step.revision : step.kind)),
    ).to.deep.equal([CORRECTED]);
  });
});

describe('beside a member that is to restart', () => {
  const going = (id: number): Partial<NodeRecord> => ({ volume: volume(id, { isTerminating: true }) });
  const made = (list: readonly NodeRecord[]) =>
    planCluster(during({ nodes: list, cluster: { operation: turn({ phase: 'Restarting' }) } })).steps.flatMap((step) =>
      step.kind === 'createNode' ? [step.id] : [],
    );

  it('all whose volumes go are replaced together: none of them goes before it is back, and it waits for them', () => {
    expect(made(withNode(four, 0, going(0)))).to.deep.equal([4]);
    const two = withNode(withNode(four, 0, going(0)), 1, going(1));
    expect(made(two)).to.deep.equal([4, 5]);
    expect(made([...two, node(4, { answer: serving(views(4)) })])).to.deep.equal([5]);
  });
});

describe('a turn that has come to its end', () => {
  const done = withNode(four, 3, {
    templateHash: NEXT,
    pod: pod(3, { templateHash: NEXT }),
    answer: serving(views(4)),
  });
  const roll = { name: 'demo-3', uid: 'node-uid-3', nodeId: 3, podUID: 'pod-uid-before', previous: HASH };
  const after = (nodesSeen: readonly NodeRecord[], compare = compared) =>
    planCluster(
      compare(
        during({
          nodes: nodesSeen,
          facts: factsOfAll([0, 1, 2, 3], { shownSinceMs: MONOTONIC_MS - 4_000 }),
          cluster: { operation: turn({ phase: 'CatchingUp', roll }) },
        }),
      ),
    ).removal;

  it('is followed by the next turn in the same write', () => {
    const { ended, operation } = after(done);
    expect([ended?.outcome, operation?.roll?.name]).to.deep.equal(['Succeeded', 'demo-2']);
  });

  it('is followed by no turn while a node has to be replaced', () => {
    const going = withNode(done, 1, { isDeleting: true, deletedAtMs: NOW_MS });
    const { ended, operation } = after(going);
    expect([ended?.outcome, operation]).to.deep.equal(['Succeeded', undefined]);
  });

  it('does not end before every record of the others was found on this member', () => {
    const { ended, operation } = after(done, (o) => o);
    expect([ended, operation?.roll?.name]).to.deep.equal([undefined, 'demo-3']);
  });
});

describe('during a turn', () => {
  it('the template of the member that has it is not changed, in whatever state it is', () => {
    const broken = withNode(four, 3, {
      answer: silent,
      pod: pod(3, { isReady: false, phase: 'Pending', waiting: { reason: 'ImagePullBackOff', message: 'no' } }),
    });
    const stamped = (o: ClusterObservation) => stampSteps(o).map((step) => ('node' in step ? step.node.name : ''));
    expect(stamped(during({ nodes: broken, cluster: { operation: undefined } }))).to.deep.equal(['demo-3']);
    expect(stamped(during({ nodes: broken }))).to.deep.equal([]);
  });

  it('the template of a member that runs and accepts no known password waits for its turn, since it has clients', () => {
    const answer = {
      kind: 'silent',
      sinceMs: NOW_MS - 12_000,
      error: 'NOAUTH',
      isInvalid: false,
      isLocked: true,
    } as const;
    const list = withNode(four, 2, { answer });
    expect(stampSteps(during({ nodes: list, cluster: { operation: undefined } }))).to.deep.equal([]);
  });

  it('members that run are listed before those that do not, which take up the template with their next Pod', () => {
    const down = withNode(four, 3, { pod: undefined, answer: notAsked });
    const coming = comingTurns(during({ nodes: down, cluster: { operation: undefined } }));
    expect(coming.map((one) => `${one.node.name} ${one.way}`)).to.deep.equal([
      'demo-2 restart',
      'demo-1 restart',
      'demo-0 restart',
      'demo-3 nextPod',
    ]);
  });
});

describe('a cluster with a member to be restarted', () => {
  const waiting = (cluster: Change['cluster'] = {}) => during({ cluster: { operation: undefined, ...cluster } });

  it('needs a place among the clusters that restart members', () => {
    expect(isTurnPending(waiting())).to.equal(true);
    const current = [0, 1, 2, 3].map((id) =>
      node(id, { templateHash: NEXT, pod: pod(id, { templateHash: NEXT }), answer: serving(views(4)) }),
    );
    expect(isTurnPending({ ...waiting(), nodes: current })).to.equal(false);
  });

  it('needs no place while none can be restarted: it is paused, is being deleted, or was never formed', () => {
    for (const cluster of [{ spec: { paused: true } }, { isDeleting: true }, { isFormed: false }])
      expect(isTurnPending(waiting(cluster)), JSON.stringify(cluster)).to.equal(false);
  });
});
