// The frames between observers and members: a length of four bytes, little-endian, then one message in postcard.
// Deliberately not shared with store-client: a common codec would hide a mistake from both sides' tests. Encoded frames
// are bytes as latin1 text.

import { BUCKETS, bucketDigests, type PartitionDigest, type RecordMark, type StoredRecord } from '@marekvs/api';
import { partitionCount } from '../member/basics/constants.ts';
import type { ContentAnswer, ContentQuestion } from '../member/basics/messages.ts';
import { leb128 } from '../member/records/partition-digest.ts';

export type ObserverFrame =
  /** Streams come on connections of the bulk kind, all other answers on the control connection. */
  | { readonly kind: 'hello'; readonly id: number; readonly isBulk: boolean }
  | { readonly kind: 'ping'; readonly nonce: bigint }
  | { readonly kind: 'question'; readonly question: ContentQuestion }
  /** Skipped by its length. */
  | { readonly kind: 'other' };

const maxFrameBytes = 8 * 1024 * 1024;
const headBytes = 4;

/** Cuts a byte stream into frames.
 *  @throws RangeError on input after which the connection cannot go on */
export function createObserverDecoder(): (bytes: Buffer) => readonly ObserverFrame[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const frames: ObserverFrame[] = [];
    while (rest.length >= headBytes) {
      const length = rest.readUInt32LE(0);
      if (length > maxFrameBytes) throw new RangeError(`frame of ${length} bytes`);
      if (rest.length < headBytes + length) break;
      frames.push(frameOf(new Fields(rest.subarray(headBytes, headBytes + length))));
      rest = rest.subarray(headBytes + length);
    }
    return frames;
  };
}

function frameOf(fields: Fields): ObserverFrame {
  switch (fields.number()) {
    case 0:
      return { kind: 'hello', id: fields.number(), isBulk: fields.byte() === 1 };
    case 11:
      return { kind: 'question', question: { kind: 'root', partition: fields.partition(), root: fields.big() } };
    case 13:
      return {
        kind: 'question',
        question: { kind: 'buckets', partition: fields.partition(), digest: fields.digest(), changed: [] },
      };
    case 16:
      return {
        kind: 'question',
        question: { kind: 'records', partition: fields.partition(), bucket: fields.byte(), hashes: fields.bigs() },
      };
    case 17:
      return { kind: 'question', question: { kind: 'stream', partition: fields.partition() } };
    case 21:
      return { kind: 'ping', nonce: fields.big() };
    default:
      return { kind: 'other' };
  }
}

class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new RangeError('message ends early');
    this.#at += 1;
    return byte;
  }

  big(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('number of more than 64 bits');
  }

  number(): number {
    return Number(this.big());
  }

  partition(): number {
    const partition = this.number();
    if (partition >= partitionCount) throw new RangeError(`partition ${partition}`);
    return partition;
  }

  bigs(): readonly bigint[] {
    const count = this.number();
    if (count > this.#bytes.length) throw new RangeError(`list of ${count}`);
    return Array.from({ length: count }, () => this.big());
  }

  digest(): string {
    const count = this.number();
    const digest = this.#bytes.toString('latin1', this.#at);
    if (count !== BUCKETS || bucketDigests(digest) === undefined) throw new RangeError('no bucket digests');
    return digest;
  }
}

export const encodeHello = (id: number): string => frame(0, number(id), byte(0));
/** Where a peer should resume its writes. Meaningless for an observer, but every connection gets it. */
export const encodeResumeFrom = (): string => frame(3, number(0));
export const encodePing = (): string => frame(21, number(0));
export const encodePong = (nonce: bigint): string => frame(22, big(nonce));

export function encodeAnswer(answer: ContentAnswer): string {
  if (answer.kind === 'digests')
    return answer.partitions.map((partition, at) => digestFrame(partition, answer.digests[at] ?? '')).join('');
  const partition = number(answer.partition);
  switch (answer.kind) {
    case 'match':
      return frame(12, partition);
    case 'digest':
      return digestFrame(answer.partition, answer.digest);
    case 'entries':
      return frame(14, partition, byte(answer.bucket), list(answer.entries.map(markOf)), byte(1));
    case 'records':
      return frame(15, partition, recordsOf(answer.records));
    case 'page':
      return frame(18, partition, recordsOf(answer.records));
    case 'done':
      // How far the member had replicated by then.
      return frame(19, partition, number(0));
  }
}

function digestFrame(partition: number, digest: PartitionDigest): string {
  return frame(13, number(partition), number(BUCKETS), digest);
}

function frame(variant: number, ...fields: readonly string[]): string {
  const body = byte(variant) + fields.join('');
  return String.fromCharCode(...littleEndian(body.length)) + body;
}

function littleEndian(length: number): readonly number[] {
  return [length & 0xff, (length >>> 8) & 0xff, (length >>> 16) & 0xff, length >>> 24];
}

const byte = (value: number): string => String.fromCharCode(value);
const number = (value: number): string => leb128(Math.floor(value / 0x1_0000_0000), value % 0x1_0000_0000);
const big = (value: bigint): string => leb128(Number(value >> 32n), Number(value & 0xffff_ffffn));
const bytes = (raw: Uint8Array): string => number(raw.length) + Buffer.from(raw).toString('latin1');
const list = (items: readonly string[]): string => number(items.length) + items.join('');
const markOf = ({ hash, version, content }: RecordMark): string => big(hash) + big(version) + big(content);
const recordsOf = (records: readonly StoredRecord[]): string =>
  list(records.map(({ key, value }) => bytes(key) + bytes(value)));
