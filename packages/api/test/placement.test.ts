import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  homesAt,
  ownedCounts,
  PARTITIONS,
  partitionOfKey,
  partitionOfSlot,
  placementOf,
  slotOfKey,
} from '../src/members/placement.ts';

const upTo = (n: number): number[] => Array.from({ length: n }, (_, id) => id);

/** The formula of docs/design/server.md#placement, word for word and therefore slow. */
function referenceScore(nodeId: number, pid: number): bigint {
  const mask = (1n << 64n) - 1n;
  const rotate = (v: bigint, by: bigint): bigint => ((v << by) | (v >> (64n - by))) & mask;
  const x = BigInt(nodeId) | (BigInt(pid) << 16n);
  const k = ((x + (x << 32n)) & mask) ^ 0xc73ab174c5ecd5a2n;
  let h = k ^ rotate(k, 49n) ^ rotate(k, 24n);
  h = (h * 0x9fb21c651e98df25n) & mask;
  h ^= (h >> 35n) + 4n;
  h = (h * 0x9fb21c651e98df25n) & mask;
  return h ^ (h >> 28n);
}

describe('placement', () => {
  it('is compared with a formula that hashes the six reference inputs to the reference XXH3-64 values', () => {
    expect(referenceScore(0, 0)).to.equal(0x48b2c92616fc193dn);
    expect(referenceScore(1, 0)).to.equal(0xdb02334e96d65708n);
    expect(referenceScore(2, 0)).to.equal(0x70f5911d66a20bc9n);
    expect(referenceScore(0, 1)).to.equal(0x0a0b5ceb702cac74n);
    expect(referenceScore(3, 4095)).to.equal(0x3f980f53d3fb1c93n);
    expect(referenceScore(65535, 4095)).to.equal(0x70c3e4637ff9c7fan);
  });

  const vectors: [nodes: number, factor: number, owners: number[][]][] = [
    [
      3,
      2,
      [
        [1, 2],
        [2, 1],
        [2, 0],
        [2, 0],
      ],
    ],
    [
      5,
      3,
      [
        [1, 3, 4],
        [4, 2, 3],
        [2, 3, 0],
        [4, 2, 0],
      ],
    ],
    [
      8,
      3,
      [
        [6, 1, 3],
        [5, 4, 2],
        [2, 7, 6],
        [4, 5, 7],
      ],
    ],
  ];
  for (const [nodes, factor, owners] of vectors) {
    it(`gives partitions 0, 1, 2 and 4095 of ${nodes} nodes their ${factor} owners of the real server`, () => {
      expect([0, 1, 2, 4095].map((pid) => homesAt(placementOf(upTo(nodes), factor), pid))).to.deep.equal(owners);
      expect([0, 1, 2, 4095].map((pid) => homesAt(placementOf(upTo(nodes), factor), pid))).to.deep.equal(owners);
    });
  }

  it('counts the owned partitions of the real server', () => {
    expect([...ownedCounts(upTo(3), 2).values()]).to.deep.equal([2712, 2768, 2712]);
    expect([...ownedCounts(upTo(5), 2).values()]).to.deep.equal([1623, 1599, 1620, 1689, 1661]);
    expect(ownedCounts([1, 2, 3], 2).get(1), 'samples/http_metrics.txt of node 1').to.equal(2716);
  });

  it('orders owners by score descending, then id descending, whatever the order of the input', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 65535 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 4095 }), (members, factor, pid) => {
        const byScore = (a: number, b: number): number => {
          const [left, right] = [referenceScore(a, pid), referenceScore(b, pid)];
          return left === right ? b - a : left > right ? -1 : 1;
        };
        const expected = [...members].sort(byScore).slice(0, factor);
        expect(homesAt(placementOf(members, factor), pid)).to.deep.equal(expected);
      }),
    );
  });

  it('adds exactly one home and keeps the order when one member leaves', () => {
    const before = placementOf(upTo(5), 2);
    const after = placementOf([0, 1, 2, 4], 2);
    for (let pid = 0; pid < PARTITIONS; pid += 1) {
      const kept = homesAt(before, pid).filter((id) => id !== 3);
      expect(homesAt(after, pid).slice(0, kept.length)).to.deep.equal(kept);
    }
  });

  it('counts a member that is named twice as one', () => {
    expect(homesAt(placementOf([2, 2, 2], 2), 7)).to.deep.equal([2]);
    expect(placementOf([4, 0, 4], 2).ids).to.deep.equal([0, 4]);
  });

  it('gives every partition to all members when there are fewer than the replication factor', () => {
    expect([...ownedCounts([0, 1], 3).values()]).to.deep.equal([PARTITIONS, PARTITIONS]);
    expect(placementOf([], 3).width).to.equal(0);
  });

  it('takes less processor time for ten nodes than the formula in big numbers takes for five', () => {
    // The best of some runs, side by side, so that the speed and the load of the machine are the same for both.
    const best = (run: (round: number) => void): number =>
      Math.min(
        ...Array.from({ length: 7 }, (_, round) => {
          const from = process.cpuUsage();
          run(round);
          const { user, system } = process.cpuUsage(from);
          return user + system;
        }),
      );
    // Other ids each time, because answers are cached.
    const placed = best((round) => {
      const ids = upTo(10).map((id) => 1_000 + round + id);
      placementOf(ids, 3);
    });
    const scored = best(() => {
      for (const id of upTo(5)) for (let pid = 0; pid < PARTITIONS; pid += 1) referenceScore(id, pid);
    });
    expect(placed, `${placed} µs against ${scored} µs`).to.be.lessThan(scored);
  });

  it('answers a repeated question from its cache, from which a sixty-fifth question does not evict the newest', () => {
    const first = placementOf([1, 2, 3], 2);
    expect(placementOf([3, 2, 1], 2)).to.equal(first);
    for (let id = 10; id < 73; id += 1) placementOf([id], 1);
    expect(placementOf([1, 2, 3], 2), '63 others later').to.equal(first);
    for (let id = 10; id < 74; id += 1) placementOf([id], 1);
    expect(placementOf([1, 2, 3], 2), '64 others later').to.not.equal(first);
  });

  it('finds the slots of the three known keys', () => {
    expect(['foo', 'bar', 'hello'].map((key) => slotOfKey(key))).to.deep.equal([12182, 5061, 866]);
    expect(slotOfKey(Buffer.from('foo'))).to.equal(12182);
    expect(partitionOfKey('foo')).to.equal(3045);
    expect(slotOfKey('')).to.equal(0);
  });

  it('hashes only the first non-empty tag', () => {
    expect(slotOfKey('a{foo}b{bar}')).to.equal(12182);
    expect(slotOfKey('\0op:{foo}:1')).to.equal(12182);
    expect(slotOfKey('{}foo'), 'an empty tag is no tag').to.not.equal(slotOfKey(''));
    expect(slotOfKey('x{foo'), 'an open tag is no tag').to.not.equal(12182);
  });

  it('refuses ids, partitions, slots and factors outside their range', () => {
    for (const bad of [-1, 65536, 1.5, Number.NaN]) expect(() => placementOf([bad], 1)).to.throw(RangeError);
    for (const bad of [-1, 4096, 0.5]) expect(() => homesAt(placementOf([1], 1), bad)).to.throw(RangeError);
    for (const bad of [-1, 16384, 0.5]) expect(() => partitionOfSlot(bad)).to.throw(RangeError);
    for (const bad of [0, -1, 1.5]) expect(() => placementOf([1], bad)).to.throw(RangeError);
  });
});
