// HyperLogLog registers that the server never reconciles keep no comparison from ending, and are counted.

import { homesAt, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ComparisonPurpose, Judged } from '../../src/index.ts';
import { Driven, register, requestOf, string } from './support/driving.ts';
import { USER_KEY } from './support/model.ts';

const IDS = [0, 1, 2, 3];
const P = 77;
const [TARGET = 0, HOME = 0, OTHER = 0] = homesAt(placementOf(IDS, 3), P);

/** Registers of the target whose ranks are higher than those of its homes, in older versions. */
function diverging(
  purpose: ComparisonPurpose,
  { count = 3, homes = [HOME], judged }: { count?: number; homes?: readonly number[]; judged?: Judged } = {},
): Driven {
  const replicationFactor = homes.length + 1;
  const isKeptFresh = purpose === 'removal';
  const sources = [TARGET];
  const driven = new Driven(requestOf(IDS, { purpose, sources, replicationFactor, isKeptFresh }), 1000, judged);
  for (let hash = 0n; hash < BigInt(count); hash += 1n) {
    driven.put(P, register(hash, 10n + hash, 9), TARGET);
    driven.put(P, register(hash, 100_000n + hash, 3), ...homes);
  }
  return driven;
}

const isSettled = { isComplete: true, missing: [] };

describe('registers of which a home has a lower rank', () => {
  for (const purpose of ['settling', 'asked', 'change', 'routine', 'removal'] as const) {
    it(`are not missing in a comparison for ${purpose}, and are counted`, () => {
      const driven = diverging(purpose).settle();
      expect(driven.comparison.figures()).to.deep.include({ ...isSettled, diverging: { registers: 3, keys: 1 } });
      expect(driven.comparison.divergingKeys()).to.deep.equal([USER_KEY]);
    });
  }

  it('are counted also when a whole partition of them is compared by streams', () => {
    const driven = diverging('asked', { count: 1000 }).runUntil(2000);
    expect(driven.questions('stream')).to.have.length(2);
    expect(driven.comparison.figures()).to.deep.include({ ...isSettled, diverging: { registers: 1000, keys: 1 } });
  });

  it('are not counted where the home has the rank, whatever the versions', () => {
    const driven = diverging('asked', { count: 3 });
    for (let hash = 0n; hash < 3n; hash += 1n) driven.put(P, register(hash, 5n, 9 + Number(hash)), HOME);
    driven.runUntil(12_000);
    expect(driven.comparison.figures()).to.deep.include({ ...isSettled, diverging: { registers: 0, keys: 0 } });
  });

  it('do not hide a record that is missing', () => {
    const driven = diverging('asked');
    driven.put(P, string(256n, 7n), TARGET);
    expect(driven.settle().comparison.figures().missing[0]?.records).to.equal(1);
    driven.put(P, string(256n, 7n), HOME);
    driven.runUntil(3000);
    expect(driven.comparison.figures()).to.deep.include({ ...isSettled, diverging: { registers: 3, keys: 1 } });
  });

  for (const count of [3, 1000]) {
    it(`are counted by a later comparison as well, without reading ${count} of them again`, () => {
      const judged = new Judged();
      const first = diverging('asked', { count, judged }).runUntil(2000);
      const again = diverging('change', { judged }).with(first).settle();
      expect(again.asked.every(({ question }) => question.kind === 'digests')).to.equal(true);
      expect(again.comparison.figures().diverging).to.deep.equal({ registers: count, keys: 1 });
    });
  }
});

describe('before a removal, registers of the target', () => {
  const counted = (driven: Driven) => driven.comparison.figures().diverging.registers;

  it('count only while no other home has the rank', () => {
    const driven = diverging('removal', { homes: [HOME, OTHER] });
    expect(counted(driven.settle())).to.equal(3);
    const better = diverging('removal', { homes: [HOME, OTHER] });
    better.put(P, register(0n, 200_000n, 9), OTHER);
    better.put(P, register(1n, 200_001n, 10), HOME);
    expect(counted(better.settle())).to.equal(1);
  });

  it('count wherever they diverge when members are compared for anything else', () => {
    const driven = diverging('settling', { homes: [HOME, OTHER] });
    driven.put(P, register(0n, 200_000n, 9), OTHER);
    driven.put(P, register(1n, 200_001n, 9), OTHER);
    expect(counted(driven.settle())).to.equal(3);
  });

  for (const count of [3, 1000]) {
    it(`no longer count once a home has the rank of each of ${count}, in the next sweep`, () => {
      const driven = diverging('removal', { count }).runUntil(2000);
      expect(counted(driven)).to.equal(count);
      driven.comparison.sweep(driven.nowMs);
      driven.settle();
      expect(counted(driven), 'nothing has changed').to.equal(count);
      for (let hash = 0n; hash < BigInt(count); hash += 1n) driven.put(P, register(hash, 300_000n + hash, 9), HOME);
      driven.nowMs += 2000;
      driven.comparison.sweep(driven.nowMs);
      driven.runUntil(60_000);
      expect(driven.comparison.figures()).to.deep.include({ ...isSettled, diverging: { registers: 0, keys: 0 } });
    });
  }

  it('keep what was covered covered while they are compared again', () => {
    const driven = diverging('removal', { count: 1000 }).runUntil(2000);
    driven.put(P, register(5n, 400_000n, 4), HOME);
    driven.nowMs += 2000;
    driven.comparison.sweep(driven.nowMs);
    driven.settle();
    expect(driven.comparison.figures()).to.deep.include(isSettled);
  });
});
