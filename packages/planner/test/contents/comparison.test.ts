// Which records count as covered, and which questions find that out.

import { homesAt, PARTITIONS, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createComparison } from '../../src/index.ts';
import { counter, Driven, register, requestOf, string } from './support/driving.ts';

const IDS = [0, 1, 2];
/** A partition, its two homes, and a member that is no home of it. */
const P = 77;
const [FIRST = 0, SECOND = 0] = homesAt(placementOf(IDS, 2), P);
const STRAY = IDS.find((id) => id !== FIRST && id !== SECOND) ?? 0;

const three = (sources: readonly number[] = IDS) => new Driven(requestOf(IDS, { sources }));
const only = (source: number) => three([source]);

describe('a comparison of members without records', () => {
  it('asks each member about each partition once, and nothing else', () => {
    const driven = three().settle();
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 1000, missing: [] });
    for (const id of IDS) {
      const partitions = driven.questions('digests', id).flatMap((q) => (q.kind === 'digests' ? q.partitions : []));
      expect(partitions.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: PARTITIONS }, (_, p) => p));
    }
    expect(driven.asked.length).to.equal((IDS.length * PARTITIONS) / 64);
    expect(driven.comparison.idleForMs(driven.nowMs)).to.equal(undefined);
  });

  it('does not ask the homes of a source that holds nothing', () => {
    const driven = only(1).settle();
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(driven.questions('digests').every(({ nodeId }) => nodeId === 1)).to.equal(true);
  });

  it('is complete at once without sources', () => {
    const { comparison } = new Driven(requestOf(IDS, { sources: [] }));
    expect(comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 1000, partitionsTotal: 0 });
    expect(comparison.next(0, 1000)).to.equal(undefined);
  });

  it('refuses a source that is not a member', () => {
    expect(() => createComparison(requestOf(IDS, { sources: [9] }), 0)).to.throw(RangeError, 'member 9');
  });
});

describe('a record of a source', () => {
  it('is covered without a look at entries where the homes are equal', () => {
    const driven = three();
    driven.put(P, string(5n, 1n), FIRST, SECOND);
    driven.settle();
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(driven.questions('entries')).to.deep.equal([]);
  });

  it('is covered without a question to others when the source is its only home', () => {
    const driven = new Driven(requestOf(IDS, { replicationFactor: 1, sources: [FIRST] }));
    driven.put(P, string(5n, 1n), FIRST);
    expect(driven.settle().comparison.figures().isComplete).to.equal(true);
  });

  it('has to be on every home when the source is no home of it', () => {
    const driven = only(STRAY);
    driven.put(P, string(5n, 1n), STRAY, FIRST);
    driven.settle();
    const { isComplete, missing } = driven.comparison.figures();
    expect(isComplete).to.equal(false);
    expect(missing).to.deep.equal([{ sourceId: STRAY, homeId: SECOND, partitions: 1, records: 1 }]);
    driven.put(P, string(5n, 1n), SECOND);
    expect(driven.runUntil(2000).comparison.figures().isComplete).to.equal(true);
  });

  it('may be missing at the source when only the home holds it', () => {
    const driven = only(FIRST);
    driven.put(P, string(5n, 1n), FIRST, SECOND);
    driven.put(P, string(5n + 256n, 2n), SECOND);
    driven.put(P, string(6n, 3n), SECOND);
    driven.settle();
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(driven.questions('records')).to.deep.equal([]);
  });

  it('stays missing as long as it does not arrive, and is counted exactly', () => {
    const driven = three();
    driven.put(P, string(5n, 1n), FIRST);
    driven.put(P, string(5n + 256n, 1n), FIRST);
    driven.put(P, string(9n, 1n), FIRST);
    driven.put(P, string(10n, 1n), FIRST, SECOND);
    driven.runUntil(120_000);
    const { isComplete, missing, partitionsDone, partitionsTotal } = driven.comparison.figures();
    expect(isComplete).to.equal(false);
    expect(missing).to.deep.equal([{ sourceId: FIRST, homeId: SECOND, partitions: 1, records: 3 }]);
    expect(partitionsTotal - partitionsDone).to.equal(1);
    expect(driven.comparison.figures().movedAtMs).to.equal(1000);
  });

  it('is covered by another content of the very same version, of which each home would keep its own', () => {
    const driven = only(FIRST);
    driven.put(P, string(5n, 1n, 11n), FIRST);
    driven.put(P, string(5n, 1n, 12n), SECOND);
    expect(driven.settle().comparison.figures().isComplete).to.equal(true);
    expect(driven.questions('records')).to.have.length(2);
  });

  it('is covered by a newer version of a kind that the newer replaces, once both records were read', () => {
    const driven = only(FIRST);
    driven.put(P, string(5n, 1n), FIRST);
    driven.put(P, string(5n, 2n), SECOND);
    driven.settle();
    expect(driven.comparison.figures().isComplete).to.equal(true);
    expect(driven.questions('records').map(({ nodeId }) => nodeId)).to.deep.equal([FIRST, SECOND]);
    expect(driven.questions('entries').map(({ nodeId }) => nodeId)).to.deep.equal([FIRST, SECOND]);
  });

  it('is not covered by a newer counter without the increments that only the source has', () => {
    const driven = only(FIRST);
    driven.put(P, counter(5n, 4n, { 1: 3n }), FIRST);
    driven.put(P, counter(5n, 9n, { 1: 2n, 2: 7n }), SECOND);
    expect(driven.runUntil(60_000).comparison.figures().isComplete).to.equal(false);
    driven.put(P, counter(5n, 9n, { 1: 3n, 2: 7n }), SECOND);
    expect(driven.runUntil(62_000).comparison.figures().isComplete).to.equal(true);
  });

  it('is covered by a counter of the same version that has merged it', () => {
    const driven = only(FIRST);
    driven.put(P, counter(5n, 4n, { 1: 3n }), FIRST);
    driven.put(P, counter(5n, 4n, { 1: 3n, 2: 7n }), SECOND);
    expect(driven.settle().comparison.figures().isComplete).to.equal(true);
  });

  it('is covered by a register of higher rank in an older version, which is read after ten seconds', () => {
    const driven = only(STRAY);
    driven.put(P, register(5n, 4n, 2), STRAY);
    driven.put(P, register(5n, 3n, 6), FIRST, SECOND);
    driven.runUntil(10_900);
    expect(driven.questions('records')).to.deep.equal([]);
    expect(driven.comparison.figures().isComplete).to.equal(false);
    expect(driven.runUntil(12_000).comparison.figures().isComplete).to.equal(true);
  });

  it('is covered by a newer record of another kind, and not by an older one', () => {
    const driven = only(FIRST);
    driven.put(P, counter(5n, 4n, { 1: 3n }), FIRST);
    driven.put(P, string(5n, 3n), SECOND);
    expect(driven.runUntil(20_000).comparison.figures().isComplete).to.equal(false);
    driven.put(P, string(5n, 9n), SECOND);
    expect(driven.runUntil(22_000).comparison.figures().isComplete).to.equal(true);
  });

  it('no longer has to be covered once the source has dropped it', () => {
    const driven = only(FIRST);
    driven.put(P, string(5n, 1n), FIRST);
    driven.put(P, string(5n + 256n, 1n), FIRST);
    driven.put(P, string(5n + 512n, 1n), SECOND);
    driven.settle();
    driven.member(FIRST).drop(P, 5n);
    driven.runUntil(2000);
    expect(driven.comparison.figures().missing[0]?.records).to.equal(1);
    driven.member(FIRST).drop(P, 5n + 256n);
    expect(driven.runUntil(3000).comparison.figures().isComplete).to.equal(true);
  });

  it('is covered also when both homes write its key between any two questions', () => {
    const driven = only(FIRST);
    let version = 1n;
    driven.answering = () => {
      // The home is always one write behind.
      version += 2n;
      driven.put(P, string(5n, version), FIRST);
      driven.put(P, string(5n, version - 1n), SECOND);
      return undefined;
    };
    expect(driven.runUntil(4000).comparison.figures().isComplete).to.equal(true);
  });

  it('is not waited for when the source took it in after its partition was checked', () => {
    const driven = only(FIRST);
    driven.put(P, string(5n, 1n), FIRST);
    driven.settle();
    driven.put(P, string(5n, 1n), SECOND);
    driven.put(P, string(5n + 256n, 2n), FIRST);
    driven.put(P, string(9n, 3n), FIRST);
    expect(driven.runUntil(2000).comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 1000 });
  });
});

describe('many buckets that differ', () => {
  it('are examined eight at a time, all in turn, and count as one record each until then', () => {
    const driven = only(FIRST);
    for (let hash = 0n; hash < 40n; hash += 1n) driven.put(P, string((hash % 20n) + 256n * hash, 1n), FIRST);
    driven.settle();
    expect(driven.comparison.figures().missing[0]?.records).to.equal(8 * 2 + 12);
    const looked = driven.questions('entries', FIRST).map((q) => (q.kind === 'entries' ? q.buckets : []));
    expect(looked).to.deep.equal([[0, 1, 2, 3, 4, 5, 6, 7]]);
    driven.runUntil(3000);
    expect(driven.comparison.figures().missing[0]?.records).to.equal(40);
  });

  it('are covered without a question for entries when the copies have arrived', () => {
    const driven = only(FIRST);
    for (let hash = 0n; hash < 40n; hash += 1n) driven.put(P, string(hash, 1n), FIRST);
    driven.settle();
    const before = driven.questions('entries').length;
    for (let hash = 0n; hash < 40n; hash += 1n) driven.put(P, string(hash, 1n), SECOND);
    expect(driven.runUntil(2000).comparison.figures()).to.deep.include({ isComplete: true, movedAtMs: 2000 });
    expect(driven.questions('entries').length).to.equal(before);
  });

  it('take no more memory once very many records are missing, and are covered in the end', () => {
    const driven = new Driven(requestOf([0, 1], { sources: [0] }));
    // 100 partitions with 40 records in each of 16 buckets.
    const fill = (id: number) => {
      for (let p = 0; p < 100; p += 1) {
        for (let i = 0n; i < 640n; i += 1n) driven.put(p, string((i % 16n) + 256n * i, 1n), id);
      }
    };
    fill(0);
    driven.settle();
    const [missing] = driven.comparison.figures().missing;
    expect(missing?.records).to.equal(100 * (8 * 40 + 8));
    driven.runUntil(5000);
    expect(driven.comparison.figures().missing).to.deep.equal([missing]);
    fill(1);
    expect(driven.runUntil(7000).comparison.figures()).to.deep.include({ isComplete: true, missing: [] });
  });
});

describe('the figures of a comparison', () => {
  it('give the number of records of a source once all its partitions were looked at', () => {
    const driven = three();
    for (let p = 0; p < PARTITIONS; p += 1) driven.put(p, string(BigInt(p), 1n), ...homesAt(placementOf(IDS, 2), p));
    driven.round();
    expect([...driven.comparison.figures().records]).to.deep.equal([]);
    const { records } = driven.settle().comparison.figures();
    const sum = [...records.values()].reduce((a, b) => a + b, 0);
    expect(records.size).to.equal(3);
    expect(sum / (2 * PARTITIONS)).to.be.closeTo(1, 0.01);
  });

  it('name first the pair of members between which most is missing', () => {
    const driven = new Driven(requestOf(IDS, { replicationFactor: 3, sources: [0] }));
    driven.put(1, string(1n, 1n), 0, 2);
    driven.put(2, string(1n, 1n), 0, 1);
    driven.put(3, string(1n, 1n), 0, 1);
    expect(driven.settle().comparison.figures().missing).to.deep.equal([
      { sourceId: 0, homeId: 2, partitions: 2, records: 2 },
      { sourceId: 0, homeId: 1, partitions: 1, records: 1 },
    ]);
  });
});
