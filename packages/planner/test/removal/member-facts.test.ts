// What one life of a member's process has shown: computed from one reading to the next, so that counters also cover the
// time between readings.

import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  type MemberFacts,
  type MemberFigures,
  type MemberReading,
  nextFacts,
  type OwnTraces,
} from '../../src/index.ts';
import { recentReading, recentView } from '../../src/removal/member-facts.ts';
import { line, MONOTONIC_MS, views } from '../support/builders.ts';
import { digestOf, drained, factsOf, NO_TRACES } from '../support/facts.ts';

const LIFE = { nodeId: 2, podUid: 'pod-uid-2', generation: 7, intervalMs: 1_000 };
const FIRST = factsOf(2).last;

interface Change {
  readonly figures?: Partial<MemberFigures>;
  readonly own?: Partial<OwnTraces>;
  readonly shown?: MemberReading['shown'];
}

/** The reading `afterMs` after the first one of a member at rest, with `change`. */
function reading(afterMs: number, change: Change = {}): MemberReading {
  const atMs = FIRST.atMs + afterMs;
  const { shown } = FIRST;
  return {
    atMs,
    figures: { ...FIRST.figures, ...change.figures },
    own: { ...NO_TRACES, ...change.own },
    shown: 'shown' in change ? change.shown : shown && { ...shown, atMs },
  };
}

/** The facts after these readings of one life. */
function after(...readings: readonly MemberReading[]): MemberFacts {
  let facts: MemberFacts | undefined;
  for (const one of readings) facts = nextFacts(facts, one, LIFE);
  if (facts === undefined) throw new Error('no reading');
  return facts;
}

const ACCEPTED = 817;
const OPENED = NO_TRACES.opened;
const FAILED = NO_TRACES.failed;
/** Milliseconds from the first reading to the one since which the member is known to be alone. */
const aloneAfter = (...readings: readonly MemberReading[]) => {
  const { aloneSinceMs } = after(...readings);
  return aloneSinceMs === undefined ? undefined : aloneSinceMs - FIRST.atMs;
};

describe('a member without other connections is known to be alone', () => {
  it('since the first reading without a client, also after later ones', () => {
    expect(aloneAfter(reading(0))).to.equal(0);
    expect(aloneAfter(reading(0), reading(1_000), reading(2_000))).to.equal(0);
  });
  it('not while a client is connected, and then since the first reading without one', () => {
    const busy = (atMs: number) => reading(atMs, { figures: { clients: 1 } });
    expect(aloneAfter(busy(0))).to.equal(undefined);
    expect(aloneAfter(reading(0), busy(1_000))).to.equal(undefined);
    expect(aloneAfter(reading(0), busy(1_000), reading(2_000))).to.equal(2_000);
  });
  it('only since the first reading after a connection that came and went between two readings', () => {
    const after1 = { figures: { accepted: ACCEPTED + 1 } };
    expect(aloneAfter(reading(0), reading(1_000, after1), reading(2_000, after1))).to.equal(1_000);
  });
  it('only since the last byte that came in, even when no client connected', () => {
    const byte = { figures: { inputBytes: 123_457 } };
    expect(aloneAfter(reading(0), reading(1_000, byte), reading(2_000, byte))).to.equal(1_000);
  });
  it('also through connections and bytes of the operator, however many, but not with one of another client among them', () => {
    const ours = (accepted: number) =>
      reading(1_000, { figures: { accepted: ACCEPTED + accepted, inputBytes: 130_000 }, own: { opened: OPENED + 3 } });
    expect(aloneAfter(reading(0), ours(3))).to.equal(0);
    expect(aloneAfter(reading(0), ours(4))).to.equal(1_000);
    expect(aloneAfter(reading(0), ours(2)), 'one of ours never arrived').to.equal(1_000);
  });
  it('only since a connection of the operator that failed, since the member may or may not have counted it', () => {
    const failedOnce = { own: { opened: OPENED + 1, failed: FAILED + 1 } };
    const both = { ...failedOnce, figures: { accepted: ACCEPTED + 1 } };
    expect(aloneAfter(reading(0), reading(1_000, both))).to.equal(1_000);
    expect(aloneAfter(reading(0), reading(1_000, failedOnce))).to.equal(1_000);
    expect(aloneAfter(reading(0), reading(1_000, both), reading(2_000, both))).to.equal(1_000);
  });
  it('through two readings a minute apart, since the counters would show what came in between', () => {
    expect(aloneAfter(reading(0), reading(60_000))).to.equal(0);
    expect(aloneAfter(reading(0), reading(60_000, { figures: { accepted: ACCEPTED + 1 } }))).to.equal(60_000);
  });
  it('as before while a connection of the operator is open, and the next reading is compared with the one before it', () => {
    const open = reading(1_000, {
      figures: { clients: 1, accepted: ACCEPTED + 1, inputBytes: 130_000 },
      own: { opened: OPENED + 1, isUnderWay: true },
    });
    const ours = { figures: { accepted: ACCEPTED + 1, inputBytes: 140_000 }, own: { opened: OPENED + 1 } };
    const foreign = { ...ours, figures: { accepted: ACCEPTED + 2 } };
    expect(aloneAfter(open)).to.equal(undefined);
    expect(aloneAfter(reading(0), open)).to.equal(0);
    expect(aloneAfter(reading(0), open, reading(2_000, ours))).to.equal(0);
    expect(aloneAfter(reading(0), open, reading(2_000, foreign))).to.equal(2_000);
  });
  it('not at a reading without one of the three figures, nor from before the next one', () => {
    for (const figure of ['clients', 'accepted', 'inputBytes'] as const) {
      const without = reading(1_000, { figures: { [figure]: undefined } });
      expect(aloneAfter(reading(0), without), figure).to.equal(undefined);
      expect(aloneAfter(reading(0), without, reading(2_000)), figure).to.equal(2_000);
    }
  });
  it('not with a figure that is not a number', () => {
    expect(aloneAfter(reading(0), reading(1_000, { figures: { clients: Number.NaN } }))).to.equal(undefined);
    expect(aloneAfter(reading(0), reading(1_000, { figures: { accepted: Number.NaN } }))).to.equal(1_000);
  });
  it('only since the first reading of its present life', () => {
    expect(nextFacts(undefined, reading(5_000), { ...LIFE, generation: 8 }).aloneSinceMs).to.equal(FIRST.atMs + 5_000);
  });

  type Event =
    | { readonly kind: 'foreign'; readonly stays: boolean }
    | { readonly kind: 'foreignLeaves' }
    | { readonly kind: 'own'; readonly fate: 'answered' | 'failed' | 'refused' }
    | { readonly kind: 'ownOpens' }
    | { readonly kind: 'ownCloses' }
    | { readonly kind: 'reading' };
  const event: fc.Arbitrary<Event> = fc.oneof(
    fc.boolean().map((stays): Event => ({ kind: 'foreign', stays })),
    fc.constantFrom<Event>({ kind: 'foreignLeaves' }, { kind: 'ownOpens' }, { kind: 'ownCloses' }),
    fc.constantFrom('answered', 'failed', 'refused').map((fate): Event => ({ kind: 'own', fate }) as Event),
    { arbitrary: fc.constant<Event>({ kind: 'reading' }), weight: 4 },
  );

  it('never since before the last connection of another client, in whatever order those and the operator’s come and go', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let facts: MemberFacts | undefined;
        const member = { accepted: 100, inputBytes: 5_000, foreign: 0, ours: 0 };
        const own = { opened: 9, failed: 2, underWay: 0 };
        let lastForeignMs = Number.NEGATIVE_INFINITY;
        for (const [at, one] of events.entries()) {
          const atMs = 1_000_000 + at;
          if (one.kind === 'foreign') {
            member.accepted += 1;
            member.inputBytes += 30;
            if (one.stays) member.foreign += 1;
            lastForeignMs = atMs;
          } else if (one.kind === 'foreignLeaves') {
            if (member.foreign > 0) {
              member.foreign -= 1;
              lastForeignMs = atMs;
            }
          } else if (one.kind === 'own') {
            own.opened += 1;
            if (one.fate !== 'answered') own.failed += 1;
            if (one.fate !== 'refused') member.accepted += 1;
            if (one.fate === 'answered') member.inputBytes += 20;
          } else if (one.kind === 'ownOpens') {
            own.opened += 1;
            own.underWay += 1;
            member.accepted += 1;
            member.ours += 1;
          } else if (one.kind === 'ownCloses') {
            if (own.underWay > 0) {
              own.underWay -= 1;
              member.ours -= 1;
              member.inputBytes += 20;
            }
          } else {
            const isUnderWay = own.underWay > 0;
            const figures = { ...FIRST.figures, ...member, clients: member.foreign + member.ours };
            const traces = { opened: own.opened, failed: own.failed, isUnderWay, observer: 'none' } as const;
            facts = nextFacts(facts, { atMs, figures, own: traces, shown: undefined }, LIFE);
            if (isUnderWay || facts.aloneSinceMs === undefined) continue;
            expect(facts.aloneSinceMs).to.be.greaterThan(lastForeignMs);
            expect(member.foreign).to.equal(0);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the last reading of a member', () => {
  it('is the newest one, but with the counters from before while a connection of the operator is open', () => {
    const open = reading(1_000, {
      figures: { accepted: ACCEPTED + 1, inputBytes: 130_000, meshPeers: 3 },
      own: { opened: OPENED + 1, isUnderWay: true },
    });
    const { last } = after(reading(0), open);
    expect([last.atMs, last.figures.meshPeers]).to.deep.equal([FIRST.atMs + 1_000, 3]);
    expect([last.figures.accepted, last.figures.inputBytes]).to.deep.equal([ACCEPTED, 123_456]);
    expect(last.own).to.deep.include({ opened: OPENED, failed: FAILED, isUnderWay: true });
  });
  it('names the Pod and the generation that it comes from', () => {
    expect(after(reading(0))).to.deep.include(LIFE);
  });
});

describe('the present list of a member counts as shown', () => {
  const list = (afterMs: number, view = views(5), digest = digestOf(view)) =>
    reading(afterMs, { shown: { view, digest, atMs: FIRST.atMs + afterMs } });
  const shownAfter = (...readings: readonly MemberReading[]) => {
    const { shownSinceMs } = after(...readings);
    return shownSinceMs === undefined ? undefined : shownSinceMs - FIRST.atMs;
  };

  it('since it was first seen, as long as list and placement stay the same', () => {
    expect(shownAfter(list(0), list(1_000), list(2_000, [...views(5)]))).to.equal(0);
  });
  it('only since the change after another member, generation, phase or placement', () => {
    const others: readonly MemberReading[] = [
      list(1_000, views(4)),
      list(1_000, [line(0, { generation: 1 }), ...views(5).slice(1)]),
      list(1_000, drained([0, 1, 2, 3, 4], 4)),
      list(1_000, views(5), 'another placement'),
      // Two lists of which only one is said to differ.
      list(1_000, views(4), digestOf(views(5))),
    ];
    for (const other of others) expect(shownAfter(list(0), other)).to.equal(1_000);
  });
  it('only since the reading after a gap of more than 10 s, in which a member may have left and come back', () => {
    expect(shownAfter(list(0), list(10_000))).to.equal(0);
    expect(shownAfter(list(0), list(10_001))).to.equal(10_001);
  });
  it('through a gap of two intervals at a slower pace, and no longer', () => {
    const slow = (facts: MemberFacts | undefined, one: MemberReading) =>
      nextFacts(facts, one, { ...LIFE, intervalMs: 30_000 });
    const first = slow(undefined, list(0));
    expect(slow(first, list(60_000)).shownSinceMs).to.equal(FIRST.atMs);
    expect(slow(first, list(60_001)).shownSinceMs).to.equal(FIRST.atMs + 60_001);
  });
  it('as before when a reading without a new list keeps the old one', () => {
    const brief = { ...reading(9_000), shown: list(0).shown };
    expect(shownAfter(list(0), brief)).to.equal(0);
    expect(shownAfter(list(0), brief, list(10_000))).to.equal(0);
  });
  it('not while the member serves no commands, and then only since it does again', () => {
    const joining = reading(1_000, { shown: undefined });
    expect(shownAfter(list(0), joining)).to.equal(undefined);
    expect(shownAfter(list(0), joining, list(2_000))).to.equal(2_000);
  });
});

describe('the mesh connections of a member', () => {
  const peers = (meshPeers: number | undefined, observer: OwnTraces['observer'] = 'none', afterMs = 0) =>
    reading(afterMs, { figures: { meshPeers }, own: { observer } });

  it('are those that it reports, and one less while the operator is an observer', () => {
    expect(after(peers(4)).meshPeers).to.equal(4);
    expect(after(peers(5, 'counted')).meshPeers).to.equal(4);
    expect(after(peers(4, 'counted')).meshPeers).to.equal(3);
  });
  it('are the lower of two numbers while the observer connects or leaves, since the figure may include it or not', () => {
    for (const before of [peers(4), peers(5, 'counted')])
      for (const now of [4, 5]) expect(after(before, peers(now, 'changing', 1_000)).meshPeers).to.equal(4);
    expect(after(peers(4), peers(3, 'changing', 1_000)).meshPeers).to.equal(3);
    expect(after(peers(3), peers(4, 'changing', 1_000)).meshPeers).to.equal(3);
  });
  it('are at most one less than reported, since only one can be the operator’s', () => {
    expect(after(peers(3), peers(5, 'changing', 1_000)).meshPeers).to.equal(4);
    expect(after(peers(4, 'counted'), peers(5, 'changing', 1_000)).meshPeers).to.equal(4);
  });
  it('are one less than reported when nothing was known before the observer connected', () => {
    expect(after(peers(5, 'changing')).meshPeers).to.equal(4);
    expect(after(peers(undefined), peers(5, 'changing', 1_000)).meshPeers).to.equal(4);
  });
  it('are unknown without the figure, and before the first statistics', () => {
    expect(after(peers(4), peers(undefined, 'none', 1_000)).meshPeers).to.equal(undefined);
    expect(after(reading(0, { figures: { isFresh: false } })).meshPeers).to.equal(undefined);
  });
});

describe('the set of members ever shown with primaries', () => {
  const showing = (afterMs: number, view: ReturnType<typeof views>) =>
    reading(afterMs, { shown: { view, digest: '', atMs: FIRST.atMs + afterMs } });

  it('keeps a member for as long as the life lasts, also when no list shows it any more', () => {
    const facts = after(showing(0, views(3)), showing(1_000, [line(0), line(4)]), showing(2_000, [line(0)]));
    expect([...facts.shownActive]).to.deep.equal([0, 1, 2, 4]);
  });
  it('excludes a member that was only shown joining or leaving', () => {
    expect([...after(showing(0, drained([0, 1, 4], 4))).shownActive]).to.deep.equal([0, 1]);
  });
  it('is empty in a life that has shown no list, and stays while none is shown', () => {
    expect(after(reading(0, { shown: undefined })).shownActive.size).to.equal(0);
    expect(after(showing(0, views(2)), reading(1_000, { shown: undefined })).shownActive.size).to.equal(2);
  });
});

describe('the last answer of a member', () => {
  const reads = (ageMs: number, intervalMs = 1_000) =>
    recentReading(factsOf(2, { atMs: MONOTONIC_MS - ageMs, intervalMs }), MONOTONIC_MS) !== undefined;
  const shows = (ageMs: number, intervalMs = 1_000, readAgoMs = 0) =>
    recentView(
      factsOf(2, { atMs: MONOTONIC_MS - readAgoMs, viewAtMs: MONOTONIC_MS - ageMs, intervalMs }),
      MONOTONIC_MS,
    ) !== undefined;

  it('counts as recent for 4 s, or two intervals where these are longer', () => {
    expect([reads(4_000), reads(4_001)]).to.deep.equal([true, false]);
    expect([reads(6_000, 3_000), reads(6_001, 3_000)]).to.deep.equal([true, false]);
  });
  it('counts as recent about its list for 8 s, or four intervals, while its figures are recent', () => {
    expect([shows(8_000), shows(8_001)]).to.deep.equal([true, false]);
    expect([shows(12_000, 3_000), shows(12_001, 3_000)]).to.deep.equal([true, false]);
    expect([shows(4_001, 1_000, 4_000), shows(4_001, 1_000, 4_001)]).to.deep.equal([true, false]);
  });
  it('does not exist without facts, and has no list while the member serves no commands', () => {
    expect(recentReading(undefined, MONOTONIC_MS)).to.equal(undefined);
    expect(recentView(undefined, MONOTONIC_MS)).to.equal(undefined);
    expect(recentView(factsOf(2, { isJoining: true }), MONOTONIC_MS)).to.equal(undefined);
  });
});
