// What a writing client sends next. Pure. The kind follows from the number of earlier writes, so no random number is
// drawn, and clients without options write the same as ever.

import type { ClientWrite } from './client-command.ts';
import { sharedWrite } from './shared-writes.ts';

export interface WriteOptions {
  /** Number of keys of its own, written in turn. */
  readonly keys: number;
  /** Every write is an MSET of this many consecutive keys through one member, home or not: the hole in pushing. */
  readonly msetKeys?: number;
  /** Every second write counts: in turn one of this many shared counters, through each of its homes in turn. */
  readonly counters?: number;
  /** Every second write is to one of this many keys of each kind that all clients share: hashes, sets, sorted sets,
   *  strings, counters and HyperLogLogs, with deletions and deadlines. */
  readonly shared?: number;
  /** Every third write expires after this many seconds. */
  readonly expireSeconds?: number;
  /** Each `every` writes the value has `bytes` bytes: above the frame limit it stays on the member that took it. */
  readonly large?: { readonly every: number; readonly bytes: number };
}

/** @param number rises by one with every write of this client */
export function writeOf(name: string, number: number, options: WriteOptions): ClientWrite {
  const { counters = 0, shared = 0, msetKeys = 0 } = options;
  if (number % 2 === 0 && counters > 0) return increment(number / 2, counters);
  if (number % 2 === 0 && shared > 0) return sharedWrite(name, number / 2, shared);
  return msetKeys > 0 ? setMany(name, number, options.keys, msetKeys) : setOne(name, number, options);
}

function setOne(name: string, number: number, { keys, expireSeconds = 0, large }: WriteOptions): ClientWrite {
  const isLarge = large !== undefined && number % large.every === 0;
  const expires = expireSeconds > 0 && number % 3 === 0 && !isLarge;
  // A key keeps its kind, so that an expired value never hides one that was meant to stay.
  const kind = isLarge ? 'large:' : expires ? 'brief:' : '';
  const key = `${name}:${kind}${number % keys}`;
  // Padding with spaces does not change the number.
  const value = isLarge ? String(number).padEnd(large.bytes) : String(number);
  return { key, home: 0, words: expires ? ['SET', key, value, 'EX', String(expireSeconds)] : ['SET', key, value] };
}

function setMany(name: string, number: number, keys: number, count: number): ClientWrite {
  const own = new Set(Array.from({ length: count }, (_, index) => `${name}:${(number * count + index) % keys}`));
  return { key: undefined, home: 0, words: ['MSET', ...[...own].flatMap((key) => [key, String(number)])] };
}

function increment(turn: number, counters: number): ClientWrite {
  const key = `counter:${turn % counters}`;
  return { key, home: Math.floor(turn / counters), words: ['INCR', key] };
}
