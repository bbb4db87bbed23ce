// Writes of all kinds to keys that several clients share: each adds, deletes and dates what others have written. Pure,
// and without random numbers.

import type { ClientWrite } from './client-command.ts';

/** Long enough to be pending in every life, and short enough to be over in it. */
const LONG_SECONDS = '3600';
const SHORT_SECONDS = '8';

/** A command by the key's number, the part's number and a value that nobody else writes. */
type Shape = (n: number, part: number, value: string) => readonly string[];

/** Additions are more frequent than deletions, and deletions of whole keys rare. */
const SHAPES: readonly Shape[] = [
  (n, part, value) => ['HSET', `shared:hash:${n}`, `f${part}`, value],
  (n, part) => ['SADD', `shared:set:${n}`, `m${part}`],
  (n, part, value) => ['HSET', `shared:hash:${n}`, `f${part}`, value, 'last', value],
  (n, part) => ['HEXPIRE', `shared:hash:${n}`, LONG_SECONDS, 'FIELDS', '1', `f${part}`],
  (n, part, value) => ['ZADD', `shared:zset:${n}`, String(value.length), `m${part}`],
  (n, part) => ['HDEL', `shared:hash:${n}`, `f${part}`],
  (n, _part, value) => ['SET', `shared:string:${n}`, value],
  (n) => ['INCR', `shared:counter:${n}`],
  (n, part) => ['SREM', `shared:set:${n}`, `m${part}`],
  (n) => ['EXPIRE', `shared:counter:${n}`, LONG_SECONDS],
  (n, part) => ['HEXPIRE', `shared:hash:${n}`, SHORT_SECONDS, 'FIELDS', '1', `f${part}`],
  (n, _part, value) => ['PFADD', `shared:hll:${n}`, value],
  (n) => ['PERSIST', `shared:counter:${n}`],
  (n, _part, value) => ['SET', `shared:string:${n}`, value, 'EX', SHORT_SECONDS],
  (n, part) => ['HPERSIST', `shared:hash:${n}`, 'FIELDS', '1', `f${part}`],
  (n, part) => ['ZREM', `shared:zset:${n}`, `m${part}`],
  (n) => ['PERSIST', `shared:string:${n}`],
  (n) => ['INCR', `shared:counter:${n}`],
  (n) => ['DEL', `shared:string:${n}`],
  (n) => ['EXPIRE', `shared:string:${n}`, LONG_SECONDS],
];
/** Never of a HyperLogLog: registers of before hide what is counted after it, and stay different for good
 *  (docs/limits.md#what-the-server-itself-loses). */
const KEY_DELETIONS = ['hash', 'set', 'zset', 'counter'] as const;
const DELETES_EVERY = 97;
const PARTS = 3;

/** @param turn rises by one with every such write of this client */
export function sharedWrite(name: string, turn: number, shared: number): ClientWrite {
  const mixed = mix(turn, name);
  const n = mixed % shared;
  const words = wordsOf(name, turn, n, Math.floor(mixed / shared) % PARTS);
  return { key: words[1], home: mixed % 2, words };
}

function wordsOf(name: string, turn: number, n: number, part: number): readonly string[] {
  if (turn % DELETES_EVERY === 0) return ['DEL', `shared:${KEY_DELETIONS[turn % KEY_DELETIONS.length] ?? 'hash'}:${n}`];
  return SHAPES[turn % SHAPES.length]?.(n, part, `${name}.${turn}`) ?? [];
}

/** Clients that write in step still write to different keys. */
function mix(turn: number, name: string): number {
  let mixed = turn;
  for (let at = 0; at < name.length; at += 1) mixed = Math.imul(mixed ^ name.charCodeAt(at), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
