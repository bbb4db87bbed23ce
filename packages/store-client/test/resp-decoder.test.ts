import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { StoreError, StoreProtocolError, StoreTooLargeError } from '../src/errors.ts';
import { RespDecoder, type RespLimits } from '../src/resp-decoder.ts';
import { RespErrorReply, type RespValue } from '../src/resp-value.ts';
import { RespWriter } from '../src/resp-writer.ts';
import { replyBytes } from './support/reply-bytes.ts';
import { sample } from './support/samples.ts';
import { singleBytes, splitsOf } from './support/split.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function decodeAll(pieces: readonly Uint8Array[], limits?: RespLimits): RespValue[] {
  const decoder = new RespDecoder(limits);
  const values: RespValue[] = [];
  for (const piece of pieces) {
    decoder.push(piece);
    for (let value = decoder.next(); value !== undefined; value = decoder.next()) values.push(value);
  }
  return values;
}
const decode = (text: string, limits?: RespLimits): RespValue[] => decodeAll([bytesOf(text)], limits);

const respValue: fc.Arbitrary<RespValue> = fc.letrec<{ value: RespValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.stringMatching(/^[^\r\n]{0,20}$/),
    fc.maxSafeInteger(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 30 }),
    fc.stringMatching(/^[A-Z]{1,8} [a-z ]{0,20}$/).map((message) => new RespErrorReply(message)),
    fc.array(tie('value'), { maxLength: 5 }),
  ),
})).value;

describe('RespDecoder', () => {
  it('reads each RESP2 type', () => {
    expect(decode('+OK\r\n:-12\r\n$5\r\nhe\r\no\r\n$-1\r\n*-1\r\n*0\r\n$0\r\n\r\n-ERR no\r\n+\r\n')).to.deep.equal([
      'OK',
      -12,
      bytesOf('he\r\no'),
      null,
      null,
      [],
      new Uint8Array(0),
      new RespErrorReply('ERR no'),
      '',
    ]);
  });

  it('keeps empty arrays inside arrays and closes several levels at once', () => {
    expect(decode('*3\r\n*0\r\n*2\r\n:1\r\n*1\r\n:2\r\n:3\r\n:4\r\n')).to.deep.equal([[[], [1, [2]], 3], 4]);
  });

  it('gives the same values for any split of the bytes', () => {
    const cases = fc.array(respValue, { minLength: 1, maxLength: 4 }).chain((values) => {
      return splitsOf(Buffer.concat(values.map(replyBytes))).map((pieces) => ({ values, pieces }));
    });
    fc.assert(
      fc.property(cases, ({ values, pieces }) => {
        expect(decodeAll(pieces)).to.deep.equal(values);
        expect(decodeAll(pieces.flatMap(singleBytes))).to.deep.equal(values);
      }),
    );
  });

  it('gives no value for a truncated reply, wherever it ends', () => {
    fc.assert(
      fc.property(respValue, fc.nat(), (value, cut) => {
        const bytes = replyBytes(value);
        expect(decodeAll([bytes.slice(0, cut % bytes.length)])).to.deep.equal([]);
      }),
    );
  });

  it('gives values or a StoreError for garbage, never another exception', () => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 80 }),
      fc.stringMatching(/^[-+:$*0-9a\r\n]{0,60}$/).map(bytesOf),
    );
    fc.assert(
      fc.property(garbage, (bytes) => {
        try {
          decodeAll([bytes]);
        } catch (error) {
          expect(error).to.be.instanceOf(StoreError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  const malformed = [
    'x\r\n',
    ':\r\n',
    ':1a\r\n',
    ':--1\r\n',
    ': 1\r\n',
    '$-2\r\n',
    '$3\r\nabcdef\r\n',
    '+OK\n',
    ':9007199254740993\r\n',
    '\r\n',
  ];
  for (const text of malformed) {
    it(`refuses ${JSON.stringify(text)} and everything after it`, () => {
      const decoder = new RespDecoder();
      decoder.push(bytesOf(text));
      expect(() => decoder.next()).to.throw(StoreProtocolError);
      decoder.push(bytesOf('+OK\r\n'));
      expect(() => decoder.next()).to.throw(StoreProtocolError);
    });
  }

  const tooLarge: [what: string, text: string, limits: RespLimits][] = [
    ['a bulk string announced over the limit, before its bytes come', '$11\r\n', { maxBulkBytes: 10 }],
    ['a line that never ends', `+${'x'.repeat(100)}`, { maxLineBytes: 99 }],
    ['an array announced over the limit', '*11\r\n', { maxElements: 10 }],
    ['many small arrays that are over the limit together', '*3\r\n*3\r\n:1\r\n:1\r\n:1\r\n*3\r\n', { maxElements: 8 }],
    ['an array of a billion', '*1000000000\r\n', {}],
    ['arrays nested too deep', '*1\r\n'.repeat(9), { maxDepth: 8 }],
  ];
  for (const [what, text, limits] of tooLarge) {
    it(`refuses ${what}`, () => {
      expect(() => decode(text, limits)).to.throw(StoreTooLargeError);
    });
  }

  it('accepts what is exactly at the limit', () => {
    expect(decode('$10\r\n0123456789\r\n', { maxBulkBytes: 10 })).to.have.length(1);
    expect(decode(`${'*1\r\n'.repeat(8)}:1\r\n`, { maxDepth: 8 })).to.have.length(1);
    expect(decode('*2\r\n*3\r\n:1\r\n:1\r\n:1\r\n*3\r\n:1\r\n:1\r\n:1\r\n', { maxElements: 9 })).to.have.length(1);
  });

  it('counts elements per reply, not per connection', () => {
    expect(decode('*2\r\n:1\r\n:2\r\n'.repeat(50), { maxElements: 3 })).to.have.length(50);
  });

  it('reads the 557,036 bytes of CLUSTER SLOTS, one byte at a time, as the 3,383 ranges read at once', () => {
    const raw = sample('cluster_slots.raw.gz');
    expect(raw.length).to.equal(557_036);
    const [whole] = decodeAll([raw]);
    expect(whole).to.be.an('array').with.length(3383);
    const [dripped] = decodeAll(singleBytes(raw));
    expect(replyBytes(dripped ?? null)).to.deep.equal(replyBytes(whole ?? null));
    expect(Buffer.compare(replyBytes(whole ?? null), raw), 'and writes them back byte for byte').to.equal(0);
  });

  it('gives equal short bulk strings of one array as one view, and of two replies as two', () => {
    const [first, second] = decode('*3\r\n$2\r\nab\r\n$2\r\nab\r\n$2\r\nba\r\n*1\r\n$2\r\nab\r\n') as RespValue[][];
    expect(first?.[0]).to.equal(first?.[1]);
    expect(first?.[2]).to.deep.equal(bytesOf('ba'));
    expect(second?.[0]).to.deep.equal(first?.[0]);
    expect(second?.[0]).to.not.equal(first?.[0]);
  });

  it('distinguishes bulk strings that differ in a single byte anywhere', () => {
    const id = (at: number) => `${'0'.repeat(at)}1${'0'.repeat(39 - at)}`;
    const ids = Array.from({ length: 40 }, (_, at) => id(at));
    const [values] = decode(`*80\r\n${[...ids, ...ids].map((each) => `$40\r\n${each}\r\n`).join('')}`) as RespValue[][];
    expect(values).to.deep.equal([...ids, ...ids].map(bytesOf));
  });

  it('does not change a value that it has given when more bytes arrive', () => {
    const decoder = new RespDecoder();
    const given: [RespValue | undefined, number][] = [];
    for (let i = 0; i < 2000; i += 1) {
      for (const piece of ['$4\r', `\n${String(i).padStart(4, '0')}`, '\r\n$4']) decoder.push(bytesOf(piece));
      given.push([decoder.next(), i]);
      for (const piece of ['\r\nmore', '\r\n']) decoder.push(bytesOf(piece));
      decoder.next();
    }
    for (const [value, i] of given) expect(value).to.deep.equal(bytesOf(String(i).padStart(4, '0')));
  });
});

describe('RespWriter', () => {
  it('writes commands that are read as they were given, however small its buffer was', () => {
    const part = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.uint8Array({ maxLength: 40 }));
    const commands = fc.array(fc.array(part, { minLength: 1, maxLength: 5 }), { maxLength: 6 });
    fc.assert(
      fc.property(commands, fc.integer({ min: 0, max: 64 }), (given, initialBytes) => {
        const writer = new RespWriter(initialBytes);
        for (const command of given) writer.command(command);
        const asBytes = (one: string | Uint8Array) => Uint8Array.from(typeof one === 'string' ? bytesOf(one) : one);
        const read = decodeAll([writer.bytes()]) as Uint8Array[][];
        expect(read.map((parts) => parts.map(asBytes))).to.deep.equal(given.map((parts) => parts.map(asBytes)));
      }),
    );
  });

  it('writes a command as an array of bulk strings in bytes, not characters', () => {
    expect(new TextDecoder().decode(new RespWriter().command(['SET', 'k', 'ä']).bytes())).to.equal(
      '*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nä\r\n',
    );
  });
});
