// The planner's rule of covering against the simulator's model of the server's merge, which were written apart: a
// record is covered exactly when the merge would leave the home's bytes as they are.

import { coverageOf } from '@marekvs/planner';
import { merge, storedRecord, type Version } from '@marekvs/simulator';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';

const covers = (home: Uint8Array, source: Uint8Array) => coverageOf(home, source) === 'covered';

/** Of each kind: 12,800 together. */
const PAIRS = 1_600;

type Element = Extract<Version['merged'], { kind: 'element' }>;
type Stamp = Pick<Version, 'clock' | 'origin'>;

/** Few clocks and origins, so that equal ones, and the same dot on both sides, are frequent. */
const CLOCKS = { min: 1, max: 9 };
const stamp: fc.Arbitrary<Stamp> = fc.record({ clock: fc.integer(CLOCKS), origin: fc.integer({ min: 0, max: 2 }) });
const deadline = fc.constantFrom<Pick<Version, 'expiresAtMs'>>({}, {}, { expiresAtMs: 5 }, { expiresAtMs: 6 });
const value = fc.string({ unit: 'binary-ascii', maxLength: 3 });

const newestFirst = (a: Stamp, b: Stamp) => b.clock - a.clock || b.origin - a.origin;
const identity = ({ clock, origin }: Stamp) => `${clock} ${origin}`;

/** A dot's value follows from its stamp: no member writes twice at one clock. */
const dotOf = (dot: Stamp) => ({ ...dot, value: identity(dot) });

/** Many covered ones reach the cap of 255, many live ones that of 4. */
const element: fc.Arbitrary<Element> = fc
  .record({
    stamps: fc.uniqueArray(stamp, { selector: identity, maxLength: 8 }),
    live: fc.nat(5),
    /** So many old writes are covered besides, which both sides have in common. */
    old: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 250, max: 258 })),
  })
  .map(({ stamps, live, old }) => {
    const older = Array.from({ length: old }, (_, n) => ({ clock: 0, origin: 1_000 + n }));
    return {
      kind: 'element' as const,
      live: stamps.slice(0, live).sort(newestFirst).slice(0, 4).map(dotOf),
      covered: [...stamps.slice(live), ...older].sort(newestFirst).slice(0, 255),
    };
  });

const counter = fc
  .record({
    base: fc.record({ clock: fc.nat(2), origin: fc.nat(1) }),
    slots: fc.uniqueArray(fc.record({ id: fc.nat(3), increments: fc.nat(3), decrements: fc.nat(2) }), {
      selector: ({ id }) => id,
    }),
  })
  .map(({ base, slots }) => ({
    kind: 'counter' as const,
    // The value follows from the write that set it.
    base: { ...base, value: 10 * base.clock + base.origin },
    slots: [...slots].sort((a, b) => a.id - b.id),
  }));

const register = fc.nat(4).map((rank) => ({ kind: 'register' as const, rank }));

type Content = Pick<Version, 'value' | 'isDead' | 'merged'>;
const dead: Content = { value: '', isDead: true };
const plain = value.map((text): Content => ({ value: text, isDead: false }));
const live = (merged: NonNullable<Version['merged']>): Content => ({
  value: '',
  merged,
  isDead: merged.kind === 'element' && merged.live.length === 0,
});

/** By the letter in the record's key, what may be found there. */
const KINDS: Readonly<Record<string, fc.Arbitrary<Content>>> = {
  'string or counter': fc.oneof(plain, counter.map(live), fc.constant(dead)),
  head: fc.oneof(plain, fc.constant(dead), fc.constant({ value: 'cleared', isDead: true })),
  'hash field': element.map(live),
  'set member': element.map(live),
  'sorted set member': element.map(live),
  'list element': fc.oneof(plain, fc.constant(dead)),
  'stream entry': fc.oneof(plain, fc.constant(dead)),
  register: fc.oneof({ weight: 4, arbitrary: register.map(live) }, fc.constant(dead)),
};
const KEYS: Readonly<Record<string, string>> = {
  'string or counter': 'key',
  head: recordKey('M', ''),
  'hash field': recordKey('h', 'f'),
  'set member': recordKey('S', 'm'),
  'sorted set member': recordKey('z', 'm'),
  'list element': recordKey('q', '12345678'),
  'stream entry': recordKey('x', '1234567890123456'),
  register: recordKey('H', '\x00\x07'),
};

function recordKey(letter: string, part: string): string {
  return `key${String.fromCharCode(0x100 + letter.charCodeAt(0))}${part}`;
}

/** Nothing follows from a stamp about what plain versions say: two of them with one stamp are two writes here. */
function versionOf(kind: string): fc.Arbitrary<Version> {
  const content = KINDS[kind] ?? plain;
  return fc
    .tuple(stamp, deadline, content)
    .map(([own, until, rest]) => ({ key: KEYS[kind] ?? '', ...own, ...until, ...rest }));
}

const bytesOf = (version: Version) => storedRecord(version).value;
const isRegister = ({ merged }: Version) => merged?.kind === 'register';

/** What the rule has to say about the home's record and the source's. */
function isCovered(home: Version, source: Version): boolean {
  const rank = (version: Version) => (version.merged?.kind === 'register' ? version.merged.rank : 0);
  const until = ({ expiresAtMs = Number.POSITIVE_INFINITY }: Version) => expiresAtMs;
  if (isRegister(home) && isRegister(source)) return rank(home) >= rank(source) && until(home) >= until(source);
  return Buffer.compare(bytesOf(merge(home, source)), bytesOf(home)) === 0;
}

describe('the rule of covering and the model of the merge', function () {
  this.timeout(60_000);

  for (const kind of Object.keys(KINDS)) {
    it(`agree about every pair of records of one ${kind}`, () => {
      let covered = 0;
      fc.assert(
        fc.property(versionOf(kind), versionOf(kind), (home, source) => {
          const expected = isCovered(home, source);
          if (expected) covered += 1;
          expect(covers(bytesOf(home), bytesOf(source))).to.equal(expected);
        }),
        { numRuns: PAIRS },
      );
      expect(covered, 'pairs that are covered').to.be.within(PAIRS / 100, (PAIRS * 99) / 100);
    });

    it(`agree that a record of a ${kind} covers itself and what it was merged from`, () => {
      fc.assert(
        fc.property(versionOf(kind), versionOf(kind), (home, source) => {
          expect(covers(bytesOf(home), bytesOf(home))).to.equal(true);
          const merged = merge(home, source);
          expect(covers(bytesOf(merged), bytesOf(source))).to.equal(isCovered(merged, source));
        }),
        { numRuns: PAIRS / 10 },
      );
    });
  }

  it('leave bytes that nobody can read to equality', () => {
    const spoil = fc.constantFrom<(bytes: Uint8Array) => Uint8Array>(
      (bytes) => bytes.slice(0, 18),
      (bytes) => bytes.map((byte, at) => (at === 0 ? byte | 0x20 : byte)),
      (bytes) => bytes.map((byte, at) => (at === 0 ? byte | 0x80 : byte)),
      (bytes) => (bytes[0] === 4 ? bytes.map((byte, at) => (at === 19 ? 0xff : byte)) : bytes.slice(0, 10)),
    );
    const any = fc.constantFrom(...Object.keys(KINDS)).chain(versionOf);
    fc.assert(
      fc.property(any, any, spoil, fc.boolean(), (one, other, spoilt, isHome) => {
        const [bad, good] = [spoilt(bytesOf(one)), bytesOf(other)];
        const [home, source] = isHome ? [bad, good] : [good, bad];
        expect(covers(home, source)).to.equal(Buffer.compare(home, source) === 0);
        expect(covers(bad, bad.slice())).to.equal(true);
      }),
      { numRuns: PAIRS },
    );
  });
});
