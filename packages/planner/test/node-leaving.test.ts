// A member hands over its clients before it goes, and takes them back only by a restart on its volume.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type NodeObservation, type NodeRecord, nodePhase, planNode, START_PATIENCE_MS } from '../src/index.ts';
import {
  joining,
  line,
  NOW_MS,
  node,
  nodeObservation,
  nodes,
  notAsked,
  pod,
  sealedNode,
  sealedPod,
  serving,
  silent,
  views,
  volume,
  wantedLabels,
  withNode,
  withoutPod,
} from './support/builders.ts';
import { closed, drained } from './support/facts.ts';

const { 'marekvs.io/serving': _serving, ...OUT } = pod(1).labels;
const marked = pod(1, { labels: OUT, isLeaving: true });
const withoutPrimaries = serving([line(0), line(1, { hasPrimaries: false }), line(2)]);

/** demo-1, which is to leave. */
const leaving = (change: Partial<NodeRecord> = {}) => node(1, { intent: 'Leaving', serving: false, ...change });
const plan = (own: NodeRecord, siblings?: readonly NodeRecord[]) =>
  planNode(
    nodeObservation(own, {
      wantedPodLabels: wantedLabels(1, own.serving),
      ...(siblings === undefined ? {} : { siblings: withNode(siblings, 1, own) }),
    }),
  );

describe('a node that is to leave', () => {
  it('is taken out of the Service and marked in one write before its member is told to leave', () => {
    expect(plan(leaving()).step).to.deep.equal({
      kind: 'labelPod',
      pod: pod(1),
      labels: { 'marekvs.io/serving': null },
      annotations: { 'marekvs.io/leaving': 'true' },
    });
  });

  it('is taken out of the Service and told to leave like any other while its process outlives its volume', () => {
    const lost = { volume: undefined, recordedVolumeUid: 'gone' };
    expect(plan(leaving(lost)).step?.kind).to.equal('labelPod');
    expect(plan(leaving({ ...lost, pod: marked })).step?.kind).to.equal('drain');
    expect(plan(leaving({ ...lost, pod: marked, answer: withoutPrimaries })).hold?.reason).to.equal('VolumeLost');
  });

  it('is marked also when it was not in the Service', () => {
    const out = pod(1, { labels: OUT });
    const { step } = plan(leaving({ pod: out }));
    expect(step).to.deep.equal({
      kind: 'labelPod',
      pod: out,
      labels: {},
      annotations: { 'marekvs.io/leaving': 'true' },
    });
  });

  it('is no longer marked while its removal is being taken back', () => {
    const under = (phase: Operation['phase']) =>
      planNode(nodeObservation(leaving(), { operation: { id: 'op', type: 'Remove', phase } as Operation })).step;
    expect(under('Isolating')).to.have.property('annotations');
    expect(under('Cancelling')).to.not.have.property('annotations');
  });

  it('is told to leave while it shows itself with primaries, and looked at again two seconds later', () => {
    expect(plan(leaving({ pod: marked }))).to.deep.equal({
      step: { kind: 'drain', pod: marked, intervalMs: 2_000 },
      hold: undefined,
      requeueAfterMs: 2_000,
    });
  });

  const quiet: readonly (readonly [string, Partial<NodeRecord>])[] = [
    ['shows itself without primaries', { answer: withoutPrimaries }],
    ['does not answer', { answer: silent }],
    ['does not serve yet', { answer: joining }],
    ['does not show itself', { answer: serving([line(0), line(2)]) }],
    ['was not asked', { answer: notAsked }],
  ];
  for (const [name, change] of quiet) {
    it(`is not told to leave while its member ${name}`, () => {
      expect(plan(leaving({ pod: marked, ...change })).step).to.equal(undefined);
    });
  }

  it('is told to leave only after its Pod is marked, and marked only once its Pod runs', () => {
    const starting = pod(1, { labels: OUT, phase: 'Pending', isReady: false });
    expect(plan(leaving({ pod: starting })).step).to.equal(undefined);
  });

  it('gets a new Pod when that ends, which is marked and told to leave once more', () => {
    const own = leaving({ pod: undefined, answer: notAsked });
    expect(plan(own).step?.kind).to.equal('createPod');
    expect(plan(leaving({ pod: pod(1, { labels: OUT }) })).step?.kind).to.equal('labelPod');
    expect(plan(leaving({ pod: marked })).step?.kind).to.equal('drain');
  });

  it('waits for its turn like any other node when its Pod has ended', () => {
    const list = withNode(nodes(4), 3, { pod: pod(3, { isReady: false, createdAtMs: NOW_MS - 1_000 }) });
    const result = plan(leaving({ pod: undefined, answer: notAsked }), list);
    expect([result.step, result.hold?.reason]).to.deep.equal([undefined, 'WaitingForTurn']);
  });

  it('is in the phase Leaving as soon as it serves with that intent', () => {
    expect(nodePhase(leaving(), false)).to.equal('Leaving');
    expect(nodePhase(node(1), false)).to.equal('Active');
  });
});

describe('a node whose door is to be closed', () => {
  const OPERATION = { id: 'op', type: 'Remove', phase: 'Sealing', target: { uid: 'node-uid-1' } } as Operation;
  /** Permitted, and its process not ended yet. */
  const permitted = (change: Partial<NodeRecord> = {}) =>
    leaving({
      intent: 'Sealed',
      removalMark: 'op',
      ran: { podUid: 'pod-uid-1', generation: line(1).generation },
      pod: marked,
      answer: withoutPrimaries,
      ...change,
    });
  const sealing = (own: NodeRecord, change: Partial<NodeObservation> = {}) =>
    planNode(nodeObservation(own, { operation: OPERATION, ...change }));

  it('has its Pod ended, by the reason MemberSealing, and made again', () => {
    expect(sealing(permitted()).step).to.deep.equal({ kind: 'deletePod', pod: marked, why: 'MemberSealing' });
    const ended = permitted({ pod: undefined, answer: notAsked });
    expect(sealing(ended, { podGoneSinceMs: 0 }).step?.kind).to.equal('createPod');
  });

  const kept: readonly (readonly [string, Partial<NodeRecord>, Operation | undefined])[] = [
    ['there is no operation', {}, undefined],
    ['the operation is about another node', {}, { ...OPERATION, target: { uid: 'node-uid-2' } } as Operation],
    ['the operation is about no node', {}, { ...OPERATION, target: undefined } as Operation],
    ['its removal is being taken back', {}, { ...OPERATION, phase: 'Cancelling' } as Operation],
    ['it carries the mark of another operation', { removalMark: 'other' }, OPERATION],
    ['it carries no mark', { removalMark: undefined }, OPERATION],
    ['another Pod was permitted to end', { ran: { podUid: 'earlier', generation: 1 } }, OPERATION],
    ['nobody has written down what it ran', { ran: undefined }, OPERATION],
    [
      'its volume is being deleted, which would go with its Pod',
      { volume: volume(1, { isTerminating: true }) },
      OPERATION,
    ],
    ['its volume is gone', { volume: undefined }, OPERATION],
    ['it was only told to leave', { intent: 'Leaving' }, OPERATION],
  ];
  for (const [when, change, operation] of kept)
    it(`keeps its Pod while ${when}`, () => {
      expect(sealing(permitted(change), { operation }).step?.kind).to.not.equal('deletePod');
    });

  it('waits for its turn like any other restart', () => {
    for (const [change, why] of [
      [{ pod: pod(2, { isReady: false }), answer: silent }, 'demo-2 is not up'],
      [{ pod: pod(2, { isTerminating: true }) }, 'demo-2 is ending'],
    ] as const) {
      const own = permitted();
      const result = sealing(own, { siblings: withNode(withNode(nodes(3), 1, own), 2, change) });
      expect([result.step, result.hold?.message]).to.deep.equal([undefined, `demo-1 waits: ${why}`]);
    }
  });

  describe('and runs again with it closed', () => {
    const others = (view: ReturnType<typeof closed>) => nodes(3).map((one) => ({ ...one, answer: serving(view) }));
    const shown = others(closed([0, 1, 2], 1));
    const own = (change: Partial<NodeRecord> = {}) => sealedNode(1, { removalMark: 'op', ...change });
    const at = (list: readonly NodeRecord[], change: Partial<NodeRecord> = {}) =>
      sealing(own(change), { siblings: withNode(list, 1, own(change)), wantedPodLabels: wantedLabels(1, false) });
    const drain = {
      step: { kind: 'drain', pod: sealedPod(1), intervalMs: 250 },
      hold: undefined,
      requeueAfterMs: 250,
    };

    it('is told to leave four times a second until every other member shows the new process without primaries', () => {
      const withPrimaries = closed([0, 1, 2], 1).map((one) => ({ ...one, hasPrimaries: true }));
      const before = serving(drained([0, 1, 2], 1));
      for (const [what, list] of [
        ['nobody shows it', others(views(3).filter(({ id }) => id !== 1))],
        ['one shows the process before', withNode(shown, 2, { answer: before })],
        ['one shows it with primaries', withNode(shown, 2, { answer: serving(withPrimaries) })],
        ['one does not answer', withNode(shown, 2, { answer: silent })],
        ['one was not asked', withNode(shown, 0, { answer: notAsked })],
      ] as const)
        expect(at(list), what).to.deep.equal(drain);
      expect(at(shown).step).to.equal(undefined);
    });

    it('says what keeps it from starting while it is told so, and so does one that is being deleted', () => {
      const waiting = { reason: 'CrashLoopBackOff', message: 'it ends' };
      const crashed = { pod: sealedPod(1, { isReady: false, waiting }), answer: silent };
      const unseen = others(views(3).filter(({ id }) => id !== 1));
      expect(at(unseen, crashed)).to.deep.include({ step: { ...drain.step, pod: crashed.pod }, requeueAfterMs: 250 });
      expect(at(unseen, crashed).hold?.reason).to.equal('CrashLooping');
      const deleted = at(unseen, { isDeleting: true });
      expect([deleted.step?.kind, deleted.hold?.reason]).to.deep.equal(['drain', 'WaitingForProof']);
    });

    it('is told so from its first moment, before it answers', () => {
      for (const answer of [notAsked, silent]) expect(at(others(views(3)), { answer }).step).to.deep.equal(drain.step);
      const unplaced = sealedPod(1, { ip: undefined });
      expect(at(others(views(3)), { pod: unplaced, answer: notAsked }).step).to.equal(undefined);
    });

    it('does not wait for members without a process, nor for its own list', () => {
      for (const change of [
        { pod: undefined, answer: notAsked },
        { pod: pod(2, { isTerminating: true }), answer: silent },
      ])
        expect(at(withNode(shown, 2, change)).step).to.equal(undefined);
    });

    it('is not ended again by its permit, whatever is edited in that', () => {
      for (const change of [{ ran: undefined }, { ran: { podUid: 'sealed-pod-uid-1', generation: 1 } }])
        expect(at(shown, change).step?.kind).to.not.equal('deletePod');
    });

    it('loses a label by which a person lets clients in', () => {
      const labels = pod(1).labels;
      expect(at(shown, { pod: sealedPod(1, { labels }) }).step).to.deep.include({
        kind: 'labelPod',
        labels: { 'marekvs.io/serving': null },
      });
    });

    it('is made again, with its door closed, when a person deletes its Pod', () => {
      const list = withNode(shown, 1, own());
      const gone = own({ pod: undefined, answer: notAsked });
      const result = sealing(gone, { siblings: withNode(list, 1, gone), podGoneSinceMs: 0 });
      expect(result.step?.kind).to.equal('createPod');
    });

    it('is restarted with its door open when it is taken back, like any that was told to leave', () => {
      const mayRestartPod = sealedPod(1).uid;
      const back = own({ intent: 'Active', serving: true, removalMark: undefined, mayRestartPod });
      const result = sealing(back, { siblings: withNode(shown, 1, back), operation: undefined });
      expect(result.step).to.deep.equal({ kind: 'deletePod', pod: sealedPod(1), why: 'CancelledByUser' });
    });

    it('is left as it is without an operation: only its cluster takes it back', () => {
      const result = sealing(own(), {
        siblings: withNode(shown, 1, own()),
        operation: undefined,
        wantedPodLabels: wantedLabels(1, false),
      });
      expect(result.step).to.equal(undefined);
    });
  });
});

describe('a node that stays after all, with a member that was told to leave,', () => {
  const told = pod(1, { isLeaving: true });
  const back = (change: Partial<NodeRecord> = {}) =>
    node(1, { pod: told, answer: withoutPrimaries, mayRestartPod: told.uid, ...change });

  it('is restarted on its volume, by the reason CancelledByUser, before it is let in', () => {
    const out = { ...told, labels: OUT };
    expect(plan(back({ pod: out })).step).to.deep.equal({ kind: 'deletePod', pod: out, why: 'CancelledByUser' });
  });

  it('waits while another node that holds data is down, for whatever reason', () => {
    const list = withNode(nodes(4), 3, { pod: pod(3, { isReady: false, createdAtMs: NOW_MS - 1_000 }) });
    const result = plan(back(), list);
    expect(result.step).to.equal(undefined);
    expect(result.hold).to.deep.equal({
      reason: 'WaitingForTurn',
      message: 'demo-1 waits: demo-3 is not up',
      needsPerson: false,
    });
    expect(result.requeueAfterMs).to.equal(START_PATIENCE_MS);
  });

  const five = nodes(5);
  const going = { recordedVolumeUid: 'gone' } as const;
  const fresh = { serving: false, wasActive: false, answer: joining } as const;
  const down = { pod: undefined, answer: notAsked } as const;
  const others: readonly (readonly [string, Partial<NodeRecord>, string | undefined])[] = [
    ['has no Pod', down, 'demo-3 is not up'],
    [
      'has no Pod, and only its status knows that it held data',
      { ...down, ...fresh, wasActive: true },
      'demo-3 is not up',
    ],
    ['has a Pod of somebody else', { pod: pod(3, { ownerUid: 'other' }) }, 'demo-3 is not up'],
    ['is ending', { pod: pod(3, { isTerminating: true }) }, 'demo-3 is ending'],
    ['was deleted and is up', { isDeleting: true }, undefined],
    ['was deleted and does not run: a person has given it up', { ...down, isDeleting: true }, undefined],
    [
      'was deleted and was Active a minute ago: its Pod may be made again',
      { ...down, isDeleting: true, lastActiveAtMs: NOW_MS - 60_000 },
      'demo-3 is not up',
    ],
    [
      'was deleted and has not been Active for longer',
      { ...down, isDeleting: true, lastActiveAtMs: NOW_MS - 60_001 },
      undefined,
    ],
    [
      'was deleted a moment ago with its volume',
      { ...down, isDeleting: true, lastActiveAtMs: NOW_MS, volume: undefined, recordedVolumeUid: 'gone' },
      undefined,
    ],
    [
      'was deleted, and whose process has ended a moment ago',
      {
        isDeleting: true,
        pod: pod(3, { isReady: false, waiting: { reason: 'ContainerCreating', message: '' } }),
        answer: { kind: 'silent', sinceMs: NOW_MS - START_PATIENCE_MS, error: '', isInvalid: false },
      },
      'demo-3 is not up',
    ],
    [
      'was deleted and has not answered for half a minute',
      {
        isDeleting: true,
        pod: pod(3, { isReady: false }),
        answer: { kind: 'silent', sinceMs: NOW_MS - START_PATIENCE_MS - 1, error: '', isInvalid: false },
      },
      undefined,
    ],
    [
      'was deleted, and whose process has just been started again and was not asked yet',
      { isDeleting: true, pod: pod(3, { isReady: false, restartCount: 1 }), answer: notAsked },
      'demo-3 is not up',
    ],
    [
      'was deleted, and whose process has ended for good and was not asked yet',
      { isDeleting: true, pod: pod(3, { isReady: false, phase: 'Failed' }), answer: notAsked },
      undefined,
    ],
    [
      'was deleted, and whose container ends again and again',
      { isDeleting: true, pod: pod(3, { isReady: false, waiting: { reason: 'CrashLoopBackOff', message: '' } }) },
      undefined,
    ],
    ['lost its volume and runs on', going, 'demo-3 has lost its volume and is replaced first'],
    [
      'loses its volume with its process',
      { volume: volume(3, { isTerminating: true }) },
      'demo-3 has lost its volume and is replaced first',
    ],
    ['lost its volume and its process', { ...down, ...going }, undefined],
    [
      'lost its volume, and its container ends again and again',
      { ...going, pod: pod(3, { isReady: false, waiting: { reason: 'CrashLoopBackOff', message: '' } }) },
      undefined,
    ],
    ['has never joined and has no Pod', { ...down, ...fresh }, undefined],
    [
      'joins for the first time and takes long',
      { ...fresh, pod: pod(3, { isReady: false, createdAtMs: NOW_MS - START_PATIENCE_MS }) },
      undefined,
    ],
    [
      'joins for the first time since a second',
      { ...fresh, pod: pod(3, { isReady: false, createdAtMs: NOW_MS - 1_000 }) },
      'demo-3 is starting, members come back one at a time',
    ],
  ];
  for (const [name, change, why] of others) {
    it(`${why === undefined ? 'is restarted beside' : 'waits for'} another node that ${name}`, () => {
      const result = plan(back(), withNode(five, 3, change));
      expect(result.hold?.message).to.equal(why === undefined ? undefined : `demo-1 waits: ${why}`);
      expect(result.step?.kind).to.equal(why === undefined ? 'deletePod' : undefined);
    });
  }

  it('is restarted beside a node without its volume when enough other members are up for the wanted size', () => {
    const o = nodeObservation(back(), { siblings: withNode(withNode(five, 3, going), 1, back()), wantedNodes: 4 });
    expect(planNode({ ...o, wantedPodLabels: wantedLabels(1) }).step?.kind).to.equal('deletePod');
    expect(planNode({ ...o, wantedNodes: 5 }).step).to.equal(undefined);
    expect(planNode({ ...o, wantedNodes: undefined }).step, 'of an unknown cluster').to.equal(undefined);
  });

  it('is restarted beside a node without its volume when nodes to be deleted count towards the wanted size', () => {
    const held = [0, 2].reduce((list, id) => withNode(list, id, { isDeleting: true }), withNode(five, 3, going));
    const o = nodeObservation(back(), { siblings: withNode(held, 1, back()), wantedNodes: 4 });
    expect(planNode({ ...o, wantedPodLabels: wantedLabels(1) }).step?.kind).to.equal('deletePod');
  });

  it('waits while another removal is past its point of no return, and only then', () => {
    const siblings = withNode(withNode(five, 3, { isDeleting: true }), 1, back());
    const proof = { pre: { at: new Date(NOW_MS).toISOString(), podUID: 'pod-uid-3' } } as Operation['proof'];
    const at = (phase: Operation['phase'], uid: string) => {
      const operation = { phase, target: { name: 'demo-3', uid, nodeId: 3 }, proof } as Operation;
      return planNode(nodeObservation(back(), { siblings, operation })).hold?.message;
    };
    expect(at('Departing', 'node-uid-3')).to.equal('demo-1 waits: demo-3 is being removed');
    expect(at('Deleting', 'node-uid-3')).to.equal('demo-1 waits: demo-3 is being removed');
    expect(at('Cancelling', 'node-uid-3')).to.equal(undefined);
    expect(at('Departing', 'node-uid-of-before')).to.equal(undefined);
  });

  it('is restarted beside a removal whose proof is too old, which is proven anew only when no other member is leaving', () => {
    const siblings = withNode(withNode(five, 3, { isDeleting: true }), 1, back());
    const beside = (change: Partial<Operation>, ageMs = 0, podUID = 'pod-uid-3') => {
      const proof = { pre: { at: new Date(NOW_MS - ageMs).toISOString(), podUID } } as Operation['proof'];
      const target = { name: 'demo-3', uid: 'node-uid-3', nodeId: 3 };
      const operation = { phase: 'Deleting', target, proof, ...change } as Operation;
      return planNode(nodeObservation(back(), { siblings, operation })).hold?.message;
    };
    const waits = 'demo-1 waits: demo-3 is being removed';
    expect([beside({}, 60_000), beside({}, 60_001)]).to.deep.equal([waits, undefined]);
    expect(beside({}, 0, 'pod-uid-of-before')).to.equal(undefined);
    expect(beside({ proof: undefined })).to.equal(undefined);
    expect(beside({ phase: 'Departing' }, 60_001)).to.equal(undefined);
    expect(beside({ basis: 'Forced' }, 60_001)).to.equal(waits);
  });

  it('is restarted before another node that stays after all and has a higher id', () => {
    const list = withNode(five, 3, { pod: pod(3, { isLeaving: true }) });
    expect(plan(back(), list).step?.kind).to.equal('deletePod');
    const later = node(3, { pod: pod(3, { isLeaving: true }), mayRestartPod: 'pod-uid-3' });
    const siblings = withNode(withNode(five, 3, later), 1, back());
    const result = planNode(nodeObservation(later, { siblings, wantedPodLabels: wantedLabels(3) }));
    expect(result.hold?.message).to.equal('demo-3 waits: demo-1 is restarted first');
  });

  it('is not restarted while fewer than replicationFactor others are up', () => {
    const lost = { ...down, ...going };
    const result = plan(back(), withNode(nodes(3), 2, lost));
    expect(result.step).to.equal(undefined);
    expect(result.hold?.message).to.equal('demo-1 waits: 1 other members are up, 2 are needed while it restarts');
  });

  it('is not restarted while its volume is being deleted, which would go with its Pod', () => {
    expect(plan(back({ volume: volume(1, { isTerminating: true }) })).step).to.equal(undefined);
    expect(plan(back({ volume: undefined })).step?.kind).to.not.equal('deletePod');
  });

  it('is left alone once it runs in a Pod that was never told to leave', () => {
    expect(plan(node(1)).step).to.equal(undefined);
  });
});

describe('the finalizer of a node', () => {
  it('is put back when somebody removed it (F57)', () => {
    const o = nodeObservation(node(1), { hasFinalizer: false });
    expect(planNode(o).step).to.deep.equal({ kind: 'addFinalizer' });
    expect(planNode({ ...o, parent: 'paused' }).step).to.equal(undefined);
    expect(planNode({ ...o, parent: 'unconfirmed' }).step).to.deep.equal({ kind: 'confirmParent' });
  });

  it('cannot be put back on a node that is being deleted', () => {
    const o = nodeObservation(node(1, { isDeleting: true }), { hasFinalizer: false });
    expect(planNode(o).step).to.equal(undefined);
  });
});

describe('the volume of a node that was let go and taken up again', () => {
  const kept = volume(1, { detachedAtMs: NOW_MS - 60_000, lastActiveAtMs: NOW_MS - 90_000 });

  it('keeps the note of its age until its member is Active again, and loses it then', () => {
    expect(plan(withoutPod(1, { volume: kept })).step?.kind).to.equal('createPod');
    for (const answer of [notAsked, joining, silent, withoutPrimaries])
      expect(plan(node(1, { volume: kept, answer })).step?.kind, answer.kind).to.not.equal('attachVolume');
    expect(plan(node(1, { volume: kept, answer: serving(views(3)) })).step).to.deep.equal({
      kind: 'attachVolume',
      volume: kept,
    });
  });

  it('is not written to for a node that is leaving or being deleted', () => {
    for (const change of [{ isDeleting: true }, { intent: 'Leaving' as const }])
      expect(plan(node(1, { volume: kept, ...change })).step?.kind).to.not.equal('attachVolume');
  });
});
