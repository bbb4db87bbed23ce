import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { decodeStoredValue, hlcOf } from '../../src/contents/records/stored-value.ts';
import { RECORDED } from './support/recorded.ts';
import {
  counter,
  element,
  elementPayload,
  HEAD,
  register,
  stored,
  string,
  TOMBSTONE,
  TYPE,
  tombstone,
} from './support/values.ts';

const AT = { hlc: 0xfedc_ba98_7654_3210n, origin: 513, deadlineMs: 77n };
const dots = (count: number) => Array.from({ length: count }, (_, i) => [BigInt(1000 - i), 3] as const);

describe('a stored value', () => {
  it('of the real server is decoded, whatever kind it is', () => {
    const kinds = new Set<string>();
    for (const { values } of RECORDED) {
      for (const value of [...values.values()].flatMap((ofSide) => [...ofSide.values()])) {
        const decoded = decodeStoredValue(value);
        kinds.add(decoded?.content.kind ?? 'none');
        expect(hlcOf(value)).to.equal(decoded?.version.hlc);
      }
    }
    expect([...kinds].sort()).to.deep.equal(['counter', 'element', 'register', 'replaced']);
  });

  it('says when and where it was written, and when it expires', () => {
    expect(decodeStoredValue(string(AT))).to.include({ deadlineMs: 77n, isTombstone: false, isHead: false, type: 0 });
    expect(decodeStoredValue(string(AT))?.version).to.deep.equal({ hlc: AT.hlc, origin: 513 });
    expect(decodeStoredValue(string({ hlc: 1n }))?.deadlineMs).to.equal(undefined);
  });

  it('has the additions and removals of an element', () => {
    expect(
      decodeStoredValue(
        element(
          AT,
          [
            [9n, 1],
            [8n, 2],
          ],
          [[7n, 1]],
        ),
      )?.content,
    ).to.deep.equal({
      kind: 'element',
      live: [
        { hlc: 9n, origin: 1 },
        { hlc: 8n, origin: 2 },
      ],
      covered: [{ hlc: 7n, origin: 1 }],
    });
    expect(decodeStoredValue(element(AT, dots(4), dots(255)))?.content)
      .to.have.property('covered')
      .with.length(255);
  });

  it('has the setting and the counts of a counter', () => {
    expect(
      decodeStoredValue(
        counter(
          AT,
          [
            [1, 10n, 0n],
            [9, 2n ** 64n - 1n, 4n],
          ],
          [5n, 2],
          -3n,
        ),
      )?.content,
    ).to.deep.equal({
      kind: 'counter',
      base: { hlc: 5n, origin: 2 },
      slots: new Map([
        [1, { increments: 10n, decrements: 0n }],
        [9, { increments: 2n ** 64n - 1n, decrements: 4n }],
      ]),
    });
  });

  it('is replaced as a whole when it is a tombstone of a counter or register, or a head', () => {
    for (const value of [
      tombstone(TYPE.counter, AT),
      tombstone(TYPE.register, AT),
      stored(HEAD, AT, Buffer.from('head')),
      stored(HEAD | TOMBSTONE, AT, Buffer.alloc(0)),
      stored((TYPE.member << 2) | HEAD, AT, Buffer.from('head')),
    ]) {
      expect(decodeStoredValue(value)?.content).to.deep.equal({ kind: 'replaced' });
    }
  });

  const field = (payload: Uint8Array) => stored(TYPE.field << 2, AT, payload);
  const tail = (value: Uint8Array) => Buffer.concat([value, Buffer.of(0)]);
  const cut = (value: Uint8Array) => value.subarray(0, -1);
  const changed = (value: Uint8Array, at: number, byte: number) => {
    const copy = Buffer.from(value);
    copy[at] = byte;
    return copy;
  };
  const cases: Record<string, Uint8Array> = {
    'is shorter than its envelope': string(AT).subarray(0, 18),
    'has a flag of a newer server': stored(0x20, AT, Buffer.from('value')),
    'has the highest flag': stored(0x80, AT, Buffer.from('value')),
    'is an element without a payload': field(Buffer.alloc(0)),
    'is a dead element without a payload': tombstone(TYPE.field, AT),
    'is an element of five additions': element(AT, dots(5)),
    'is an element whose additions run past the end': field(Buffer.of(1, 0, 3)),
    'is an element with an addition longer than its value': changed(element(AT, [[9n, 1]]), 30, 200),
    'is an element with a length without an end': field(
      Buffer.concat([elementPayload([[9n, 1]], []).subarray(0, 11), Buffer.alloc(3, 0x80)]),
    ),
    'is an element without the number of its removals': cut(element(AT, [[9n, 1]])),
    'is an element whose removals run past the end': cut(element(AT, [], [[9n, 1]])),
    'is an element with a byte behind its removals': tail(element(AT, [], [[9n, 1]])),
    'is an element whose additions are not the newest first': element(AT, [
      [8n, 1],
      [9n, 1],
    ]),
    'is an element with one removal twice': element(
      AT,
      [],
      [
        [9n, 1],
        [9n, 1],
      ],
    ),
    'is a counter without the number of its counts': counter(AT, []).subarray(0, -1),
    'is a counter whose counts run past the end': cut(counter(AT, [[1, 1n, 0n]])),
    'is a counter with a byte behind its counts': tail(counter(AT, [[1, 1n, 0n]])),
    'is a counter with two counts of one member': counter(AT, [
      [1, 1n, 0n],
      [1, 2n, 0n],
    ]),
    'is a register without a rank': register(AT, 1).subarray(0, -1),
    'is a register of two bytes': tail(register(AT, 1)),
  };
  for (const [title, value] of Object.entries(cases)) {
    it(`is not decoded when it ${title}`, () => expect(decodeStoredValue(value)).to.equal(undefined));
  }

  it('never throws, whatever its bytes', () => {
    const any = fc.uint8Array({ maxLength: 80 });
    const almost = fc
      .tuple(fc.integer({ min: 0, max: 31 }), fc.uint8Array({ maxLength: 60 }))
      .map(([flags, payload]) => stored(flags, AT, payload));
    fc.assert(
      fc.property(fc.oneof(any, almost), (value) => {
        decodeStoredValue(value);
        hlcOf(value);
      }),
      { numRuns: 3000 },
    );
  });
});
