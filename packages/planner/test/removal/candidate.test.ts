// Which node is removed next. One healthy cluster of five whose wanted size is smaller, one thing changed per row.

import type { Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type Candidate,
  chooseCandidate,
  hostsToAsk,
  isStillWanted,
  type NodeRecord,
  removalBasis,
} from '../../src/index.ts';
import { annotationHolds } from '../../src/size/candidate.ts';
import {
  freshPod,
  joining,
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
  volume,
  withNode,
} from '../support/builders.ts';
import { factsOf } from '../support/facts.ts';

const five = nodes(5);
const seen = (list: readonly NodeRecord[], change: Parameters<typeof observation>[0] = {}) =>
  observation({ nodes: list, ...change });
const chosen = (list: readonly NodeRecord[], desired: number, change: Parameters<typeof observation>[0] = {}) =>
  chooseCandidate(seen(list, change), desired);
const short = (candidate: Candidate | undefined) =>
  candidate === undefined ? undefined : [candidate.node.id, candidate.type, candidate.basis];
const reasons = (list: readonly { readonly reason: string }[]) => list.map((hold) => hold.reason);

/** A node that was created and that no host takes. */
const unjoined = (id: number, change: Partial<NodeRecord> = {}): NodeRecord =>
  node(id, {
    serving: false,
    createdAtMs: NOW_MS,
    pod: freshPod(id),
    volume: volume(id, { createdAtMs: NOW_MS }),
    answer: notAsked,
    ...change,
  });
/** A node whose host was lost with it: only its volume is left. */
const gone = (id: number, change: Partial<NodeRecord> = {}): NodeRecord =>
  node(id, { pod: undefined, answer: notAsked, ...change });
/** The given nodes, each showing exactly these members. */
const showing = (ids: readonly number[], list: readonly NodeRecord[]): readonly NodeRecord[] =>
  list.map((entry) =>
    entry.answer.kind === 'serving' ? { ...entry, answer: serving(ids.map((id) => line(id))) } : entry,
  );

describe('of a surplus of nodes,', () => {
  it('the highest id goes first, and the message says so', () => {
    const { candidate, holds } = chosen(five, 3);
    expect(short(candidate)).to.deep.equal([4, 'Remove', 'Proof']);
    expect(candidate?.chosen).to.equal('it has the highest id of 5');
    expect(holds).to.deep.equal([]);
  });

  it('id 10 goes before id 9, since ids are compared as numbers', () => {
    const ids = [2, 9, 10];
    const list = showing(
      ids,
      ids.concat(1).map((id) => node(id)),
    );
    expect(chosen(list, 3).candidate?.node.id).to.equal(10);
  });

  for (const [desired, expected] of [
    [4, 4],
    [5, undefined],
    [6, undefined],
  ] as const)
    it(`${expected === undefined ? 'nobody' : 'one'} goes when ${desired} of 5 are wanted`, () => {
      expect(chosen(five, desired).candidate?.node.id).to.equal(expected);
    });

  it('none goes when fewer than replicationFactor + 1 would stay, whatever size is asked for', () => {
    expect(chosen(nodes(3), 1).candidate).to.equal(undefined);
    expect(chosen(nodes(4), 1).candidate?.node.id).to.equal(3);
    expect(chosen(nodes(4), 1, { cluster: { spec: { replicationFactor: 3 } } }).candidate).to.equal(undefined);
  });

  it('none goes while the cluster is not formed, or is being deleted', () => {
    expect(chosen(five, 3, { cluster: { isFormed: false } }).candidate).to.equal(undefined);
    expect(chosen(five, 3, { cluster: { isDeleting: true } }).candidate).to.equal(undefined);
  });

  it('a node that never joined goes before every other, without a proof', () => {
    const list = [...nodes(4), unjoined(4), unjoined(5)];
    const { candidate } = chosen(withNode(list, 0, { removeFirst: 'true' }), 3);
    expect(short(candidate)).to.deep.equal([5, 'Remove', 'NeverJoined']);
  });

  const weak: readonly (readonly [string, Partial<NodeRecord>])[] = [
    ['it has no Pod', { pod: undefined, answer: notAsked }],
    ['its Pod is not ready', { pod: pod(1, { isReady: false }) }],
    ['its Pod is ending', { pod: pod(1, { isTerminating: true }) }],
    ['its member does not answer', { answer: silent }],
    ['its Pod is about to be evicted', { pod: pod(1, { isDisrupted: true }) }],
  ];
  for (const [sentence, change] of weak)
    it(`a node goes before a marked one and the highest id because ${sentence}`, () => {
      const list = withNode(withNode(five, 1, change), 3, { removeFirst: 'true' });
      const { candidate } = chosen(list, 3);
      expect(short(candidate)).to.deep.equal([1, 'Remove', 'Proof']);
      expect(candidate?.chosen).to.equal(sentence);
    });

  for (const [state, expected] of [
    ['draining', 1],
    ['gone', 1],
    ['schedulable', 4],
    ['unknown', 4],
  ] as const)
    it(`${expected === 1 ? 'the one' : 'not the one'} on a host that is ${state} goes first`, () => {
      expect(chosen(five, 3, { hosts: new Map([['host-1', state]]) }).candidate?.node.id).to.equal(expected);
    });

  it('none is chosen or reported until it is known which hosts are being drained', () => {
    const hosts = new Map([
      ['host-1', 'schedulable'],
      ['host-2', 'notAsked'],
    ] as const);
    expect(chosen(five, 3, { hosts })).to.deep.equal({ candidate: undefined, holds: [] });
  });

  it('a marked node goes before the highest id, and of two marked nodes the higher id', () => {
    const one = withNode(five, 1, { removeFirst: 'true' });
    expect(chosen(one, 3).candidate?.node.id).to.equal(1);
    expect(chosen(one, 3).candidate?.chosen).to.equal('it is marked to be removed first');
    expect(chosen(withNode(one, 2, { removeFirst: 'true' }), 3).candidate?.node.id).to.equal(2);
  });

  it('a node whose mark is not "true" counts as unmarked, and that is reported', () => {
    const list = withNode(five, 1, { removeFirst: 'yes' });
    expect(chosen(list, 3).candidate?.node.id).to.equal(4);
    expect(list.flatMap(annotationHolds)).to.deep.equal([
      {
        reason: 'AnnotationIgnored',
        message: 'marekvs.io/remove-first of demo-1 is ignored: only "true" means something',
        needsPerson: false,
      },
    ]);
  });

  it('a marked node stays while there is no surplus', () => {
    expect(chosen(withNode(five, 1, { removeFirst: 'true' }), 5)).to.deep.equal({ candidate: undefined, holds: [] });
  });
});

describe('what counts as a node that never joined', () => {
  const isNeverJoined = (change: Partial<NodeRecord>, more: Parameters<typeof observation>[0] = {}) =>
    chosen([...nodes(4), unjoined(4, change)], 4, more).candidate?.basis === 'NeverJoined';

  const table: readonly (readonly [string, Partial<NodeRecord>, boolean])[] = [
    ['has a Pod no host takes', {}, true],
    ['has no Pod', { pod: undefined }, true],
    ['has no volume yet', { volume: undefined, recordedVolumeUid: undefined }, true],
    ['still copies its share and nobody lists it', { pod: pod(4, { isReady: false }), answer: joining }, true],
    ['does not answer', { pod: pod(4, { isReady: false }), answer: silent }, true],
    ['was let in to clients once', { serving: true }, false],
    ['was told to leave', { intent: 'Leaving' }, false],
    ['is to have its door closed', { intent: 'Sealed' }, false],
    ['has a Pod that was told to leave', { pod: freshPod(4, { isLeaving: true }) }, false],
    ['has a Pod that says it is ready', { pod: pod(4), answer: silent }, false],
    ['serves by its own word (H7)', { answer: serving([line(4)]) }, false],
    ['has an address and was not asked yet', { pod: pod(4, { isReady: false }) }, false],
    ['took up a volume older than itself', { volume: volume(4) }, false],
    ['took up a kept volume', { volume: volume(4, { createdAtMs: NOW_MS, detachedAtMs: NOW_MS }) }, false],
  ];
  for (const [sentence, change, expected] of table)
    it(`is ${expected ? '' : 'not '}a node that ${sentence}`, () => {
      expect(isNeverJoined(change)).to.equal(expected);
    });

  it('is still a node that its removal as such marked and told to leave, and not one that another operation did', () => {
    const basisOf = (change: Partial<NodeRecord>, operation: Partial<Operation>) => {
      const own = unjoined(4, { intent: 'Leaving', pod: freshPod(4, { isLeaving: true }), ...change });
      const target = { name: 'demo-4', uid: 'node-uid-4', nodeId: 4 };
      const cluster = { operation: record({ basis: 'NeverJoined', target, ...operation }) };
      return removalBasis(seen([...nodes(4), own], { cluster }), own);
    };
    expect(basisOf({ removalMark: '4-abc' }, {})).to.equal('NeverJoined');
    expect(basisOf({ removalMark: 'other' }, {})).to.equal('Proof');
    expect(basisOf({ removalMark: '4-abc' }, { basis: 'Proof' })).to.equal('Proof');
    expect(basisOf({ removalMark: '4-abc', uid: 'successor' }, {})).to.equal('Proof');
  });

  it('is not a node that a serving member lists', () => {
    const list = [
      ...withNode(nodes(4), 2, { answer: serving([...views(4), line(4, { hasPrimaries: false })]) }),
      unjoined(4),
    ];
    expect(chosen(list, 4).candidate?.basis).to.equal('Proof');
  });

  describe('among the nodes that are joining and therefore listed', () => {
    const shown = (hasPrimaries: boolean) =>
      nodes(4).map((entry) => ({ ...entry, answer: serving([...views(4), line(4, { hasPrimaries })]) }));
    const own = (change: Partial<NodeRecord> = {}) =>
      unjoined(4, { pod: pod(4, { isReady: false }), answer: joining, ...change });

    it('is one that no member shows with primaries, since no client could write to it', () => {
      const { candidate } = chosen([...shown(false), own()], 4);
      expect(short(candidate)).to.deep.equal([4, 'Remove', 'NeverJoined']);
    });

    it('is not one that a member shows with primaries', () => {
      const list = withNode(shown(false), 2, { answer: serving([...views(4), line(4)]) });
      expect(chosen([...list, own()], 4).candidate?.basis).to.equal('Proof');
    });

    it('is not one that was Active before, since it may take up the only copy', () => {
      expect(chosen([...shown(false), own({ wasActive: true })], 4).candidate?.basis).to.equal('Proof');
      expect(chosen([...shown(false), own({ volume: volume(4) })], 4).candidate?.basis).to.equal('Proof');
    });

    it('is not one without an answer of its own, since it may be about to serve', () => {
      expect(chosen([...shown(false), own({ answer: silent })], 4).candidate?.basis).to.equal('Proof');
    });
  });

  it('is no node while no member serves that could list it', () => {
    const list = [...nodes(4).map((entry) => ({ ...entry, answer: notAsked })), unjoined(4)];
    expect(chosen(list, 4).candidate?.basis).to.equal('Proof');
  });

  it('is not a node that a member has shown with primaries in its present life', () => {
    const facts = (shownActive: readonly number[]) => [factsOf(0, { shownActive: new Set(shownActive) })];
    expect(isNeverJoined({}, { facts: facts([0, 1, 2, 3]) })).to.equal(true);
    expect(isNeverJoined({}, { facts: facts([0, 1, 2, 3, 4]) })).to.equal(false);
  });
});

describe('a node that has to go', () => {
  const deleted = { isDeleting: true, deletedAtMs: NOW_MS - 5_000 };
  const lost = { volume: undefined, pod: undefined, answer: notAsked };
  const without = (id: number, list: readonly NodeRecord[]) =>
    showing(
      list.map((entry) => entry.id).filter((other) => other !== id),
      list,
    );

  const table: readonly (readonly [string, readonly NodeRecord[], readonly unknown[] | undefined, string])[] = [
    [
      'is dead when its volume is lost and nobody knows it',
      without(2, withNode(five, 2, lost)),
      [2, 'Replace', 'Dead'],
      'its volume is gone and no member knows it any more',
    ],
    [
      'is proven while its volume is lost and it still answers',
      withNode(five, 2, { volume: undefined }),
      [2, 'Replace', 'Proof'],
      'its volume is gone',
    ],
    [
      'is proven while its volume is lost and others still list it',
      withNode(five, 2, lost),
      [2, 'Replace', 'Proof'],
      'its volume is gone',
    ],
    [
      'is forced by its own uid and a reason',
      withNode(five, 2, { forceRemove: 'node-uid-2/disk\n is  broken' }),
      [2, 'Replace', 'Forced'],
      'a person forced it out: disk is broken',
    ],
    [
      'is proven when it was deleted by hand and runs',
      withNode(five, 2, deleted),
      [2, 'Replace', 'Proof'],
      'a person deleted it at 2026-01-01T00:09:55Z',
    ],
    [
      'is proven when its volume is being deleted under it',
      withNode(five, 2, { volume: volume(2, { isTerminating: true }) }),
      [2, 'Replace', 'Proof'],
      'its volume claim is being deleted',
    ],
    [
      'is dead when it was deleted by hand and has no process',
      without(2, withNode(five, 2, { ...gone(2), ...deleted })),
      [2, 'Replace', 'Dead'],
      'a person deleted it at 2026-01-01T00:09:55Z',
    ],
    [
      'is not dead while others list it',
      withNode(five, 2, { ...gone(2), ...deleted }),
      [2, 'Replace', 'Proof'],
      'a person deleted it at 2026-01-01T00:09:55Z',
    ],
    [
      'never joined when it was deleted before it did',
      [...nodes(4), unjoined(4, deleted)],
      [4, 'Replace', 'NeverJoined'],
      'a person deleted it at 2026-01-01T00:09:55Z',
    ],
  ];
  for (const [sentence, list, expected, why] of table)
    it(sentence, () => {
      const { candidate } = chosen(list, 4);
      expect(short(candidate)).to.deep.equal(expected);
      expect(candidate?.chosen).to.equal(why);
    });

  const processes: readonly (readonly [string, Partial<NodeRecord>, 'Dead' | 'Proof'])[] = [
    ['is terminating (F50)', { pod: pod(2, { isTerminating: true }) }, 'Proof'],
    ['was lost from sight', { pod: pod(2, { phase: 'Unknown', isReady: false }) }, 'Proof'],
    ['runs and does not answer', { pod: pod(2, { isReady: false }), answer: silent }, 'Proof'],
    ['is still called ready (F45)', { pod: pod(2), answer: silent }, 'Proof'],
    ['belongs to somebody else', { pod: pod(2, { phase: 'Failed', isReady: false, ownerUid: 'other' }) }, 'Proof'],
    ['still joins', { pod: pod(2, { isReady: false, phase: 'Pending' }), answer: joining }, 'Proof'],
    ['has failed', { pod: pod(2, { phase: 'Failed', isReady: false }) }, 'Dead'],
    ['never got a host', { pod: freshPod(2) }, 'Dead'],
    [
      'is between two crashes',
      { pod: pod(2, { isReady: false, waiting: { reason: 'CrashLoopBackOff', message: '' } }), answer: silent },
      'Dead',
    ],
  ];
  for (const [sentence, change, basis] of processes)
    it(`is ${basis === 'Dead' ? 'dead' : 'not dead'} when its Pod ${sentence}`, () => {
      const list = without(2, withNode(five, 2, { ...deleted, answer: notAsked, ...change }));
      expect(chosen(list, 4).candidate?.basis).to.equal(basis);
    });

  it('is not dead within a minute of being Active, unless its volume is going: its Pod is made again and it goes by proof', () => {
    const basis = (change: Partial<NodeRecord>) => {
      const down = { ...deleted, pod: undefined, answer: notAsked, ...change };
      return chosen(without(2, withNode(five, 2, down)), 4).candidate?.basis;
    };
    expect(basis({ lastActiveAtMs: NOW_MS - 60_000 })).to.equal('Proof');
    expect(basis({ lastActiveAtMs: Number.POSITIVE_INFINITY })).to.equal('Proof');
    expect(basis({ lastActiveAtMs: NOW_MS - 60_001 })).to.equal('Dead');
    const ending = volume(2, { isTerminating: true });
    expect(basis({ lastActiveAtMs: NOW_MS, volume: ending })).to.equal('Dead');
  });

  it('waits for its replacement while fewer others are Active than are wanted, and no longer (F44)', () => {
    const list = withNode(five, 2, deleted);
    expect(chosen(list, 4).candidate?.node.id).to.equal(2);
    expect(chosen(list, 5)).to.deep.equal({
      candidate: undefined,
      holds: [
        {
          reason: 'WaitingForReplacement',
          message: 'demo-2 stays until 5 other members are Active: 4 are',
          needsPerson: false,
        },
      ],
    });
  });

  const uncounted: readonly (readonly [string, Partial<NodeRecord>])[] = [
    ['silent', { answer: silent }],
    [
      'without primaries',
      { answer: serving(views(5).map((entry) => (entry.id === 0 ? line(0, { hasPrimaries: false }) : entry))) },
    ],
    ['not let in yet', { serving: false }],
    ['ending', { pod: pod(0, { isTerminating: true }) }],
    ['without its volume', { volume: undefined }],
  ];
  for (const [sentence, change] of uncounted)
    it(`does not count another node that is ${sentence} as its replacement`, () => {
      const list = withNode(withNode(five, 2, { forceRemove: 'node-uid-2/now' }), 0, change);
      expect(chosen(list, 4).candidate).to.equal(undefined);
    });

  it('is not the replacement that is still joining, which is no surplus', () => {
    const list = [...withNode(nodes(4), 1, deleted), unjoined(4)];
    const { candidate, holds } = chosen(list, 4);
    expect(candidate).to.equal(undefined);
    expect(reasons(holds)).to.deep.equal(['WaitingForReplacement']);
  });

  it('goes one at a time, the one deleted first before lower ids, while the others wait for their turn (F44)', () => {
    const list = [
      ...withNode(withNode(withNode(nodes(6), 1, deleted), 3, { ...deleted, deletedAtMs: NOW_MS - 9_000 }), 4, {
        ...deleted,
        deletedAtMs: NOW_MS - 9_000,
      }),
    ];
    const { candidate, holds } = chosen(list, 5);
    expect(candidate?.node.id).to.equal(3);
    expect(holds).to.deep.equal([
      { reason: 'WaitingForTurn', message: 'demo-4, demo-1 wait until demo-3 is gone', needsPerson: false },
    ]);
  });

  it('goes in the order lost volume, forced, deleted, volume being deleted, and before any surplus', () => {
    let list = without(4, [...nodes(9)]);
    const order: number[] = [];
    list = withNode(list, 1, { volume: volume(1, { isTerminating: true }) });
    list = withNode(list, 2, deleted);
    list = withNode(list, 3, { forceRemove: 'node-uid-3/now' });
    list = withNode(list, 4, lost);
    for (let step = 0; step < 5; step += 1) {
      const { candidate } = chosen(list, 3);
      if (candidate === undefined) break;
      order.push(candidate.node.id);
      const left = list.filter((entry) => entry.id !== candidate.node.id);
      list = showing(
        left.map((entry) => entry.id),
        left,
      );
    }
    expect(order).to.deep.equal([4, 3, 2, 1, 8]);
  });

  it('goes before one whose volume is lost when it is new and still joining: that one is not proven while it does', () => {
    const joiner = unjoined(4, { answer: joining, isDeleting: true, deletedAtMs: NOW_MS });
    const lost = node(0, { volume: undefined, answer: five[0]?.answer ?? notAsked });
    const view = five.map(({ id }) => line(id, { hasPrimaries: id !== 4 }));
    const list = [lost, ...five.slice(1, 4), joiner].map((one) =>
      one.answer.kind === 'serving' ? { ...one, answer: serving(view) } : one,
    );
    expect(short(chosen(list, 3).candidate)).to.deep.equal([4, 'Replace', 'NeverJoined']);
    const joined = list.map((one) => (one.id === 4 ? { ...one, wasActive: true } : one));
    expect(short(chosen(joined, 3).candidate)).to.deep.equal([0, 'Replace', 'Proof']);
  });

  it('goes before one that is lost for good once it was told to leave and cannot come back: beside it nobody else may', () => {
    const told = { pod: pod(1, { isLeaving: true }), volume: undefined };
    const { candidate } = chosen(withNode(without(4, withNode(nodes(9), 4, lost)), 1, told), 3);
    expect([candidate?.node.id, candidate?.basis]).to.deep.equal([1, 'Proof']);
  });
});

describe('a force-remove annotation', () => {
  for (const [text, isValid] of [
    ['node-uid-2/the disk is broken', true],
    ['node-uid-2/', false],
    ['node-uid-2/   ', false],
    ['node-uid-2', false],
    ['node-uid-22/typo', false],
    ['/reason', false],
    ['', false],
    ['true', false],
  ] as const)
    it(`${isValid ? 'counts' : 'is ignored and said to be'} when it is "${text}" (F58)`, () => {
      const list = withNode(five, 2, { forceRemove: text });
      const { candidate } = chosen(list, 4);
      expect(candidate?.basis).to.equal(isValid ? 'Forced' : 'Proof');
      expect(candidate?.node.id).to.equal(isValid ? 2 : 4);
      expect(list.flatMap(annotationHolds)).to.deep.equal(
        isValid
          ? []
          : [
              {
                reason: 'ForceIgnored',
                message:
                  'marekvs.io/force-remove of demo-2 is ignored: to force this very node out, write node-uid-2/<reason>',
                needsPerson: false,
              },
            ],
      );
    });

  it('goes before a mark on another node', () => {
    const list = withNode(withNode(five, 1, { removeFirst: 'true' }), 2, { forceRemove: 'node-uid-2/x' });
    expect(chosen(list, 4).candidate?.node.id).to.equal(2);
  });

  it('has at most 200 characters of its reason repeated in messages', () => {
    const { candidate } = chosen(withNode(five, 2, { forceRemove: `node-uid-2/${'x'.repeat(5_000)}` }), 4);
    expect(candidate?.chosen).to.have.length('a person forced it out: '.length + 200);
  });
});

describe('the hosts that are asked about', () => {
  it('are those of all nodes while there is a surplus, each once', () => {
    const list = withNode(five, 3, { pod: pod(3, { hostName: 'host-0' }) });
    expect(hostsToAsk(seen(list), 3)).to.deep.equal(['host-0', 'host-1', 'host-2', 'host-4']);
  });
  it('are none without a surplus', () => {
    expect(hostsToAsk(seen(five), 5)).to.deep.equal([]);
  });
  it('are none while an operation is under way', () => {
    expect(hostsToAsk(seen(five, { cluster: { operation: record() } }), 3)).to.deep.equal([]);
  });
});

describe('a stored removal', () => {
  const wanted = (list: readonly NodeRecord[], desired: number, change: Partial<Operation> = {}) => {
    const target = list.find((entry) => entry.id === 4) ?? node(4);
    return isStillWanted(seen(list), target, record(change), desired);
  };
  it('is still wanted while enough others stay, and not with one fewer (F41)', () => {
    expect(wanted(five, 4)).to.equal(true);
    expect(wanted(five, 5)).to.equal(false);
  });
  it('is still wanted when the node has to go anyway', () => {
    expect(wanted(withNode(five, 4, { isDeleting: true }), 6)).to.equal(true);
  });
  it('is no longer wanted when another node has to go as well and too few would stay', () => {
    expect(wanted(withNode(five, 1, { isDeleting: true }), 4)).to.equal(false);
  });
  it('is no longer wanted when its force annotation was removed, even with a surplus', () => {
    const forced = withNode(five, 4, { forceRemove: 'node-uid-4/x' });
    expect(wanted(forced, 5, { basis: 'Forced' })).to.equal(true);
    expect(wanted(five, 3, { basis: 'Forced' })).to.equal(false);
  });
});

function record(change: Partial<Operation> = {}): Operation {
  return {
    id: '4-abc',
    type: 'Remove',
    specGeneration: 1,
    phase: 'Claimed',
    startedAt: '2026-01-01T00:09:00Z',
    ...change,
  };
}
