import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Coverage, coverageOf } from '../../src/contents/records/record-coverage.ts';
import { RECORDED, recorded, storedAt } from './support/recorded.ts';
import { counter, type Dot, element, HEAD, register, stored, string, TYPE, tombstone } from './support/values.ts';

const covers = (home: Uint8Array, source: Uint8Array) => coverageOf(home, source) === 'covered';
const isField = (name: string) => (key: string) => key.endsWith(Buffer.from(name).toString('hex'));

describe('after the merge of the real server', () => {
  for (const { name, hasConverged, values } of RECORDED.filter(({ hasConverged }) => hasConverged)) {
    it(`both members cover what each held before: ${name}`, () => {
      expect(hasConverged).to.equal(true);
      for (const merged of ['m0', 'm1'] as const) {
        for (const [key, value] of [...(values.get('0') ?? []), ...(values.get('1') ?? [])]) {
          const home = values.get(merged)?.get(key);
          expect(home !== undefined && covers(home, value), `${merged} ${key}`).to.equal(true);
        }
      }
    });
  }

  it('registers of one rank keep different versions for good, and each covers the other', () => {
    const { hasConverged, values } = recorded('hll');
    expect(hasConverged).to.equal(false);
    const differing = [...(values.get('m0') ?? [])].filter(([key, value]) => {
      const other = values.get('m1')?.get(key) ?? Buffer.alloc(0);
      expect(covers(value, other) && covers(other, value), key).to.equal(true);
      return !Buffer.from(value).equals(other);
    });
    expect(differing).to.have.length(3);
  });
});

describe('before the merge of the real server', () => {
  const cases: [name: string, key: string, home: '0' | '1', source: '0' | '1', isCovered: boolean][] = [
    ['string', 'string', '1', '0', true],
    ['string', 'string', '0', '1', false],
    ['string-deleted', 'string-deleted', '1', '0', true],
    ['string-deadline', 'string-deadline', '0', '1', true],
    ['string-deadline', 'string-deadline', '1', '0', false],
    // The newer version of a deadline lacks what was written and deleted under the older one.
    ['hash-set-and-restamp', 'f', '1', '0', false],
    ['hash-set-and-restamp', 'g', '1', '0', false],
    ['hash-set-and-restamp', 'f', '0', '1', true],
    ['hash-set-and-restamp', 'g', '0', '1', true],
    ['hash-two-writers', 'f', '1', '0', false],
    ['set-add-remove', 'n', '1', '0', true],
    ['set-add-remove', 'm', '1', '0', false],
    ['zset', 'm', '1', '0', false],
    ['counter', 'counter', '1', '0', false],
    ['counter', 'counter', '0', '1', false],
    ['counter-persist', 'counter-persist', '1', '0', true],
    ['counter-persist', 'counter-persist', '0', '1', false],
    ['counter-reset', 'counter-reset.1', '1', '0', true],
  ];
  for (const [name, key, home, source, isCovered] of cases) {
    it(`member ${home} ${isCovered ? 'covers' : 'does not cover'} member ${source}: ${name} ${key}`, () => {
      const isKey = isField(key);
      const sample = recorded(name);
      // A head ends with the name of its key as well, so that only the longest key counts.
      const longest = (side: '0' | '1') => {
        const keys = [...(sample.values.get(side)?.keys() ?? [])].filter(isKey);
        return storedAt(sample, side, (one) => one === keys.sort((a, b) => b.length - a.length)[0]);
      };
      expect(covers(longest(home), longest(source))).to.equal(isCovered);
    });
  }
});

describe('the record of a home', () => {
  const old = { hlc: 5n };
  const same = { hlc: 6n };
  const newer = { hlc: 7n };
  const until = (deadlineMs: bigint) => ({ ...same, deadlineMs });
  const many = (count: number, from: bigint): Dot[] => Array.from({ length: count }, (_, i) => [from - BigInt(i), 1]);
  const mark = (flags: number, payload: string) => stored(flags, newer, Buffer.from(payload));
  const cases: [title: string, home: Uint8Array, source: Uint8Array, coverage: Coverage][] = [
    ['covers a string in an older version', string(newer), string(same), 'covered'],
    ['lacks a string in a newer version', string(same), string(newer), 'missing'],
    [
      'covers a string of the same time and a lower member',
      string({ ...same, origin: 2 }),
      string({ ...same, origin: 1 }),
      'covered',
    ],
    [
      'lacks a string of the same time and a higher member',
      string({ ...same, origin: 1 }),
      string({ ...same, origin: 2 }),
      'missing',
    ],
    ['covers what it would keep of two equal versions', string(same, 'a'), string(same, 'b'), 'covered'],
    ['covers an older string although that lives longer', string(until(9n)), string(old), 'covered'],
    ['covers an older string that it has deleted', tombstone(TYPE.string, newer), string(same), 'covered'],
    ['lacks a newer deletion', string(same), tombstone(TYPE.string, newer), 'missing'],
    ['covers an older counter that was set as a string', string(newer), counter(same, [[1, 9n, 0n]]), 'covered'],
    [
      'covers an older counter that it has deleted',
      tombstone(TYPE.counter, newer),
      counter(same, [[1, 9n, 0n]]),
      'covered',
    ],
    ['covers an older string that it counts on from', counter(newer, [[1, 9n, 0n]]), string(same), 'covered'],
    ['covers an older head', mark(HEAD, 'b'), stored(HEAD, same, Buffer.from('a')), 'covered'],
    ['covers an older element when it is a head', mark(HEAD, 'b'), element(same, [[6n, 1]]), 'covered'],
    ['lacks a newer head', stored(HEAD, same, Buffer.from('a')), mark(HEAD, 'b'), 'missing'],

    [
      'covers an element whose addition it has removed',
      element(newer, [], [[6n, 1]]),
      element(same, [[6n, 1]]),
      'covered',
    ],
    [
      'lacks an addition under a newer deadline',
      element({ ...newer, deadlineMs: 9n }, [[4n, 1]]),
      element(same, [[6n, 1]], [[4n, 1]]),
      'missing',
    ],
    ['lacks a removal under a newer deadline', element(newer, [[4n, 1]]), element(same, [], [[4n, 1]]), 'missing'],
    [
      'lacks a newer deadline of the same additions',
      element(same, [[4n, 1]]),
      element({ ...newer, deadlineMs: 9n }, [[4n, 1]]),
      'missing',
    ],
    [
      'covers an older deadline of the same additions',
      element(newer, [[4n, 1]]),
      element({ ...same, deadlineMs: 9n }, [[4n, 1]]),
      'covered',
    ],
    [
      'keeps its own of two equal versions with the same additions',
      element(until(8n), [[4n, 1]]),
      element(until(9n), [[4n, 1]]),
      'covered',
    ],
    [
      'lacks one of two additions',
      element(newer, [[6n, 1]]),
      element(same, [
        [6n, 1],
        [5n, 2],
      ]),
      'missing',
    ],
    [
      'lacks an addition of the same time by another member',
      element(newer, [[6n, 1]]),
      element(same, [[6n, 2]]),
      'missing',
    ],
    ['covers a fifth addition, which no merge keeps', element(newer, many(4, 9n)), element(same, [[5n, 1]]), 'covered'],
    ['lacks a newer addition although it has four', element(newer, many(4, 9n)), element(same, [[9n, 2]]), 'missing'],
    [
      'covers a 256th removal, which no merge keeps',
      element(newer, [], many(255, 900n)),
      element(same, [], [[3n, 1]]),
      'covered',
    ],
    [
      'lacks a newer removal although it has 255',
      element(newer, [], many(255, 900n)),
      element(same, [], [[901n, 1]]),
      'missing',
    ],
    [
      'lacks an element of another kind',
      element(newer, [[6n, 1]], [], TYPE.member),
      element(same, [[6n, 1]]),
      'missing',
    ],
    ['covers an older element when it is a string', string(newer), element(same, [[6n, 1]]), 'covered'],
    [
      'lacks an older element when it is a string that reads as one',
      string(newer, '\0\0'),
      element(same, [[6n, 1]]),
      'missing',
    ],
    ['covers an older string when it is an element', element(newer, [[6n, 1]]), string(same), 'covered'],

    [
      'covers counts that it has all reached',
      counter(newer, [
        [1, 2n, 1n],
        [3, 1n, 0n],
      ]),
      counter(same, [[1, 2n, 0n]]),
      'covered',
    ],
    [
      'lacks an increment',
      counter(newer, [
        [1, 2n, 0n],
        [2, 2n, 0n],
      ]),
      counter(same, [
        [1, 2n, 0n],
        [2, 3n, 0n],
      ]),
      'missing',
    ],
    ['lacks a decrement', counter(newer, [[1, 2n, 1n]]), counter(same, [[1, 2n, 2n]]), 'missing'],
    ['lacks the count of a member', counter(newer, [[1, 9n, 0n]]), counter(same, [[2, 1n, 0n]]), 'missing'],
    [
      'lacks the newer deadline of the same counts',
      counter(until(9n), [[1, 2n, 0n]]),
      counter(newer, [[1, 2n, 0n]]),
      'missing',
    ],
    [
      'covers the older deadline of the same counts',
      counter(newer, [[1, 2n, 0n]]),
      counter(until(9n), [[1, 2n, 0n]]),
      'covered',
    ],
    [
      'covers a counter that was set before its own setting',
      counter(newer, [], [6n, 1]),
      counter(same, [[1, 9n, 0n]], [5n, 1]),
      'covered',
    ],
    [
      'lacks a counter that was set after its own setting',
      counter(newer, [[1, 9n, 0n]], [5n, 1]),
      counter(same, [], [6n, 1]),
      'missing',
    ],
    [
      'lacks a counter set at the same time by a higher member',
      counter(newer, [], [5n, 1]),
      counter(same, [], [5n, 2]),
      'missing',
    ],

    ['covers a register of the same rank in a newer version', register(old, 3), register(newer, 3), 'covered'],
    ['covers a register of a lower rank in a newer version', register(old, 4), register(newer, 3), 'covered'],
    ['diverges from a register of a higher rank', register(newer, 3), register(old, 4), 'diverging'],
    ['diverges from a register that never expires', register(until(9n), 4), register(same, 4), 'diverging'],
    ['diverges from a register that expires later', register(until(8n), 4), register(until(9n), 4), 'diverging'],
    ['covers a register that expires as late', register(until(9n), 4), register(until(9n), 4), 'covered'],
    ['covers a register that expires at all when it does not', register(same, 4), register(until(9n), 4), 'covered'],
    ['lacks a register that it has deleted before', tombstone(TYPE.register, same), register(newer, 1), 'missing'],
    ['covers a register that it has deleted since', tombstone(TYPE.register, newer), register(same, 9), 'covered'],
    ['lacks a newer deletion of a register', register(same, 9), tombstone(TYPE.register, newer), 'missing'],

    [
      'covers the same bytes that nobody can read',
      stored(0x20, same, Buffer.from('x')),
      stored(0x20, same, Buffer.from('x')),
      'covered',
    ],
    ['lacks what nobody can read', string(newer), stored(0x20, same, Buffer.from('x')), 'missing'],
    ['lacks everything when nobody can read it', stored(0x20, newer, Buffer.from('x')), string(same), 'missing'],
    [
      'lacks an element when its own cannot be read',
      stored(TYPE.field << 2, newer, Buffer.of(9)),
      element(same, [[6n, 1]]),
      'missing',
    ],
    ['is covered by nothing when it is empty', Buffer.alloc(0), string(same), 'missing'],
  ];
  for (const [title, home, source, coverage] of cases) {
    it(title, () => expect(coverageOf(home, source)).to.equal(coverage));
  }
});
