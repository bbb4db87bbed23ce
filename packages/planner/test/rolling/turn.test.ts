// One member's turn of a rolling update, where it does not simply go on: before anything was done, while the member is
// out of the clients' way, and when it has failed.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ClusterObservation, comingTurns, isTurnPending, type NodeRecord, planCluster } from '../../src/index.ts';
import { stampSteps } from '../../src/stamping.ts';
import {
  HASH,
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
  withNode,
} from '../support/builders.ts';
import { factsOfAll } from '../support/facts.ts';
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
  it('begins by taking the member out of the clients’ way', () => {
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
    it(`ends, and nobody else has one, ${title}`, () => {
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

  it('goes back to what the member had', () => {
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

  it('does not go back where a person does not want it: the mark comes off, and clients are kept from it', () => {
    const { removal, steps } = after({ cluster: { spec: { update: { rollbackOnFailure: false } } } });
    expect(removal.operation?.phase).to.equal('Restarting');
    expect(steps).to.deep.equal([{ kind: 'endRestart', node: list[3], serving: false }]);
  });

  it('does not go back to a template that is not kept as it was', () => {
    const { removal } = after({ revisions: keptRevisions([NEXT]) });
    expect(removal.operation?.phase).to.equal('Restarting');
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

  it('is followed by that of the next one in the same write', () => {
    const { ended, operation } = after(done);
    expect([ended?.outcome, operation?.roll?.name]).to.deep.equal(['Succeeded', 'demo-2']);
  });

  it('is followed by none while somebody has to be replaced', () => {
    const going = withNode(done, 1, { isDeleting: true, deletedAtMs: NOW_MS });
    const { ended, operation } = after(going);
    expect([ended?.outcome, operation]).to.deep.equal(['Succeeded', undefined]);
  });

  it('is followed by none before every record of the others was seen on this one', () => {
    const { ended, operation } = after(done, (o) => o);
    expect([ended, operation?.roll?.name]).to.deep.equal([undefined, 'demo-3']);
  });
});

describe('beside a turn', () => {
  it('nobody stamps the member that has it, whatever it looks like meanwhile', () => {
    const broken = withNode(four, 3, {
      answer: silent,
      pod: pod(3, { isReady: false, phase: 'Pending', waiting: { reason: 'ImagePullBackOff', message: 'no' } }),
    });
    const stamped = (o: ClusterObservation) => stampSteps(o).map((step) => ('node' in step ? step.node.name : ''));
    expect(stamped(during({ nodes: broken, cluster: { operation: undefined } }))).to.deep.equal(['demo-3']);
    expect(stamped(during({ nodes: broken }))).to.deep.equal([]);
  });

  it('nobody stamps one that runs and takes no password that is known: it has clients, and comes in its turn', () => {
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

  it('those that run come before those that do not, who take it up with their next Pod', () => {
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

describe('a cluster in which somebody is to be restarted', () => {
  const waiting = (cluster: Change['cluster'] = {}) => during({ cluster: { operation: undefined, ...cluster } });

  it('takes a place among those that restart members', () => {
    expect(isTurnPending(waiting())).to.equal(true);
    const current = [0, 1, 2, 3].map((id) =>
      node(id, { templateHash: NEXT, pod: pod(id, { templateHash: NEXT }), answer: serving(views(4)) }),
    );
    expect(isTurnPending({ ...waiting(), nodes: current })).to.equal(false);
  });

  it('takes none while nobody can be: it is paused, goes, or was never formed', () => {
    for (const cluster of [{ spec: { paused: true } }, { isDeleting: true }, { isFormed: false }])
      expect(isTurnPending(waiting(cluster)), JSON.stringify(cluster)).to.equal(false);
  });
});
