import type { RecordState } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { coversRecord, judgeMarks, type MarkVerdict } from '../../src/contents/covered.ts';
import { counter, register, string } from './support/driving.ts';

const mark = (version: bigint, content: bigint) => ({ hash: 7n, version, content });

describe('a record of the source, judged by the entries of a bucket,', () => {
  const wanted = mark(5n, 50n);
  const cases: [string, ReturnType<typeof mark>, ReturnType<typeof mark> | undefined, MarkVerdict][] = [
    ['is missing at a home without it', wanted, undefined, 'missing'],
    ['is covered by the same version and content', wanted, mark(5n, 50n), 'covered'],
    ['is covered by the same although the source went on', mark(6n, 60n), mark(5n, 50n), 'covered'],
    ['is covered by exactly what the source shows now', mark(6n, 60n), mark(6n, 60n), 'covered'],
    ['is in doubt where the same version has other content', wanted, mark(5n, 51n), 'doubtful'],
    ['is in doubt where a newer version is', wanted, mark(6n, 50n), 'doubtful'],
    ['is in doubt where what the source shows now has other content', mark(6n, 60n), mark(6n, 61n), 'doubtful'],
    ['is behind where an older version is', wanted, mark(4n, 50n), 'older'],
  ];
  for (const [title, source, home, verdict] of cases) {
    it(title, () => expect(judgeMarks(wanted, source, home)).to.equal(verdict));
  }
});

describe('the record of a home', () => {
  const counted = (slots: Record<number, bigint>, base?: bigint) => counter(7n, 5n, slots, base).state;
  const down = (decrements: bigint): RecordState => ({
    ...(counted({}) as Extract<RecordState, { kind: 'counter' }>),
    slots: new Map([[3, { increments: 0n, decrements }]]),
  });
  const origin = (id: number): RecordState => ({
    ...(counted({ 1: 1n }) as Extract<RecordState, { kind: 'counter' }>),
    base: { version: 1n, origin: id },
  });
  const replaced = (version: bigint) => string(7n, version).state;
  const rank = (value: number, version = 5n) => register(7n, version, value).state;
  const cases: [string, RecordState, RecordState | undefined, boolean][] = [
    ['contains an older one of a kind that is replaced', replaced(5n), replaced(6n), true],
    ['does not contain another one of the same version', replaced(5n), replaced(5n), false],
    ['does not contain a newer one', replaced(5n), replaced(4n), false],
    ['is nothing when it is not known', replaced(5n), undefined, false],
    ['contains a register of the same rank', rank(3), rank(3, 9n), true],
    ['contains a register of lower rank in a newer version', rank(3, 9n), rank(4, 5n), true],
    ['does not contain a register of higher rank', rank(3), rank(2, 9n), false],
    [
      'contains a counter whose counts it all reached',
      counted({ 1: 2n, 2: 3n }),
      counted({ 1: 2n, 2: 4n, 3: 1n }),
      true,
    ],
    [
      'does not contain a counter that one member counted further',
      counted({ 1: 2n, 2: 3n }),
      counted({ 1: 9n, 2: 2n }),
      false,
    ],
    [
      'does not contain a counter with a count of somebody it does not know',
      counted({ 4: 1n }),
      counted({ 1: 9n }),
      false,
    ],
    ['contains a counter with an empty count it does not know', counted({ 4: 0n }), counted({}), true],
    ['contains decrements it reached', down(2n), down(2n), true],
    ['does not contain decrements it did not reach', down(2n), down(1n), false],
    ['contains a counter that was set again later', counted({ 1: 9n }, 1n), counted({}, 2n), true],
    ['does not contain a counter that was set again before', counted({}, 2n), counted({ 1: 9n }, 1n), false],
    ['contains a counter set in the same version by a lower id', origin(1), origin(2), true],
    ['does not contain a counter set in the same version by a higher id', origin(2), origin(1), false],
    ['does not contain a counter when it is of another kind', counted({}), replaced(9n), false],
    ['does not contain a string when it is a counter', replaced(1n), counted({}), false],
    ['does not contain a register when it is of another kind', rank(0), replaced(9n), false],
  ];
  for (const [title, source, home, isCovered] of cases) {
    it(title, () => expect(coversRecord(source, home)).to.equal(isCovered));
  }
});
