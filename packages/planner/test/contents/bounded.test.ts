// What a comparison keeps is bounded, whatever the members show: of many open partitions only how much they lack.

import { homesAt, PARTITIONS, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { bucketPlace } from '../../src/contents/judged.ts';
import { MAX_WORKS } from '../../src/contents/limits.ts';
import { Judged } from '../../src/index.ts';
import { Driven, requestOf, string } from './support/driving.ts';

const IDS = [0, 1, 2];
const SOURCE = 0;
const placement = placementOf(IDS, 2);
const owned = Array.from({ length: PARTITIONS }, (_, partition) => partition).filter((partition) =>
  homesAt(placement, partition).includes(SOURCE),
);
const otherHome = (partition: number) => homesAt(placement, partition).find((id) => id !== SOURCE) ?? 0;

/** In every partition of the source are so many records that its other home lacks. */
function lacking(records: number): Driven {
  const driven = new Driven(requestOf(IDS, { sources: [SOURCE], isKeptFresh: true }));
  for (const partition of owned)
    for (let at = 0; at < records; at += 1) driven.put(partition, string(BigInt(at), 1n + BigInt(at)), SOURCE);
  return driven;
}

function copied(driven: Driven, records: number, partitions: readonly number[] = owned): void {
  for (const partition of partitions)
    for (let at = 0; at < records; at += 1)
      driven.put(partition, string(BigInt(at), 1n + BigInt(at)), otherHome(partition));
}

function missing(driven: Driven): { readonly partitions: number; readonly records: number } {
  const all = driven.comparison.figures().missing;
  return {
    partitions: all.reduce((sum, { partitions }) => sum + partitions, 0),
    records: all.reduce((sum, { records }) => sum + records, 0),
  };
}

function partitionsOf(driven: Driven): ReadonlySet<number> {
  return new Set(driven.asked.flatMap(({ question }) => (question.kind === 'digests' ? question.partitions : [])));
}

describe('a comparison of members that differ nearly everywhere', () => {
  it('says how much is missing, is not complete before the last of it is there, and then is', () => {
    const driven = lacking(2).settle();
    const all = { partitions: owned.length, records: 2 * owned.length };
    expect(missing(driven)).to.deep.equal(all);
    driven.runUntil(10_000);
    expect(missing(driven)).to.deep.equal(all);
    copied(driven, 2, owned.slice(1));
    driven.runUntil(20_000);
    expect(missing(driven)).to.deep.equal({ partitions: 1, records: 2 });
    expect(driven.comparison.figures().isComplete).to.equal(false);
    copied(driven, 2);
    driven.runUntil(30_000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, missing: [] });
  });

  it('asks again after a second for those of which it knows everything, and for the others after five', () => {
    const driven = lacking(1).settle();
    const asked = (untilMs: number): number => {
      driven.asked.length = 0;
      driven.runUntil(untilMs);
      return partitionsOf(driven).size;
    };
    expect(asked(4_000)).to.equal(MAX_WORKS);
    expect(asked(8_000)).to.equal(owned.length);
  });

  it('counts what becomes empty as covered', () => {
    const driven = lacking(1).settle();
    for (const partition of owned) driven.member(SOURCE).drop(partition, 0n);
    driven.runUntil(10_000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, missing: [] });
  });

  it('is not complete while something is missing that was found in a later sweep', () => {
    const driven = lacking(0).settle();
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 1000 });
    for (const partition of owned) driven.put(partition, string(0n, 1n), SOURCE);
    driven.nowMs = 5_000;
    driven.comparison.sweep(driven.nowMs);
    driven.runUntil(10_000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: false, coveredAtMs: undefined });
    copied(driven, 1);
    driven.runUntil(20_000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, coveredAtMs: 5_000 });
  });
});

describe('a comparison that rests', () => {
  it('says what it said before, and goes on with what is not covered', () => {
    const driven = lacking(2);
    copied(driven, 2, owned.slice(0, 100));
    driven.settle();
    const before = driven.comparison.figures();
    expect(before.partitionsDone).to.equal(PARTITIONS - owned.length + 100);
    driven.comparison.rest(driven.nowMs);
    expect(driven.comparison.figures()).to.deep.equal(before);
    driven.asked.length = 0;
    copied(driven, 2);
    driven.runUntil(20_000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, missing: [] });
    expect([...partitionsOf(driven)].sort((a, b) => a - b)).to.deep.equal(owned.slice(100));
  });

  it('goes on with what it had not looked at', () => {
    const driven = lacking(2);
    driven.round();
    driven.comparison.rest(driven.nowMs);
    copied(driven, 2);
    driven.runUntil(20_000);
    expect(driven.comparison.figures()).to.deep.include({ isComplete: true, missing: [] });
  });
});

describe('what earlier comparisons have found out', () => {
  it('is kept up to two megabytes each of partitions and of buckets, the newest', () => {
    const judged = new Judged();
    const key = 'k'.repeat(1_000);
    const numbers = Array.from({ length: 3_000 }, (_, no) => no);
    for (const no of numbers) {
      judged.notePartition(no, 'source', 'home', [key]);
      judged.noteBucket(bucketPlace(no, 7), 'source', 'home', [key]);
    }
    const kept = [
      numbers.filter((no) => judged.ofPartition(no, 'source', 'home') !== undefined),
      numbers.filter((no) => judged.ofBucket(bucketPlace(no, 7), 'source', 'home') !== undefined),
    ];
    for (const newest of kept) {
      expect(newest.length).to.be.within(1_500, 2_000);
      expect(newest.at(-1)).to.equal(2_999);
    }
  });

  it('includes the streams that a member would not give again yet, and no others', () => {
    const judged = new Judged();
    judged.noteStream('a', 1, 0);
    judged.noteStream('a', 2, 15_000);
    judged.noteStream('a', 3, 22_000);
    expect([1, 2, 3].map((partition) => judged.mayStream('a', partition, 22_000))).to.deep.equal([true, false, false]);
  });
});
