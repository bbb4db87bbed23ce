// What one life of a member's process has shown, from one reading to the next.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type MemberFacts,
  type MemberFigures,
  type MemberReading,
  nextFacts,
  type ObserverTrace,
} from '../../src/index.ts';
import { recentReading, recentView } from '../../src/observation/member-facts.ts';
import { line, MONOTONIC_MS, views } from '../support/builders.ts';
import { digestOf, drained, factsOf } from '../support/facts.ts';

const LIFE = { nodeId: 2, podUid: 'pod-uid-2', generation: 7, intervalMs: 1_000 };
const FIRST = factsOf(2).last;

interface Change {
  readonly figures?: Partial<MemberFigures>;
  readonly observer?: ObserverTrace;
  readonly shown?: MemberReading['shown'];
}

/** The reading `afterMs` after the first one of a member at rest, with `change`. */
function reading(afterMs: number, change: Change = {}): MemberReading {
  const atMs = FIRST.atMs + afterMs;
  const { shown } = FIRST;
  return {
    atMs,
    figures: { ...FIRST.figures, ...change.figures },
    observer: change.observer ?? 'none',
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

describe('the last reading of a member', () => {
  it('is the newest one', () => {
    const { last } = after(reading(0), reading(1_000, { figures: { meshPeers: 3 } }));
    expect([last.atMs, last.figures.meshPeers]).to.deep.equal([FIRST.atMs + 1_000, 3]);
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
  const peers = (meshPeers: number | undefined, observer: ObserverTrace = 'none', afterMs = 0) =>
    reading(afterMs, { figures: { meshPeers }, observer });

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
