import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { decodeRecordState } from '../src/contents/record-state.ts';
import { counterPayload, storedValue } from './support/mesh-wire.ts';

const VERSION = 0xfedc_ba98_7654_3210n;
const COUNTER = 6 << 2;
const REGISTER = 7 << 2;
const TOMBSTONE = 1;
const HEAD = 2;

const counter = counterPayload(2n ** 63n, 7, -5n, [
  [3, 10n, 0n],
  [9, 2n ** 64n - 1n, 4n],
]);
const counterState = {
  kind: 'counter',
  version: VERSION,
  base: { version: 2n ** 63n, origin: 7 },
  slots: new Map([
    [3, { increments: 10n, decrements: 0n }],
    [9, { increments: 2n ** 64n - 1n, decrements: 4n }],
  ]),
};

describe('decodeRecordState', () => {
  for (let kind = 0; kind <= 5; kind += 1) {
    it(`reads kind ${kind} as a record that newer versions replace`, () => {
      const expected = { kind: 'replaced', version: VERSION };
      expect(decodeRecordState(storedValue(kind << 2, VERSION, Buffer.from('value')))).to.deep.equal(expected);
      expect(decodeRecordState(storedValue((kind << 2) | HEAD, VERSION))).to.deep.equal(expected);
    });
  }

  it('reads a deletion as a record that newer versions replace, also of counters and registers', () => {
    for (const kind of [0, 4, 6, 7]) {
      expect(decodeRecordState(storedValue((kind << 2) | TOMBSTONE, VERSION))).to.deep.equal({
        kind: 'replaced',
        version: VERSION,
      });
    }
  });

  it('reads what a counter has merged', () => {
    expect(decodeRecordState(storedValue(COUNTER, VERSION, counter))).to.deep.equal(counterState);
    expect(decodeRecordState(storedValue(COUNTER, 1n, counterPayload(0n, 0, 0n, [])))).to.deep.equal({
      kind: 'counter',
      version: 1n,
      base: { version: 0n, origin: 0 },
      slots: new Map(),
    });
  });

  it('reads the rank of a register', () => {
    expect(decodeRecordState(storedValue(REGISTER, VERSION, Uint8Array.of(51)))).to.deep.equal({
      kind: 'register',
      version: VERSION,
      rank: 51,
    });
  });

  for (const [name, value] of [
    ['no value', new Uint8Array(0)],
    ['a value shorter than its envelope', storedValue(0, VERSION).subarray(0, 18)],
    ['a counter without its last byte', storedValue(COUNTER, VERSION, counter.subarray(0, -1))],
    ['a counter with a byte too many', storedValue(COUNTER, VERSION, Buffer.concat([counter, Buffer.alloc(1)]))],
    ['a counter without payload', storedValue(COUNTER, VERSION)],
    [
      'a counter with one node twice',
      storedValue(
        COUNTER,
        VERSION,
        counterPayload(1n, 1, 0n, [
          [3, 1n, 0n],
          [3, 2n, 0n],
        ]),
      ),
    ],
    ['a register without rank', storedValue(REGISTER, VERSION)],
    ['a register with two ranks', storedValue(REGISTER, VERSION, Uint8Array.of(1, 2))],
    ['a counter that is a collection head', storedValue(COUNTER | HEAD, VERSION, counter)],
    ['a flag beyond the kinds known', storedValue(0x20, VERSION, Buffer.from('value'))],
    ['a deletion with a flag beyond those known', storedValue(0x21, VERSION)],
  ] as const) {
    it(`gives undefined for ${name}`, () => {
      expect(decodeRecordState(value)).to.equal(undefined);
    });
  }

  it('never throws and never keeps more than merging needs', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (value) => {
        const state = decodeRecordState(value);
        const known = ['base', 'kind', 'rank', 'slots', 'version'];
        for (const field of Object.keys(state ?? {})) expect(known).to.include(field);
      }),
      { numRuns: 2000 },
    );
  });
});
