// Members that hold records and answer the questions of a comparison as the real ones do: digests by XOR over a bucket,
// written as LEB128. A plain model, for tests: what a record is and how two of them merge, nothing about time.

import {
  BUCKETS,
  EMPTY_DIGEST,
  type PartitionDigest,
  type RecordMark,
  STREAM_PAGE,
  type StoredRecord,
} from '@marekvs/api';
import type { ContentAnswer, ContentQuestion } from '../../../src/index.ts';
import * as values from './values.ts';

/** A record as one member holds it. Equal states of one payload have equal contents. */
export interface Held {
  readonly hash: bigint;
  readonly payload: bigint;
  readonly state: RecordState;
}

export type RecordState =
  /** A string: newer replaces older. */
  | { readonly kind: 'replaced'; readonly version: bigint }
  | {
      readonly kind: 'counter';
      readonly version: bigint;
      readonly base: { readonly version: bigint; readonly origin: number };
      readonly slots: ReadonlyMap<number, { readonly increments: bigint; readonly decrements: bigint }>;
    }
  | { readonly kind: 'register'; readonly version: bigint; readonly rank: number };

/** The record as a member stores it. All are parts of one user's key. */
export function storedRecord(partition: number, { hash, payload, state }: Held): StoredRecord {
  const tail = Buffer.alloc(8);
  tail.writeBigUInt64BE(hash);
  const head = [partition >> 8, partition & 0xff, 'H'.charCodeAt(0), USER_KEY.length];
  return {
    key: Uint8Array.from([...head, ...Buffer.from(USER_KEY), ...tail]),
    value: storedValue(payload, state),
  };
}

export const USER_KEY = 'visitors';

function storedValue(payload: bigint, state: RecordState): Uint8Array {
  const at = { hlc: state.version };
  if (state.kind === 'replaced') return values.string(at, String(payload));
  if (state.kind === 'register') return values.register(at, state.rank);
  const slots = [...state.slots].sort(([a], [b]) => a - b);
  return values.counter(
    at,
    slots.map(([nodeId, { increments, decrements }]) => [nodeId, increments, decrements] as const),
    [state.base.version, state.base.origin],
  );
}

const U64 = (1n << 64n) - 1n;

/** SplitMix64. */
function mix(value: bigint): bigint {
  let z = (value + 0x9e3779b97f4a7c15n) & U64;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & U64;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & U64;
  return z ^ (z >> 31n);
}

export function markOf({ hash, payload, state }: Held): RecordMark {
  return { hash, version: state.version, content: mix(payload ^ mix(contentOf(state))) };
}

function contentOf(state: RecordState): bigint {
  if (state.kind === 'replaced') return state.version;
  if (state.kind === 'register') return BigInt(state.rank) + (1n << 40n);
  let content = mix(state.base.version ^ mix(BigInt(state.base.origin)));
  for (const [nodeId, { increments, decrements }] of [...state.slots].sort(([a], [b]) => a - b)) {
    content = mix(content ^ mix(BigInt(nodeId) ^ mix(increments ^ mix(decrements))));
  }
  return content;
}

export function bucketOf(hash: bigint): number {
  return Number(hash % BigInt(BUCKETS));
}

/** What a member holds after it was given another one's record. */
export function merged(own: Held | undefined, given: Held): Held {
  if (own === undefined) return given;
  const [a, b] = [own.state, given.state];
  const newer = b.version > a.version ? given : own;
  if (a.kind === 'register' && b.kind === 'register') {
    if (a.rank !== b.rank) return b.rank > a.rank ? given : own;
    return b.version < a.version ? given : own;
  }
  if (a.kind !== 'counter' || b.kind !== 'counter') return newer;
  const version = newer.state.version;
  const order =
    a.base.version === b.base.version ? a.base.origin - b.base.origin : a.base.version > b.base.version ? 1 : -1;
  if (order !== 0) return { ...newer, state: { ...(order > 0 ? a : b), version } };
  return { ...newer, state: { ...a, version, slots: mergedSlots(a.slots, b.slots) } };
}

type Slots = Extract<RecordState, { kind: 'counter' }>['slots'];

function mergedSlots(a: Slots, b: Slots): Slots {
  const slots = new Map(a);
  for (const [nodeId, { increments, decrements }] of b) {
    const own = slots.get(nodeId) ?? { increments: 0n, decrements: 0n };
    slots.set(nodeId, {
      increments: increments > own.increments ? increments : own.increments,
      decrements: decrements > own.decrements ? decrements : own.decrements,
    });
  }
  return slots;
}

export class ModelMember {
  readonly id: number;
  readonly #partitions = new Map<number, Map<bigint, Held>>();
  readonly #digests = new Map<number, PartitionDigest>();

  constructor(id: number) {
    this.id = id;
  }

  get(partition: number, hash: bigint): Held | undefined {
    return this.#partitions.get(partition)?.get(hash);
  }

  all(partition: number): readonly Held[] {
    return [...(this.#partitions.get(partition)?.values() ?? [])];
  }

  set(partition: number, held: Held): void {
    const records = this.#partitions.get(partition) ?? new Map<bigint, Held>();
    this.#partitions.set(partition, records.set(held.hash, held));
    this.#digests.delete(partition);
  }

  drop(partition: number, hash: bigint): void {
    this.#partitions.get(partition)?.delete(hash);
    this.#digests.delete(partition);
  }

  digest(partition: number): PartitionDigest {
    const known = this.#digests.get(partition);
    if (known !== undefined) return known;
    if (this.all(partition).length === 0) return EMPTY_DIGEST;
    const buckets = new Array<bigint>(BUCKETS).fill(0n);
    for (const held of this.all(partition)) {
      const { hash, version, content } = markOf(held);
      const bucket = bucketOf(hash);
      buckets[bucket] = (buckets[bucket] ?? 0n) ^ mix(hash ^ mix(version ^ mix(content)));
    }
    const digest = buckets.map(leb128).join('');
    this.#digests.set(partition, digest);
    return digest;
  }

  /** In the order of the keys. */
  pages(partition: number): readonly (readonly StoredRecord[])[] {
    const held = [...this.all(partition)].sort((a, b) => (a.hash < b.hash ? -1 : 1));
    const pages: StoredRecord[][] = [];
    for (let from = 0; from < held.length; from += STREAM_PAGE)
      pages.push(held.slice(from, from + STREAM_PAGE).map((one) => storedRecord(partition, one)));
    return pages;
  }

  answer(question: ContentQuestion): ContentAnswer {
    switch (question.kind) {
      case 'digests':
        return { kind: 'digests', digests: question.partitions.map((partition) => this.digest(partition)) };
      case 'entries': {
        const records = this.all(question.partition);
        const inBucket = (bucket: number) => records.filter(({ hash }) => bucketOf(hash) === bucket).map(markOf);
        return { kind: 'entries', entries: new Map(question.buckets.map((bucket) => [bucket, inBucket(bucket)])) };
      }
      case 'records': {
        const held = question.hashes.flatMap((hash) => this.get(question.partition, hash) ?? []);
        return { kind: 'records', records: held.map((one) => storedRecord(question.partition, one)) };
      }
      case 'turn':
        return { kind: 'turn' };
      case 'stream':
        return { kind: 'stream', stream: { pages: this.pages(question.partition) } };
    }
  }
}

export function leb128(value: bigint): string {
  let text = '';
  let rest = value;
  while (rest >= 0x80n) {
    text += String.fromCharCode(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return text + String.fromCharCode(Number(rest));
}
