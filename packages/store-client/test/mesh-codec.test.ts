import { EMPTY_DIGEST } from '@marekvs/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { checkSize, decodeMessage, readHead } from '../src/contents/decode-message.ts';
import { encodeMessage } from '../src/contents/encode-message.ts';
import { FrameDecoder, MAX_FRAME_BYTES } from '../src/contents/frame-decoder.ts';
import { type MemberMessage, OBSERVER_VARIANTS, type ObserverMessage } from '../src/contents/mesh-messages.ts';
import { StoreError, StoreProtocolError, StoreTooLargeError } from '../src/errors.ts';
import { digestText, frame, hear, leb, say } from './support/mesh-wire.ts';
import { singleBytes, splitsOf } from './support/split.ts';

const u64 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 300n }));
const partition = fc.integer({ min: 0, max: 4095 });
const bucket = fc.integer({ min: 0, max: 255 });
const digests = fc.array(u64, { minLength: 256, maxLength: 256 });
const bytes = fc.uint8Array({ maxLength: 40 });

const stored = fc.tuple(partition, fc.array(fc.tuple(bytes, bytes), { maxLength: 4 }));

/** What is read of a list of records. */
function read(p: number, records: readonly (readonly [Uint8Array, Uint8Array])[]) {
  return {
    partition: p,
    records: records.map(([key, value]) => ({ key: Uint8Array.from(key), value: Uint8Array.from(value) })),
  };
}

/** Messages that a member may send, with what has to be read from them. */
const said: fc.Arbitrary<readonly [Buffer, MemberMessage]> = fc.oneof(
  fc.integer({ min: 0, max: 65_535 }).map((node) => [say.hello(node), { kind: 'hello', node }] as const),
  partition.map((p) => [say.match(p), { kind: 'merkleRootMatch', partition: p }] as const),
  fc
    .tuple(partition, digests)
    .map(([p, d]) => [say.buckets(p, d), { kind: 'merkleBuckets', partition: p, digests: digestText(d) }] as const),
  fc
    .tuple(partition, bucket, fc.array(fc.tuple(u64, u64, u64), { maxLength: 20 }), fc.boolean())
    .map(([p, b, entries, flag]) => {
      const records = entries.map(([hash, version, content]) => ({ hash, version, content }));
      return [say.bucketKeys(p, b, entries, flag), { kind: 'bucketKeys', partition: p, bucket: b, records }] as const;
    }),
  stored.map(([p, records]) => [say.repairOps(p, records), { kind: 'repairOps', ...read(p, records) }] as const),
  stored.map(([p, records]) => [say.chunk(p, records), { kind: 'bootstrapChunk', ...read(p, records) }] as const),
  fc.tuple(partition, u64).map(([p, seq]) => [say.done(p, seq), { kind: 'bootstrapDone', partition: p }] as const),
  u64.map((nonce) => [say.ping(nonce), { kind: 'ping', nonce }] as const),
  u64.map((nonce) => [say.pong(nonce), { kind: 'pong', nonce }] as const),
  fc.tuple(bytes, bytes).map(([c, p]) => [say.publish(c, p), { kind: 'other', variant: 20 }] as const),
  fc
    .tuple(fc.integer({ min: 23, max: 2 ** 32 - 1 }), bytes)
    .map(([variant, rest]) => [frame([...leb(variant), ...rest]), { kind: 'other', variant }] as const),
);

const everything = (): boolean => true;

function decodeAll(pieces: readonly Uint8Array[]): MemberMessage[] {
  const frames = new FrameDecoder();
  const messages: MemberMessage[] = [];
  for (const piece of pieces) {
    frames.push(piece);
    for (let body = frames.next(everything); body !== undefined; body = frames.next(everything))
      messages.push(plain(decodeMessage(body)));
  }
  return messages;
}

/** For comparing views of buffers by their contents. */
function plain(message: MemberMessage): MemberMessage {
  if (message.kind === 'bucketKeys') return { ...message, records: [...message.records] };
  if (message.kind !== 'repairOps' && message.kind !== 'bootstrapChunk') return message;
  const records = message.records.map(({ key, value }) => ({
    key: Uint8Array.from(key),
    value: Uint8Array.from(value),
  }));
  return { ...message, records };
}

describe('mesh messages of a member', () => {
  it('are read as they were written, for any split of the bytes', () => {
    const cases = fc
      .array(said, { minLength: 1, maxLength: 5 })
      .chain((list) => splitsOf(Buffer.concat(list.map(([wire]) => wire))).map((pieces) => ({ list, pieces })));
    fc.assert(
      fc.property(cases, ({ list, pieces }) => {
        const expected = list.map(([, message]) => message);
        expect(decodeAll(pieces)).to.deep.equal(expected);
        expect(decodeAll(pieces.flatMap(singleBytes))).to.deep.equal(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('are refused when a byte is missing or one is too many', () => {
    fc.assert(
      fc.property(said, fc.nat(), ([wire, message], cut) => {
        fc.pre(message.kind !== 'other');
        const body = [...wire.subarray(4)];
        const short = body.slice(0, cut % body.length);
        if (short.length === 0) return;
        expect(() => decodeMessage(Uint8Array.from(short))).to.throw(StoreProtocolError);
        expect(() => decodeMessage(Uint8Array.from([...body, 0]))).to.throw(StoreProtocolError);
      }),
      { numRuns: 300 },
    );
  });

  it('are not complete before the last byte of their frame', () => {
    fc.assert(
      fc.property(said, ([wire]) => {
        expect(decodeAll([wire.subarray(0, -1)])).to.deep.equal([]);
      }),
      { numRuns: 100 },
    );
  });

  it('keep the digests of an empty partition as 256 zeros', () => {
    const [message] = decodeAll([say.buckets(7, Array<bigint>(256).fill(0n))]);
    expect(message).to.deep.equal({ kind: 'merkleBuckets', partition: 7, digests: EMPTY_DIGEST });
  });

  it('carry numbers from 0 to 2^64-1', () => {
    for (let bit = 0n; bit <= 64n; bit += 1n) {
      for (const nonce of [2n ** bit - 1n, 2n ** bit, 2n ** bit + 1n].filter((value) => value < 2n ** 64n)) {
        expect(decodeAll([say.ping(nonce)])).to.deep.equal([{ kind: 'ping', nonce }]);
      }
    }
  });

  for (const [name, body] of [
    ['a number of more than 64 bits', [21, ...Array<number>(9).fill(0xff), 0x02]],
    ['a number of eleven bytes', [21, ...Array<number>(10).fill(0x80), 0x01]],
    ['a number that could be shorter', [21, 0x81, 0x00]],
    ['a variant that could be shorter', [0x95, 0x00, 0x01]],
    ['a variant of more than 32 bits', [0xff, 0xff, 0xff, 0xff, 0x10]],
    ['a partition above 4095', [12, ...leb(4096)]],
    ['a node number above 65535', [0, ...leb(65_536), 0]],
    ['a connection of an unknown kind', [0, 1, 2]],
    ['255 digests', [13, 1, ...leb(255), ...Array<number>(255).fill(0)]],
    ['257 digests', [13, 1, ...leb(257), ...Array<number>(257).fill(0)]],
    ['digests without their count', [13, 1, ...Array<number>(256).fill(0)]],
    ['a digest that could be shorter', [13, 1, ...leb(256), ...Array<number>(255).fill(0), 0x80, 0x00]],
    ['more entries than there are bytes for', [14, 1, 1, ...leb(2n ** 32n - 1n), 0]],
    ['a truth value of 2', [14, 1, 1, 0, 2]],
    ['a key longer than its message', [15, 1, 1, 200, 1, 0]],
    ['more records than there are bytes for', [15, 1, ...leb(1_000_000_000), 0, 0]],
    ['a page of more records than there are bytes for', [18, 1, ...leb(1_000_000_000), 0, 0]],
    ['an end of a partition above 4095', [19, ...leb(4096), 0]],
  ] as const) {
    it(`are refused with ${name}`, () => {
      expect(() => decodeMessage(Uint8Array.from(body))).to.throw(StoreProtocolError);
    });
  }

  it('are refused with a StoreError, and with no other error, when they are garbage', () => {
    const almost = fc.tuple(fc.constantFrom(0, 12, 13, 14, 15, 18, 19, 21, 22), fc.uint8Array({ maxLength: 60 }));
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      almost.map(([variant, rest]) => frame([variant, ...rest])),
    );
    fc.assert(
      fc.property(garbage, (noise) => {
        try {
          decodeAll([noise]);
        } catch (error) {
          expect(error).to.be.instanceOf(StoreError);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('are refused at once when announced with more than 8 MiB, whatever follows', () => {
    const head = Buffer.alloc(4);
    head.writeUInt32LE(MAX_FRAME_BYTES + 1);
    const frames = new FrameDecoder();
    frames.push(head);
    expect(() => frames.next(everything))
      .to.throw(StoreTooLargeError)
      .with.property('limit', 8_388_608);
    frames.push(say.ping(1n));
    expect(() => frames.next(everything)).to.throw(StoreTooLargeError);
  });

  it('are skipped by their length when nobody wants them, whatever is in them and however they are split', () => {
    const noise = fc.uint8Array({ minLength: 1, maxLength: 80 }).map((body) => frame([...body]));
    const list = fc.array(fc.tuple(noise, fc.boolean()), { minLength: 1, maxLength: 8 });
    const cases = list.chain((some) =>
      splitsOf(Buffer.concat(some.map(([wire]) => wire))).map((pieces) => ({ some, pieces })),
    );
    fc.assert(
      fc.property(cases, ({ some, pieces }) => {
        const frames = new FrameDecoder();
        const wishes = some.map(([, isWanted]) => isWanted);
        const bodies: Buffer[] = [];
        for (const piece of pieces) {
          frames.push(piece);
          const next = () => frames.next(() => wishes.shift() ?? false);
          for (let body = next(); body !== undefined; body = next()) bodies.push(Buffer.from(body));
        }
        expect(bodies).to.deep.equal(some.filter(([, isWanted]) => isWanted).map(([wire]) => wire.subarray(4)));
      }),
      { numRuns: 300 },
    );
  });

  it('stay as they were when the memory they came in is overwritten', () => {
    const messages = [say.ping(7n), say.repairOps(1, [[Buffer.from('key'), Buffer.from('value')]]), say.match(3)];
    const wire = Buffer.concat(messages);
    for (let cut = 0; cut <= wire.length; cut += 1) {
      const frames = new FrameDecoder();
      const lent = Buffer.alloc(wire.length);
      const bodies: Uint8Array[] = [];
      for (const piece of [wire.subarray(0, cut), wire.subarray(cut)]) {
        piece.copy(lent);
        frames.push(lent.subarray(0, piece.length));
        for (let body = frames.next(everything); body !== undefined; body = frames.next(everything)) bodies.push(body);
        lent.fill(0xff);
      }
      expect(bodies.map((body) => Buffer.from(body))).to.deep.equal(messages.map((message) => message.subarray(4)));
    }
  });

  it('tell by their first bytes what they are, as decoding all of them does', () => {
    fc.assert(
      fc.property(said, ([wire, message]) => {
        const head = readHead(wire.subarray(4, 20));
        expect(head.kind).to.equal(message.kind);
        checkSize(head, wire.length - 4);
        if ('count' in head) expect(head.count).to.equal([...('records' in message ? message.records : [])].length);
        if ('partition' in head) expect(message).to.include({ partition: head.partition });
        if ('bucket' in head) expect(message).to.include({ bucket: head.bucket });
      }),
      { numRuns: 300 },
    );
  });

  for (const [name, head, length] of [
    ['digests', { kind: 'merkleBuckets', partition: 1 }, 2_577],
    ['entries', { kind: 'bucketKeys', partition: 1, bucket: 1, count: 2 }, 77],
    ['a ping', { kind: 'ping' }, 27],
  ] as const) {
    it(`are refused by their length alone when no ${name} can be so long`, () => {
      checkSize(head, length - 1);
      expect(() => checkSize(head, length)).to.throw(StoreProtocolError);
    });
  }

  it('are refused when a frame has no message', () => {
    expect(() => decodeAll([Buffer.alloc(4)])).to.throw(StoreProtocolError);
  });

  it('may fill a frame of 8 MiB with entries', () => {
    const entry = leb(2n ** 64n - 1n);
    const count = Math.floor((MAX_FRAME_BYTES - 10) / (3 * entry.length));
    const body = Buffer.concat([
      Buffer.from([14, 1, 1, ...leb(count)]),
      Buffer.alloc(count * 3 * entry.length, Buffer.from(entry)),
      Buffer.from([0]),
    ]);
    const message = decodeMessage(body);
    expect(message.kind === 'bucketKeys' && message.records).to.have.length(count);
  });
});

describe('mesh messages of an observer', () => {
  const asked: fc.Arbitrary<ObserverMessage> = fc.oneof(
    fc.record({
      kind: fc.constant('hello' as const),
      connection: fc.constantFrom('control' as const, 'bulk' as const),
    }),
    fc.record({ kind: fc.constant('bootstrapReq' as const), partition }),
    fc.record({ kind: fc.constant('merkleRoot' as const), partition, root: u64 }),
    fc.record({ kind: fc.constant('merkleBuckets' as const), partition, digests: digests.map(digestText) }),
    fc.record({
      kind: fc.constant('requestKeys' as const),
      partition,
      bucket,
      hashes: fc.array(u64, { maxLength: 5 }),
    }),
    fc.record({ kind: fc.constantFrom('ping' as const, 'pong' as const), nonce: u64 }),
  );

  it('are read by a member as they were written', () => {
    fc.assert(
      fc.property(asked, (message) => {
        const { heard, rest } = hear(Buffer.from(encodeMessage(message)));
        expect(rest).to.have.length(0);
        const [only] = heard.map((one) =>
          one.kind === 'merkleBuckets' ? { ...one, digests: digestText(one.digests) } : one,
        );
        expect(only).to.deep.equal(
          message.kind === 'hello'
            ? { kind: 'hello', node: 65_535n, connection: message.connection === 'bulk' ? 1n : 0n }
            : message,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('have the numbers 0, 11, 13, 16, 17, 21 and 22 and no others', () => {
    expect(Object.values(OBSERVER_VARIANTS).sort((a, b) => a - b)).to.deep.equal([0, 11, 13, 16, 17, 21, 22]);
    fc.assert(
      fc.property(asked, (message) => {
        expect(encodeMessage(message)[4]).to.equal(OBSERVER_VARIANTS[message.kind]);
      }),
      { numRuns: 200 },
    );
  });

  it('cannot be of any other kind, even if the types are ignored', () => {
    for (const kind of ['repl', 'repairOps', 'bootstrapChunk', 'bucketKeys', 'constructor', '', 15]) {
      const message = { kind, partition: 1, root: 1n, nonce: 1n, records: [] };
      expect(() => encodeMessage(message as unknown as ObserverMessage), String(kind)).to.throw(RangeError);
    }
  });

  for (const [name, message] of [
    ['a partition above 4095', { kind: 'merkleRoot', partition: 4096, root: 1n }],
    ['a partition below 0', { kind: 'merkleRoot', partition: -1, root: 1n }],
    ['a root of 65 bits', { kind: 'merkleRoot', partition: 1, root: 2n ** 64n }],
    ['a nonce below 0', { kind: 'ping', nonce: -1n }],
    ['a bucket above 255', { kind: 'requestKeys', partition: 1, bucket: 256, hashes: [] }],
    ['a text that is not a digest', { kind: 'merkleBuckets', partition: 1, digests: '\0'.repeat(255) }],
  ] as const) {
    it(`cannot be made with ${name}`, () => {
      expect(() => encodeMessage(message)).to.throw(RangeError);
    });
  }
});
