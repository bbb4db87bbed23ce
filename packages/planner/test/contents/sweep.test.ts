// Covered records are kept verified: each further sweep asks only for what has changed.

import { homesAt, PARTITIONS, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Driven, requestOf, string } from './support/driving.ts';

const IDS = [0, 1, 2];
const P = 77;
const [FIRST = 0, SECOND = 0] = homesAt(placementOf(IDS, 2), P);
const STRAY = IDS.find((id) => id !== FIRST && id !== SECOND) ?? 0;

/** Complete at 1000 with a record in every partition; the next sweep begins at 5000. */
function swept(change: (driven: Driven) => void, isKeptFresh = true): Driven {
  const driven = new Driven(requestOf(IDS, { isKeptFresh, sources: [FIRST] }));
  for (let p = 0; p < PARTITIONS; p += 1) driven.put(p, string(BigInt(p), 1n), ...homesAt(placementOf(IDS, 2), p));
  driven.settle();
  expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 1000 });
  driven.asked.length = 0;
  change(driven);
  driven.nowMs = 5000;
  driven.comparison.sweep(driven.nowMs);
  return driven;
}

describe('another sweep', () => {
  it('asks only the source while nothing has changed', () => {
    const driven = swept(() => undefined).settle();
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 5000 });
    expect(driven.asked.length).to.equal(PARTITIONS / 64);
    expect(driven.questions('digests', FIRST).length).to.equal(PARTITIONS / 64);
  });

  it('reports when its last answer came, which may be long after it began', () => {
    const driven = swept(() => undefined);
    const before = driven.comparison.figures().sweptAtMs;
    driven.nowMs = 20_000;
    expect(driven.settle().comparison.figures()).to.deep.include({ coveredAtMs: 5000, sweptAtMs: driven.nowMs });
    expect(before).to.be.below(5000);
  });

  it('asks the homes as well when no digests were kept', () => {
    const driven = swept(() => undefined, false).settle();
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 5000 });
    expect(driven.questions('digests', SECOND).length).to.be.above(0);
  });

  it('leaves the result of the last sweep in place until it ends', () => {
    const driven = swept(() => undefined);
    driven.round();
    expect(driven.comparison.figures()).to.deep.include({
      isComplete: true,
      coveredAtMs: 1000,
      partitionsDone: PARTITIONS,
    });
  });

  it('finds a new record that no other home has', () => {
    const driven = swept((one) => one.put(P, string(5n, 9n), FIRST)).settle();
    expect(driven.comparison.figures()).to.deep.include({
      isComplete: false,
      coveredAtMs: undefined,
      partitionsDone: PARTITIONS - 1,
      missing: [{ sourceId: FIRST, homeId: SECOND, partitions: 1, records: 1 }],
    });
    driven.put(P, string(5n, 9n), SECOND);
    driven.runUntil(6000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 5000, movedAtMs: 6000 });
    expect(driven.comparison.figures().sweptAtMs, 'what it waited for is no reason to call it young').to.equal(5000);
  });

  it('compares only the changed partition when the copies of a new record have arrived', () => {
    const driven = swept((one) => one.put(P, string(5n, 9n), FIRST, SECOND)).settle();
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 5000 });
    const atHome = driven.questions('digests', SECOND);
    expect(atHome.map((q) => (q.kind === 'digests' ? q.partitions : []))).to.deep.equal([[P]]);
  });

  it('compares again what changed during the sweep', () => {
    const driven = new Driven(requestOf(IDS, { isKeptFresh: true, sources: [FIRST] }));
    driven.put(P, string(5n, 1n), FIRST);
    driven.settle();
    driven.put(P, string(5n, 1n), SECOND);
    driven.put(P, string(6n, 2n), FIRST);
    driven.runUntil(2000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 1000 });
    driven.comparison.sweep(driven.nowMs);
    driven.settle();
    expect(driven.comparison.figures()).to.deep.include({
      isComplete: false,
      missing: [{ sourceId: FIRST, homeId: SECOND, partitions: 1, records: 1 }],
    });
  });

  it('does not compare strays again that newer records covered and that have not changed', () => {
    const driven = new Driven(requestOf(IDS, { isKeptFresh: true, sources: [STRAY] }));
    driven.put(P, string(5n, 1n), STRAY);
    driven.put(P, string(5n, 2n), FIRST, SECOND);
    driven.settle();
    expect(driven.questions('records')).to.have.length(4);
    driven.asked.length = 0;
    driven.comparison.sweep(2000);
    driven.settle();
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 2000 });
    expect(driven.asked.every(({ question }) => question.nodeId === STRAY)).to.equal(true);
  });

  it('does not withdraw the last result while the source does not answer', () => {
    const driven = swept((one) => one.put(P, string(5n, 9n), FIRST));
    driven.answering = () => ({ kind: 'failed' });
    driven.runUntil(20_000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 1000 });
    expect(driven.comparison.idleForMs(driven.nowMs)).to.be.within(1, 1000);
  });

  it('does not begin while the last one is under way', () => {
    const driven = swept(() => undefined);
    driven.round();
    driven.nowMs = 6000;
    driven.comparison.sweep(driven.nowMs);
    expect(driven.settle().comparison.figures().coveredAtMs).to.equal(5000);
  });

  it('ignores the answer to a question from before it began', () => {
    const driven = new Driven(requestOf([0, 1], { isKeptFresh: true }));
    driven.put(P, string(5n, 1n), 0);
    driven.settle();
    driven.nowMs = 2000;
    // One member says that it holds nothing any more, and all is covered, while the other member is still being asked.
    const [toSource, toHome] = [driven.comparison.next(0, 2000), driven.comparison.next(1, 2000)];
    if (toSource === undefined || toHome === undefined) throw new Error('not asked both');
    const old = driven.member(1).answer(toHome);
    driven.member(0).drop(P, 5n);
    driven.comparison.take(toSource, driven.member(0).answer(toSource), 2000);
    expect(driven.comparison.figures().isComplete).to.equal(true);
    driven.put(P, string(6n, 3n), 1);
    driven.comparison.sweep(2000);
    driven.round();
    driven.comparison.take(toHome, old, 2000);
    expect(driven.settle().comparison.figures()).to.deep.include({
      isComplete: false,
      missing: [{ sourceId: 1, homeId: 0, partitions: 1, records: 1 }],
    });
    driven.put(P, string(6n, 3n), 0);
    expect(driven.runUntil(4000).comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 2000 });
  });
});
