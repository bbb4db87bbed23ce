// The three 64-bit hashes of a record in digests: of its key, its version and its content. In halves of 32 bits, since
// every write needs them; cached per version object, which all members of one process share.

import type { RecordMark } from '@marekvs/api';
import type { Version } from '../basics/messages.ts';
import { hlcOf } from './hlc.ts';

export interface RecordHash {
  /** The topmost byte of the key's hash. */
  readonly bucket: number;
  readonly keyHigh: number;
  readonly keyLow: number;
  readonly contentHigh: number;
  readonly contentLow: number;
  /** Over all three; a bucket's digest is the XOR of these. */
  readonly mixedHigh: number;
  readonly mixedLow: number;
}

export function recordHash(version: Version): RecordHash {
  let hash = known.get(version);
  if (hash === undefined) {
    hash = compute(version);
    known.set(version, hash);
  }
  return hash;
}

export function recordMark(version: Version): RecordMark {
  const { keyHigh, keyLow, contentHigh, contentLow } = recordHash(version);
  return { hash: wide(keyHigh, keyLow), version: hlcOf(version.clock), content: wide(contentHigh, contentLow) };
}

/** Over everything but key and clock, in 32 bits. */
export function contentHash(version: Version): number {
  return recordHash(version).contentLow;
}

/** A 64-bit hash of a text. */
export function textHash(text: string): bigint {
  return wide(fold(text, HIGH_SEED), fold(text, LOW_SEED));
}

const known = new WeakMap<Version, RecordHash>();

const HIGH_SEED = 0x811c9dc5;
const LOW_SEED = 0x9747b28c;

function compute(version: Version): RecordHash {
  const { key, clock, value } = version;
  const keyHigh = fold(key, HIGH_SEED);
  const keyLow = fold(key, LOW_SEED);
  const rest = restOf(version);
  const contentHigh = fold(rest, fold(value, HIGH_SEED));
  const contentLow = fold(rest, fold(value, LOW_SEED));
  const clockHigh = Math.floor(clock / 0x1_0000_0000);
  const clockLow = clock % 0x1_0000_0000;
  return {
    bucket: keyHigh >>> 24,
    keyHigh,
    keyLow,
    contentHigh,
    contentLow,
    mixedHigh: mix(mix(mix(keyHigh, clockLow), clockHigh), contentHigh),
    mixedLow: mix(mix(mix(keyLow, clockLow), clockHigh), contentLow),
  };
}

function restOf({ origin, isDead, expiresAtMs, merged }: Version): string {
  const plain = `${origin}${isDead ? '-' : '+'}`;
  return expiresAtMs === undefined && merged === undefined
    ? plain
    : `${plain}${expiresAtMs ?? ''} ${JSON.stringify(merged) ?? ''}`;
}

function fold(text: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return finish(hash);
}

function mix(hash: number, word: number): number {
  return finish(Math.imul(hash ^ word, 0x9e3779b1));
}

/** The finaliser of MurmurHash3: flipping one input bit changes half of the output bits. */
function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function wide(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
