// A node that is being deleted goes only when the record and its own proof agree, and then in one fixed order.

import type { Operation, RemovalProof } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type NodeRecord, planNode, STUCK_TERMINATING_MS } from '../src/index.ts';
import {
  line,
  MONOTONIC_MS,
  NOW_MS,
  node,
  notAsked,
  pod,
  sealed,
  sealedPod,
  serving,
  silent,
  volume,
  withNode,
} from './support/builders.ts';
import { type DepartingChange, departing, four, LEFT_VIEW, operation, proof, TARGET } from './support/departing.ts';

const plan = (change: DepartingChange = {}) => planNode(departing(change));
const reason = (change: DepartingChange = {}) => plan(change).hold?.reason;
const ending = (dueMs = NOW_MS + 60_000) =>
  sealedPod(TARGET, { isTerminating: true, isReady: false, terminationDueMs: dueMs });
const gone: Partial<NodeRecord> = { pod: undefined, answer: notAsked };
const survivors = four(LEFT_VIEW);
const left: DepartingChange = { own: gone, others: survivors };

/** Both the record and the node carry this proof. */
const withProof = (change: Partial<RemovalProof>): DepartingChange => ({
  own: { removalProof: proof(change) },
  operation: operation({ proof: { pre: proof(change) } }),
});
const withRecord = (change: Partial<Operation>): DepartingChange => ({ operation: operation(change) });

describe('a node that is being deleted and carries its proof', () => {
  for (const phase of ['Deleting', 'Departing'] as const) {
    it(`has its Pod deleted for the reason MemberLeaving in the phase ${phase}`, () => {
      const result = plan(withRecord({ phase }));
      expect(result.step).to.deep.include({ kind: 'deletePod', why: 'MemberLeaving', graceSeconds: 2 });
    });
  }

  it('has its Pod ended within 2 s only when it was proven behind its closed door', () => {
    const graceOf = (change: DepartingChange) => {
      const { step } = plan(change);
      if (step?.kind !== 'deletePod') throw new Error('goes');
      return step.graceSeconds;
    };
    const open = { pod: pod(TARGET, { isLeaving: true }), removalProof: proof({ podUID: 'pod-uid-3' }) };
    const shown = four().map((one) => (one.id === TARGET ? one : { ...one }));
    expect(graceOf({})).to.equal(2);
    expect(graceOf({ own: open, others: shown, operation: operation({ proof: { pre: open.removalProof } }) })).to.equal(
      undefined,
    );
    const forced = { removalProof: undefined, forceRemove: 'node-uid-3/disk is broken' };
    const record = operation({ basis: 'Forced', proof: {} });
    expect(graceOf({ own: forced, operation: record }), 'what only it has is on its volume').to.equal(undefined);
  });

  it('may carry the keys of its proof in another order than the record', () => {
    const reversed = Object.fromEntries(Object.entries(proof()).reverse()) as RemovalProof;
    expect(plan({ own: { removalProof: reversed } }).step?.kind).to.equal('deletePod');
  });

  it('goes although another node, which cannot be a witness, has never joined', () => {
    const fresh = node(4, { pod: undefined, answer: notAsked, serving: false });
    expect(plan({ others: [...four(), fresh] }).step?.kind).to.equal('deletePod');
  });

  it('goes although its mark was taken off, when a person deleted it', () => {
    const own = { removalMark: undefined };
    expect(plan({ own, operation: operation({ type: 'Replace' }) }).step?.kind).to.equal('deletePod');
  });
});

describe('the Pod of a node that is being deleted is kept', () => {
  const unproven: readonly { readonly when: string; readonly change: DepartingChange; readonly why: string }[] = [
    {
      when: 'there is no operation and its replacement is joining',
      change: {
        operation: undefined,
        others: [...four(), node(4, { serving: false, answer: { kind: 'joining', sinceMs: NOW_MS } })],
      },
      why: 'WaitingForReplacement',
    },
    {
      when: 'there is no operation and its replacement is Active: nobody waits for that any more',
      change: {
        operation: undefined,
        others: [
          ...four([...LEFT_VIEW, line(3), line(4)]),
          node(4, { answer: serving([...LEFT_VIEW, line(3), line(4)]) }),
        ],
        o: { wantedNodes: 4 },
      },
      why: 'WaitingForProof',
    },
    {
      when: 'the operation is about another node',
      change: withRecord({ target: { name: 'demo-1', uid: 'node-uid-1', nodeId: 1 } }),
      why: 'WaitingForTurn',
    },
    {
      when: 'the operation is about an earlier node of its name',
      change: withRecord({ target: { name: 'demo-3', uid: 'node-uid-before', nodeId: TARGET } }),
      why: 'WaitingForTurn',
    },
    ...(['Claimed', 'Isolating', 'Sealing', 'Proving', 'Settling', 'Cancelling'] as const).map((phase) => ({
      when: `the operation is in the phase ${phase}`,
      change: withRecord({ phase }),
      why: 'WaitingForProof',
    })),
    {
      when: 'it carries another operation’s mark',
      change: { own: { removalMark: '3-other' } },
      why: 'WaitingForProof',
    },
    { when: 'it carries no mark', change: { own: { removalMark: undefined } }, why: 'WaitingForProof' },
    {
      when: 'it was deleted by hand and carries another operation’s mark',
      change: { own: { removalMark: '3-other' }, operation: operation({ type: 'Replace' }) },
      why: 'WaitingForProof',
    },
    { when: 'it carries no proof yet', change: { own: { removalProof: undefined } }, why: 'WaitingForProof' },
    { when: 'the record has no proof', change: { operation: operation({ proof: {} }) }, why: 'WaitingForProof' },
    {
      when: 'its proof is not the record’s',
      change: { own: { removalProof: proof({ partitions: 8_192 }) } },
      why: 'WaitingForProof',
    },
    { when: 'a survivor is silent', change: { others: withNode(four(), 1, { answer: silent }) }, why: 'ProofStale' },
    {
      when: 'the Pod of a survivor is not ready',
      change: { others: withNode(four(), 1, { pod: pod(1, { isReady: false }) }) },
      why: 'ProofStale',
    },
    {
      when: 'the Pod of a survivor is ending',
      change: { others: withNode(four(), 1, { pod: pod(1, { isTerminating: true }) }) },
      why: 'ProofStale',
    },
    {
      when: 'a survivor was not asked',
      change: { others: withNode(four(), 1, { answer: notAsked }) },
      why: 'ProofStale',
    },
    {
      when: 'a survivor was restarted (F48)',
      change: { others: four([line(0, { generation: 1 }), line(1), line(2), line(3, { hasPrimaries: false })]) },
      why: 'ProofStale',
    },
    {
      when: 'the members place partitions differently than in the proof',
      change: {
        others: four().map((entry) => ({ ...entry, answer: { ...serving([]), ...entry.answer, digest: 'x' } })),
      },
      why: 'ProofStale',
    },
    {
      when: 'another process has proven it, whose clock nobody knows',
      change: { o: { isProvenHere: false } },
      why: 'ProofStale',
    },
    {
      when: 'it runs in another Pod',
      change: { own: { pod: sealedPod(TARGET, { uid: 'later' }) } },
      why: 'ProofStale',
    },
    {
      when: 'its volume is another one',
      change: { own: { recordedVolumeUid: 'later', volume: volume(3, { uid: 'later' }) } },
      why: 'ProofStale',
    },
  ];
  for (const { when, change, why } of unproven) {
    it(`while ${when}: ${why}`, () => {
      const result = plan(change);
      // A member behind its closed door may be told to leave meanwhile.
      expect(result.step?.kind).to.be.oneOf([undefined, 'drain']);
      expect(result.hold?.reason).to.equal(why);
    });
  }

  const edits: Readonly<Record<string, Partial<RemovalProof>>> = {
    operationId: { operationId: '3-other' },
    stage: { stage: 'Post' },
    at: { at: 'yesterday' },
    'at, in the future': { at: new Date(NOW_MS + 60_000).toISOString() },
    coveredAt: { coveredAt: 'yesterday' },
    'coveredAt, long before': { coveredAt: new Date(NOW_MS - 60_000).toISOString() },
    'coveredAt, after the proof': { coveredAt: new Date(NOW_MS).toISOString() },
    partitions: { partitions: 0 },
    targetUid: { targetUid: 'node-uid-1' },
    podUID: { podUID: 'pod-uid-1' },
    pvcUID: { pvcUID: 'volume-uid-1' },
    topologyHash: { topologyHash: 'ffffffffffffffff' },
    generations: { generations: { ...proof().generations, 1: '7' } },
    'generations, one left out': { generations: {} },
    inputs: { inputs: [] },
    'inputs, one not passed': { inputs: (proof().inputs ?? []).map((input, at) => ({ ...input, passed: at > 0 })) },
  };
  for (const [field, edit] of Object.entries(edits)) {
    it(`when somebody edits ${field} of its proof, on the node and in the record or only on the node`, () => {
      for (const change of [withProof(edit), { own: { removalProof: proof(edit) } }]) {
        const result = plan(change);
        expect(result.step, field).to.equal(undefined);
        expect(result.hold?.reason).to.be.oneOf(['ProofStale', 'WaitingForProof']);
      }
    });
  }

  it('from 30.001 s after its proof on, and not at 30 s', () => {
    const ago = (ms: number) => new Date(NOW_MS - ms).toISOString();
    const at = (ageMs: number) => plan(withProof({ at: ago(ageMs), coveredAt: ago(ageMs + 1_000) }));
    expect(at(30_000).step?.kind).to.equal('deletePod');
    expect(at(30_001).step).to.equal(undefined);
    expect(at(30_001).hold?.reason).to.equal('ProofStale');
  });

  it('with what the operation waits for, while the proof is gathered', () => {
    const blocked = { reason: 'MemberSilent', message: 'demo-1 has not answered', since: '2026-01-01T00:09:30Z' };
    const { hold } = plan(withRecord({ phase: 'Proving', blocked }));
    expect(hold).to.deep.equal({ reason: 'MemberSilent', message: 'demo-1 has not answered', needsPerson: false });
  });

  it('and is created again when it ends meanwhile', () => {
    for (const change of [{ operation: undefined }, withRecord({ phase: 'Proving' as const })])
      expect(plan({ ...change, own: { ...gone, removalProof: undefined } }).step?.kind).to.equal('createPod');
  });

  it('and is created again when it ended before the node carried the proof: the next Pod is proven anew', () => {
    expect(plan({ own: { ...gone, removalProof: undefined } }).step?.kind).to.equal('createPod');
  });

  it('and a node that never had a volume gets none', () => {
    const own = { ...gone, volume: undefined, recordedVolumeUid: undefined };
    expect(plan({ own, operation: undefined }).step).to.equal(undefined);
  });
});

describe('the departure of a node', () => {
  it('waits for the end of the Pod, however old the proof becomes and whatever the other members show', () => {
    const late = departing({ own: { pod: ending() }, others: survivors, o: { nowMs: NOW_MS + 50_000 } });
    expect(planNode(late)).to.deep.equal({
      step: undefined,
      hold: undefined,
      requeueAfterMs: 10_000 + STUCK_TERMINATING_MS,
    });
  });

  it('waits for a Pod that does not end on a lost host, says so, and starts no second process (F50)', () => {
    const stuck = departing({ own: { pod: ending(NOW_MS) }, o: { nowMs: NOW_MS + STUCK_TERMINATING_MS } });
    expect(planNode(stuck).step).to.equal(undefined);
    expect(planNode(stuck).hold).to.deep.include({ reason: 'PodStuckTerminating', needsPerson: true });
  });

  const scans: readonly (readonly [string, Partial<NodeRecord>, string, string])[] = [
    ['still shows it', {}, 'ViewsDisagree', 'demo-1 still shows demo-3'],
    ['is silent', { answer: silent }, 'MemberSilent', 'demo-1 did not say yet whether demo-3 has left'],
    ['was not asked', { answer: notAsked }, 'NotObserved', 'demo-1 did not say yet whether demo-3 has left'],
    [
      'still shows it, its Pod not ready',
      { pod: pod(1, { isReady: false }) },
      'ViewsDisagree',
      'demo-1 still shows demo-3',
    ],
  ];
  for (const [name, change, why, message] of scans) {
    it(`waits while a sibling ${name}: ${why}, with its name`, () => {
      const others = withNode(survivors, 1, { answer: four()[1]?.answer ?? silent, ...change });
      const result = plan({ own: gone, others });
      expect(result.step).to.equal(undefined);
      expect(result.hold).to.deep.include({ reason: why, message });
    });
  }

  const absent: readonly (readonly [string, Partial<NodeRecord>])[] = [
    ['has no Pod', { pod: undefined, answer: notAsked }],
    ['has a Pod that ends', { pod: pod(1, { isTerminating: true }), answer: silent }],
    ['has a Pod that is not ready and does not answer', { pod: pod(1, { isReady: false }), answer: silent }],
  ];
  for (const [name, change] of absent) {
    it(`does not wait for a sibling that ${name}`, () => {
      expect(plan({ own: gone, others: withNode(survivors, 1, change) }).step?.kind).to.equal('detachVolume');
    });
  }

  it('waits for lists asked for two seconds after the Pod was gone, since its last gossip takes that long to arrive', () => {
    const before = { ...serving(LEFT_VIEW), viewAtMs: MONOTONIC_MS - 1 };
    const podGoneSinceMs = MONOTONIC_MS - 2_001;
    for (const others of [
      withNode(survivors, 1, { answer: before }),
      four(LEFT_VIEW).map((one) => ({ ...one, answer: before })),
    ])
      expect(plan({ own: gone, others, o: { podGoneSinceMs } })).to.deep.equal({
        step: undefined,
        hold: undefined,
        requeueAfterMs: 500,
      });
    expect(plan({ ...left, o: { podGoneSinceMs } }).step?.kind).to.equal('detachVolume');
    expect(plan({ ...left, o: { podGoneSinceMs: undefined } }).step).to.equal(undefined);
  });

  it('does not wait for a new list from a sibling without a process', () => {
    const answer = { ...serving(LEFT_VIEW), viewAtMs: 0 };
    const others = withNode(survivors, 1, { pod: pod(1, { isTerminating: true }), answer });
    expect(plan({ own: gone, others }).step?.kind).to.equal('detachVolume');
  });

  it('notes on the volume, once, when it was let go and when its member was last Active', () => {
    const own = volume(TARGET);
    const step = {
      kind: 'detachVolume',
      volume: own,
      detachedAtMs: NOW_MS,
      hostLost: undefined,
      hostDrained: undefined,
    };
    expect(plan(left).step).to.deep.equal({ ...step, lastActiveAtMs: NOW_MS });
    const known = plan({ ...left, o: { lastActiveAtMs: NOW_MS - 90_000 } });
    expect(known.step).to.deep.equal({ ...step, lastActiveAtMs: NOW_MS - 90_000 });
    const noted = { ...gone, volume: volume(TARGET, { detachedAtMs: NOW_MS - 1 }) };
    expect(plan({ own: noted, others: survivors }).step).to.deep.equal({ kind: 'releaseNode' });
  });

  const unnoted: readonly (readonly [string, Partial<NodeRecord>])[] = [
    ['is lost', { volume: undefined }],
    ['is being deleted', { volume: volume(TARGET, { isTerminating: true }) }],
    ['is another one', { volume: volume(TARGET, { uid: 'another' }) }],
    ['belongs to another node', { volume: volume(TARGET, { nodeId: 7 }) }],
    ['belongs to another cluster', { volume: volume(TARGET, { clusterName: 'other' }) }],
  ];
  for (const [name, change] of unnoted) {
    it(`writes nothing on a volume that ${name}, and completes all the same`, () => {
      expect(plan({ own: { ...gone, ...change }, others: survivors }).step).to.deep.equal({ kind: 'releaseNode' });
    });
  }
});

describe('a node without a proof of its own', () => {
  /** Its door was not closed: only a proof is worth that. */
  const open: Partial<NodeRecord> = {
    removalProof: undefined,
    intent: 'Leaving',
    ran: undefined,
    pod: pod(TARGET, { labels: sealedPod(TARGET).labels, isLeaving: true }),
    answer: serving([...LEFT_VIEW, line(TARGET, { hasPrimaries: false })]),
  };
  const based = (basis: Operation['basis'], own: Partial<NodeRecord> = {}, others = survivors): DepartingChange => ({
    own: { ...open, ...own },
    others,
    operation: operation({ basis, proof: {}, type: 'Replace' }),
  });
  const kinds = (change: DepartingChange) => plan(change).step?.kind;
  const dying = (change: Parameters<typeof pod>[1]) => ({
    pod: pod(TARGET, { labels: sealedPod(TARGET).labels, isReady: false, isLeaving: true, ...change }),
    answer: silent,
  });

  it('goes as dead when nothing of it runs: it has no Pod, or one that never started, ended, or waits between crashes', () => {
    expect(kinds(based('Dead', gone))).to.equal('detachVolume');
    const waiting = { reason: 'CrashLoopBackOff', message: '' };
    for (const change of [{ phase: 'Pending' }, { phase: 'Failed' }, { phase: 'Succeeded' }, { waiting }])
      expect(kinds(based('Dead', dying(change))), JSON.stringify(change)).to.equal('deletePod');
  });

  it('does not go as dead while a process of it may run on its volume', () => {
    for (const change of [{ phase: 'Running' }, { phase: 'Unknown' }, { phase: 'Pending', isReady: true }])
      expect(kinds(based('Dead', dying(change))), JSON.stringify(change)).to.equal(undefined);
    for (const answer of [serving(LEFT_VIEW), { kind: 'joining', sinceMs: NOW_MS } as const, sealed])
      expect(kinds(based('Dead', { ...dying({ phase: 'Pending' }), answer })), answer.kind).to.equal(undefined);
  });

  it('goes as dead when its volume is lost and its process does not answer', () => {
    expect(kinds(based('Dead', { ...dying({ phase: 'Running' }), volume: undefined }))).to.equal('deletePod');
  });

  it('waits as dead for a Pod that is terminating', () => {
    expect(plan(based('Dead', { pod: ending(), answer: notAsked })).step).to.equal(undefined);
    expect(reason(based('Dead', { pod: ending(NOW_MS - STUCK_TERMINATING_MS), answer: notAsked }))).to.equal(
      'PodStuckTerminating',
    );
  });

  it('goes as never joined when no member shows it and it does not serve', () => {
    const joining = { answer: { kind: 'joining', sinceMs: NOW_MS } as const };
    expect(kinds(based('NeverJoined', joining))).to.equal('deletePod');
    expect(kinds(based('NeverJoined', { answer: silent }, four()))).to.equal(undefined);
    expect(reason(based('NeverJoined', joining, withNode(survivors, 1, { answer: silent })))).to.equal('MemberSilent');
    expect(kinds(based('NeverJoined', { answer: serving([line(TARGET, { hasPrimaries: false })]) }))).to.equal(
      undefined,
    );
  });

  it('goes as never joined while it is joining: the others list it, and none shows it with primaries', () => {
    const joining = { answer: { kind: 'joining', sinceMs: NOW_MS } as const };
    const view = [line(0), line(1), line(2), line(TARGET, { hasPrimaries: false })];
    const listing = survivors.map((entry) => ({ ...entry, answer: serving(view) }));
    expect(kinds(based('NeverJoined', joining, listing))).to.equal('deletePod');
    const active = withNode(listing, 1, { answer: serving([line(0), line(1), line(2), line(TARGET)]) });
    expect(reason(based('NeverJoined', joining, active))).to.equal('ViewsDisagree');
    expect(reason(based('NeverJoined', joining, withNode(listing, 1, { answer: silent })))).to.equal('MemberSilent');
    expect(reason(based('NeverJoined', { answer: silent }, listing))).to.equal('ViewsDisagree');
  });

  it('goes by force only when its annotation has its own uid and a reason (F58)', () => {
    const forced = (forceRemove: string | undefined) => based('Forced', { forceRemove });
    expect(kinds(forced('node-uid-3/disk is broken'))).to.equal('deletePod');
    for (const text of [undefined, '', 'true', 'node-uid-3', 'node-uid-3/', 'node-uid-1/broken', 'node-uid-33/broken'])
      expect([text, kinds(forced(text)), reason(forced(text))]).to.deep.equal([text, undefined, 'ForceIgnored']);
  });

  it('goes by force only once the others have dropped it, like any other', () => {
    const own = { ...gone, forceRemove: 'node-uid-3/gone' };
    expect(reason(based('Forced', own, four()))).to.equal('ViewsDisagree');
    expect(kinds(based('Forced', own))).to.equal('detachVolume');
  });
});

describe('a paused cluster', () => {
  const paused = { o: { parent: 'paused' as const } };
  const after = withRecord({ phase: 'Departing' });

  it('keeps a node whose Pod was not told to end, proven or not (F62)', () => {
    for (const change of [{}, after, { operation: undefined }]) {
      const result = plan({ ...change, ...paused });
      expect([result.step, result.hold?.reason]).to.deep.equal([undefined, 'Paused']);
    }
  });

  it('lets a node go whose Pod was told to end (F62)', () => {
    for (const change of [{}, after]) {
      const waiting = plan({ ...change, ...paused, own: { pod: ending() } });
      expect([waiting.step, waiting.hold]).to.deep.equal([undefined, undefined]);
      expect(plan({ ...left, ...change, ...paused }).step?.kind).to.equal('detachVolume');
      const noted = { ...gone, volume: volume(TARGET, { detachedAtMs: NOW_MS }) };
      expect(plan({ ...left, ...change, ...paused, own: noted }).step?.kind).to.equal('releaseNode');
    }
  });

  it('starts no Pod for a node that waits for its turn (F62)', () => {
    const result = plan({ own: { ...gone, removalProof: undefined }, ...paused });
    expect([result.step, result.hold?.reason]).to.deep.equal([undefined, 'Paused']);
  });

  it('keeps a dead node while the operation does not say that it departs (F62)', () => {
    const record = { basis: 'Dead', proof: {}, type: 'Replace' } as const;
    const own = { ...gone, removalProof: undefined };
    expect(reason({ own, others: survivors, operation: operation(record), ...paused })).to.equal('Paused');
    const departs = operation({ ...record, phase: 'Departing' });
    expect(plan({ own, others: survivors, operation: departs, ...paused }).step?.kind).to.equal('detachVolume');
  });
});

describe('a cluster known only from a cache', () => {
  it('is read from the API server before anything of a departing node ends (F42)', () => {
    for (const change of [{}, left])
      expect(plan({ ...change, o: { parent: 'unconfirmed' } }).step).to.deep.equal({ kind: 'confirmParent' });
  });
});
