// Whether the disks of the survivors can hold what the target holds: predicted from the placement, with figures.

import { homesAt, PARTITIONS, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  type DiskFigures,
  type DiskForecast,
  forecastDisks,
  highWaterPercent,
  predictedGains,
} from '../../src/index.ts';
import { capacityHold } from '../../src/volumes/disk-forecast.ts';
import { node } from '../support/builders.ts';

const GIB = 1024 ** 3;

/** A member with 10 GiB of disk, 5 of it used by 4 GiB of data. */
const member = (id: number, change: Partial<NonNullable<DiskFigures['last']>> = {}): DiskFigures => ({
  node: node(id),
  last: { isFresh: true, diskTotalBytes: 10 * GIB, diskAvailBytes: 5 * GIB, dbBytes: 4 * GIB, ...change },
});
const judge = (survivors: readonly DiskFigures[], target = member(4), percent = 90) =>
  forecastDisks({ target, survivors, replicationFactor: 2, highWaterPercent: percent });
const holdOf = (survivors: readonly DiskFigures[], target = member(4), percent = 90) =>
  capacityHold(judge(survivors, target, percent), target.node, percent);
const forecastOf = (survivors: readonly DiskFigures[], id: number): DiskForecast | undefined => {
  const capacity = judge(survivors);
  return capacity.kind === 'known' ? capacity.forecasts.find((forecast) => forecast.node.id === id) : undefined;
};

describe('the disk space that survivors need', () => {
  it('adds up to what the target holds, for every cluster', () => {
    const ids = fc.uniqueArray(fc.nat(200), { minLength: 3, maxLength: 8 });
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 3 }), fc.nat(1e12), ([target = 0, ...rest], factor, bytes) => {
        const gains = predictedGains(target, rest, Math.min(factor, rest.length), bytes);
        expect([...gains.keys()]).to.deep.equal(rest);
        const sum = [...gains.values()].reduce((a, b) => a + b, 0);
        expect(sum).to.be.closeTo(bytes, bytes * 1e-9 + 1e-6);
      }),
      { numRuns: 20 },
    );
  });

  it('is within 10 % of the space of keys that are counted one by one', () => {
    const survivors = [0, 1, 2, 3];
    const before = placementOf([...survivors, 4], 2);
    const after = placementOf(survivors, 2);
    // 200,000 keys of one size, spread as a hash spreads them.
    let state = 1;
    const moved = new Map<number, number>();
    let held = 0;
    for (let key = 0; key < 200_000; key += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const pid = (state >>> 8) % PARTITIONS;
      const homes = homesAt(before, pid);
      if (!homes.includes(4)) continue;
      held += 1;
      for (const id of homesAt(after, pid)) if (!homes.includes(id)) moved.set(id, (moved.get(id) ?? 0) + 1);
    }
    const gains = predictedGains(4, survivors, 2, held);
    for (const id of survivors) expect(gains.get(id)).to.be.closeTo(moved.get(id) ?? 0, 0.1 * (moved.get(id) ?? 0));
  });

  it('is 0 when the target holds nothing', () => {
    expect([...predictedGains(4, [0, 1, 2, 3], 2, 0).values()]).to.deep.equal([0, 0, 0, 0]);
  });
});

describe('the disks of the survivors', () => {
  const four = [0, 1, 2, 3].map((id) => member(id));

  it('are accepted when their share leaves them below the high-water mark', () => {
    expect(holdOf(four)).to.equal(undefined);
  });

  it('are refused exactly from where twice their share reaches the mark', () => {
    const gain = forecastOf(four, 1)?.gainBytes ?? 0;
    expect(gain).to.be.within(0.8 * GIB, 1.2 * GIB);
    const room = 2 * gain + GIB; // 90 % of 10 GiB leave 1 GiB
    const atMark = [...four];
    atMark[1] = member(1, { diskAvailBytes: room });
    expect(holdOf(atMark)?.reason).to.equal('DiskTooSmall');
    atMark[1] = member(1, { diskAvailBytes: room + 1 });
    expect(holdOf(atMark)).to.equal(undefined);
  });

  it('are refused with figures and the name of the fullest', () => {
    const full = [...four];
    full[1] = member(1, { diskAvailBytes: 2.5 * GIB });
    full[2] = member(2, { diskAvailBytes: 2 * GIB });
    const used = forecastOf(full, 2)?.usedBytes ?? 0;
    expect(holdOf(full)).to.deep.equal({
      reason: 'DiskTooSmall',
      message: `demo-2 would hold ${(used / GIB).toFixed(1)} of 10 GiB, and 1 more would hold too much: with twice its share of demo-4 it has to stay below 90 %`,
      needsPerson: true,
    });
  });

  it('are judged by the mark in the environment variable instead of the server’s default', () => {
    expect(holdOf(four, member(4), 60)?.reason).to.equal('DiskTooSmall');
  });

  it('may be above the mark when nothing is added, since the removal does not change that', () => {
    const full = [...four];
    full[1] = member(1, { diskAvailBytes: 0.5 * GIB });
    expect(holdOf(full, member(4, { dbBytes: 0 }))).to.equal(undefined);
  });

  it('are not refused for being 1 GiB, smaller than the reserve of the server', () => {
    const small = [0, 1, 2, 3].map((id) => member(id, { diskTotalBytes: GIB, diskAvailBytes: 0.9 * GIB }));
    expect(holdOf(small, member(4, { dbBytes: 0.1 * GIB }))).to.equal(undefined);
  });

  const unknown: readonly (readonly [string, DiskFigures])[] = [
    ['gave no recent answer', { node: node(1), last: undefined }],
    ['has no statistics yet', member(1, { isFresh: false })],
    ['gives no size', member(1, { diskTotalBytes: undefined })],
    ['gives a size of 0', member(1, { diskTotalBytes: 0 })],
    ['gives no free space', member(1, { diskAvailBytes: undefined })],
  ];
  for (const [sentence, entry] of unknown)
    it(`are unknown while one ${sentence}, which is named, and nothing is assumed`, () => {
      const list = four.map((other) => (other.node.id === 1 ? entry : other));
      expect(holdOf(list)).to.deep.equal({
        reason: 'NotObserved',
        message: 'the disk of demo-1 is not known yet',
        needsPerson: false,
      });
    });

  it('are unknown while the target does not report what it holds', () => {
    expect(holdOf(four, member(4, { dbBytes: undefined }))?.message).to.equal('the disk of demo-4 is not known yet');
  });
});

describe('the high-water mark', () => {
  for (const [text, percent] of [
    [undefined, 90],
    ['85', 85],
    ['99', 99],
    ['1', 1],
    ['0', 90],
    ['100', 90],
    ['-5', 90],
    ['8e1', 90],
    ['', 90],
  ] as const)
    it(`is ${percent} % for ${text === undefined ? 'an unset variable' : `"${text}"`}`, () => {
      expect(highWaterPercent(text === undefined ? {} : { MAREKVS_DISK_HIGH_WATER_PCT: text })).to.equal(percent);
    });
});
