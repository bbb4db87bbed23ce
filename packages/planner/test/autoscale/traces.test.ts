// Whole traces of load: the size follows within its bounds, without flapping, and never shrinks on missing figures.

import { expect } from 'chai';
import fc from 'fast-check';
import type { SizingRules } from '../../src/autoscale/rules.ts';
import { flaps, follow, type Told, type Trace } from '../support/load-world.ts';

const RULES: SizingRules = {
  floor: 3,
  ceiling: 8,
  targetOps: 5_000,
  targetDiskPercent: undefined,
  cooldownMs: 60_000,
  windowMs: 300_000,
};
const WINDOW = RULES.windowMs / 1000;
const HOUR = 3_600;
const DAY = 24 * HOUR;

const steps = ({ changes }: Told) => changes.map(({ from, to }) => `${from}-${to}`).join(' ');

/** Noise of a seed, equal at equal seconds. */
function noise(seed: number, second: number): number {
  const mixed = Math.imul(seed ^ (second * 2_654_435_761), 2_246_822_519) >>> 0;
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32 - 0.5;
}

/** Published shapes of a day, as fractions of its peak by hour: each with where the shape comes from. */
const SHAPES: Readonly<Record<string, (hour: number) => number>> = {
  // Requests to a social graph cache over a day: one broad peak in the evening, a trough before dawn at
  // about half of it, and a dip around noon (Atikoglu et al., "Workload Analysis of a Large-Scale Key-Value
  // Store", SIGMETRICS 2012, figure 4).
  'a day with a dip at lunch': (hour) =>
    0.7 - 0.3 * Math.cos(((hour - 4) / 24) * 2 * Math.PI) - 0.15 * Math.exp(-((hour - 12.5) ** 2) / 0.8),
  // A site that is suddenly linked to: load rises by an order of magnitude within minutes and decays over an hour (Ari
  // et al., "Managing flash crowds on the Internet", MASCOTS 2003).
  'a flash crowd': (hour) => (hour < 10 ? 0.08 : 0.08 + 0.92 * Math.exp(-(hour - 10) / 0.7)),
  // Jobs that run at night and load a quiet store for two hours on the hour (Chen et al., "Interactive analytical
  // processing in big data systems", VLDB 2012: periodic, bursty batch load).
  'a batch at night': (hour) => (hour % 24 >= 2 && hour % 24 < 4 ? 1 : 0.15),
};

const TRACES: readonly (readonly [string, Trace, string])[] = [
  ['a step up', { seconds: 600, opsAt: (t) => (t < 100 ? 3_000 : 22_000) }, '3-5'],
  ['a step up and down again', { seconds: 1_500, opsAt: (t) => (t >= 100 && t < 500 ? 22_000 : 6_000) }, '3-5 5-4 4-3'],
  ['a ramp over 20 minutes', { seconds: 1_500, opsAt: (t) => Math.min(38_000, t * 32) }, '3-4 4-5 5-6 6-7 7-8'],
  ['a saw of 60 s', { seconds: 3_600, opsAt: (t) => 6_000 + (t % 60) * 200 }, '3-4'],
  ['noise of 10 % around four nodes', { seconds: HOUR, opsAt: (t) => 18_000 * (1 + 0.2 * noise(7, t)) }, '3-4'],
  ['noise of 30 % around four nodes', { seconds: HOUR, opsAt: (t) => 18_000 * (1 + 0.6 * noise(7, t)) }, '3-4 4-5'],
  ['a burst of 30 s', { seconds: 900, opsAt: (t) => (t >= 100 && t < 130 ? 40_000 : 1_000) }, '3-8 8-7 7-6'],
  [
    'a second burst in the window',
    { seconds: 700, opsAt: (t) => ((t >= 100 && t < 130) || (t >= 350 && t < 380) ? 22_000 : 1_000) },
    '3-5 5-4',
  ],
  [
    'figures that are missing while the load is low',
    { seconds: 900, opsAt: (t) => (t < 60 ? 22_000 : 1_000), isMissing: (t) => t > 100 },
    '3-5',
  ],
  ['one hot member', { seconds: 600, opsAt: () => 16_000, hotShare: 0.9 }, '3-4'],
  ['slow joins of three minutes', { seconds: 900, opsAt: (t) => (t < 60 ? 3_000 : 24_000), joinSeconds: 180 }, '3-5'],
];

describe('a cluster that follows its load', () => {
  for (const [title, trace, expected] of TRACES) {
    it(`goes ${expected} for ${title}`, () => {
      const told = follow(RULES, trace, 3);
      expect(steps(told)).to.equal(expected);
      expect(flaps(told, WINDOW)).to.deep.equal([]);
    });
  }

  it('has grown within 10 s of a rise, which is measured over 5 s', () => {
    const { changes } = follow(RULES, { seconds: 600, opsAt: (t) => (t < 100 ? 3_000 : 22_000) }, 3);
    expect(changes[0]?.second).to.be.within(105, 110);
  });

  for (const [title, shape] of Object.entries(SHAPES)) {
    it(`changes its size only a few times in ${title}, also over a week`, () => {
      const opsAt = (t: number) => 36_000 * shape((t / HOUR) % 24) * (1 + 0.1 * noise(3, t));
      const day = follow(RULES, { seconds: DAY, every: 10, opsAt }, 3);
      expect(flaps(day, WINDOW)).to.deep.equal([]);
      expect(Math.max(...day.sizes)).to.equal(8);
      // At most one growth and one shrinking for each rise of the shape.
      expect(day.changes.length).to.be.within(2, 24);
      const short = day.sizes.filter((size, t) => t > 120 && opsAt(t) > 1.2 * size * 5_000 && size < 8).length;
      expect(short / DAY, 'share of the day with too few nodes').to.be.below(0.01);
      const week = follow(RULES, { seconds: 7 * DAY, every: 60, opsAt }, 3);
      expect(flaps(week, WINDOW)).to.deep.equal([]);
      expect(week.changes.length).to.be.at.most(7 * day.changes.length + 7);
    });
  }

  it('keeps within its bounds, never flaps and never shrinks without a signal, in 1,000 traces', () => {
    const piece = fc.record({ seconds: fc.integer({ min: 5, max: 420 }), ops: fc.integer({ min: 0, max: 60_000 }) });
    const given = fc.record({
      pieces: fc.array(piece, { minLength: 1, maxLength: 8 }),
      noise: fc.double({ min: 0, max: 0.5, noNaN: true }),
      seed: fc.nat(),
      outage: fc.record({ from: fc.nat(2_000), seconds: fc.nat(900) }),
      joinSeconds: fc.integer({ min: 5, max: 200 }),
      hotShare: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(given, ({ pieces, noise: level, seed, outage, joinSeconds, hotShare }) => {
        const ends = pieces.map((_, at) => pieces.slice(0, at + 1).reduce((sum, { seconds }) => sum + seconds, 0));
        const seconds = ends.at(-1) ?? 0;
        const opsAt = (t: number) =>
          (pieces[ends.findIndex((end) => t < end)]?.ops ?? 0) * (1 + 2 * level * noise(seed, t));
        const isMissing = (t: number) => t >= outage.from && t < outage.from + outage.seconds;
        const told = follow(RULES, { seconds, opsAt, isMissing, joinSeconds, hotShare }, 3);
        expect(flaps(told, WINDOW)).to.deep.equal([]);
        expect(told.sizes.every((size) => size >= RULES.floor && size <= RULES.ceiling)).to.equal(true);
        const shrinks = told.changes.filter(({ from, to }) => to < from);
        expect(shrinks.filter(({ second }) => isMissing(second))).to.deep.equal([]);
        expect(shrinks.every(({ from, to }) => to === from - 1)).to.equal(true);
        const peak = Math.max(...pieces.map(({ ops }) => ops)) * (1 + level);
        expect(Math.max(...told.sizes)).to.be.at.most(Math.max(3, Math.ceil(peak / 5_000)));
      }),
      { numRuns: 1_000, seed: 15 },
    );
  });
});
