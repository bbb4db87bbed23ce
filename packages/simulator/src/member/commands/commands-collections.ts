// Commands of hashes, sets, sorted sets and HyperLogLogs: one record for each part, and a head that says what the key
// is and up to when its parts were deleted (docs/design/server.md#how-records-merge).

import type { Element, Version } from '../basics/messages.ts';
import type { ServedMember } from '../interfaces/served-member.ts';
import { headValue, isExpired, tombstoneOf } from '../records/expiry.ts';
import { clockOf } from '../records/hlc.ts';
import { headKey, type PartLetter, partKey } from '../records/keys.ts';
import { withoutValues, withValue } from '../records/merging.ts';
import { textHash } from '../records/record-hash.ts';
import { wrongArguments } from './commands-cluster.ts';
import type { Call, Command } from './resp-call.ts';
import { array, bulk, integer, nil, notANumber, type Reply } from './resp-wire.ts';

interface Kind {
  readonly letter: PartLetter;
  /** The first byte of the head's value. */
  readonly head: string;
}

const hash: Kind = { letter: 'h', head: '\x01' };
const set: Kind = { letter: 'S', head: '\x02' };
const sortedSet: Kind = { letter: 'z', head: '\x03' };
const hyperLogLog: Kind = { letter: 'H', head: '\x06' };

/** The value of every member of a set. */
const nothing = '';
const scoreBytes = 8;

export const collectionReads: readonly (readonly [string, Command])[] = [
  ['hget', (call) => readPart(call, hash, (found) => (found === undefined ? nil : bulk(found.value)))],
  ['sismember', (call) => readPart(call, set, (found) => integer(found === undefined ? 0 : 1))],
  ['zscore', (call) => readPart(call, sortedSet, (found) => (found === undefined ? nil : bulk(scoreOf(found.value))))],
  ['pfcount', pfcount],
];

export const collectionWrites: readonly (readonly [string, Command])[] = [
  ['hset', (call) => put(call, hash, pairs(call.args.slice(1)))],
  ['hdel', (call) => remove(call, hash)],
  ['hexpire', hexpire],
  ['hpersist', (call) => restampFields(call, call.args.slice(1), undefined)],
  [
    'sadd',
    (call) =>
      put(
        call,
        set,
        call.args.slice(1).map((member) => [member, nothing]),
      ),
  ],
  ['srem', (call) => remove(call, set)],
  [
    'zadd',
    (call) =>
      put(
        call,
        sortedSet,
        pairs(call.args.slice(1)).map(([score, member]) => [member, scored(score)]),
      ),
  ],
  ['zrem', (call) => remove(call, sortedSet)],
  ['pfadd', pfadd],
  ['pfmerge', pfmerge],
];

/** Reads the records one after the other: those that a home has to be asked for take a while. */
export function readAll(
  member: ServedMember,
  keys: readonly string[],
  found: (versions: readonly (Version | undefined)[]) => void,
): void {
  const versions: (Version | undefined)[] = [];
  // What the member holds itself is there at once: thousands of such records are read in a loop, not within each other.
  let isReading = false;
  const goOn = (): void => {
    if (isReading) return;
    isReading = true;
    for (let asked = -1; asked < versions.length && versions.length < keys.length; ) {
      asked = versions.length;
      const key = keys[asked] ?? '';
      member.read(key, () => {
        // What was fetched from a home has been merged with the local record by now.
        versions.push(member.store.get(key));
        goOn();
      });
    }
    isReading = false;
    if (versions.length === keys.length) found(versions);
  };
  goOn();
}

/** Deletes the head, and with it every part that was written until now. */
export function clearParts(member: ServedMember, { key, value }: Version): void {
  member.write([({ clock }) => ({ key, value: headValue(value.slice(0, 1), clock), isDead: true })]);
}

function put(call: Call, kind: Kind, parts: readonly (readonly [string, string])[]): void {
  const { member, answer } = call;
  const key = keyOf(call, parts.length > 0);
  if (key === undefined) return;
  readParts(
    member,
    key,
    kind,
    parts.map(([part]) => part),
    (head, held) => {
      beginHead(member, key, kind, head);
      parts.forEach(([part, value], at) => {
        const record = partKey(key, kind.letter, part);
        const element = elementOf(held[at]);
        member.write([(stamp) => ({ key: record, merged: withValue(element, { ...stamp, value }) })]);
      });
      answer(integer(held.filter((version) => !isShown(member, head, version)).length));
    },
  );
}

function remove(call: Call, kind: Kind): void {
  const { member, answer } = call;
  const parts = call.args.slice(1);
  const key = keyOf(call, parts.length > 0);
  if (key === undefined) return;
  readParts(member, key, kind, parts, (head, held) => {
    const shown = held.filter((version) => isShown(member, head, version));
    for (const version of shown) {
      const element = elementOf(version);
      if (element !== undefined) member.write([{ key: version.key, merged: withoutValues(element) }]);
    }
    answer(integer(shown.length));
  });
}

function readPart(call: Call, kind: Kind, reply: (found: Version | undefined) => Reply): void {
  const { member, answer } = call;
  const [, part = ''] = call.args;
  const key = keyOf(call, call.args.length === 2);
  if (key === undefined) return;
  readParts(member, key, kind, [part], (head, [held]) => answer(reply(isShown(member, head, held) ? held : undefined)));
}

function hexpire(call: Call): void {
  const seconds = Number(call.args[1]);
  if (seconds > 0) restampFields(call, call.args.slice(2), call.member.deadlineIn(seconds));
  else call.answer(notANumber);
}

/** HEXPIRE and HPERSIST: a newer version of each field with the values that this member knows.
 *  @param words FIELDS, their number, and their names */
function restampFields(call: Call, words: readonly string[], expiresAtMs: number | undefined): void {
  const { member, answer } = call;
  const fields = words.slice(2);
  const key = keyOf(call, words[0]?.toLowerCase() === 'fields' && Number(words[1]) === fields.length);
  if (key === undefined) return;
  readParts(member, key, hash, fields, (head, held) => {
    const replies = held.map((version) => {
      if (!isShown(member, head, version)) return integer(-2);
      if (expiresAtMs === undefined && version.expiresAtMs === undefined) return integer(-1);
      restamp(member, version, expiresAtMs);
      return integer(1);
    });
    answer(array(replies));
  });
}

/** The same content under a new version, with another deadline or none. */
export function restamp(member: ServedMember, { key, value, merged }: Version, expiresAtMs: number | undefined): void {
  const deadline = expiresAtMs === undefined ? {} : { expiresAtMs };
  member.write([merged === undefined ? { key, value, ...deadline } : { key, merged, ...deadline }]);
}

function pfadd(call: Call): void {
  const { member, answer } = call;
  const key = keyOf(call);
  if (key === undefined) return;
  const ranks = new Map<string, number>();
  for (const element of call.args.slice(1)) {
    const { register, rank } = placeOf(element, member.knobs.hyperLogLogRegisters);
    ranks.set(register, Math.max(rank, ranks.get(register) ?? 0));
  }
  raise(member, key, ranks, (raised) => answer(integer(raised > 0 ? 1 : 0)));
}

function pfcount(call: Call): void {
  const { member, answer } = call;
  const key = keyOf(call);
  if (key === undefined) return;
  readRanks(member, key, (ranks) => answer(integer(estimate([...ranks.values()], member.knobs.hyperLogLogRegisters))));
}

/** Writes what is higher in any source. Of a key into itself that is nothing. */
function pfmerge(call: Call): void {
  const { member, answer } = call;
  const target = keyOf(call);
  if (target === undefined) return;
  const sources = call.args.slice(1);
  const ranks = new Map<string, number>();
  const next = (at: number): void => {
    const source = sources[at];
    if (source === undefined) {
      raise(member, target, ranks, () => answer({ kind: 'simple', text: 'OK' }));
      return;
    }
    readRanks(member, source, (own) => {
      for (const [register, rank] of own) ranks.set(register, Math.max(rank, ranks.get(register) ?? 0));
      next(at + 1);
    });
  };
  next(0);
}

/** Writes every register whose rank is higher than what this member shows, and returns how many. */
function raise(
  member: ServedMember,
  key: string,
  ranks: ReadonlyMap<string, number>,
  done: (raised: number) => void,
): void {
  const registers = [...ranks.keys()];
  readParts(member, key, hyperLogLog, registers, (head, held) => {
    beginHead(member, key, hyperLogLog, head);
    const higher = registers.filter((register, at) => rankOf(member, head, held[at]) < (ranks.get(register) ?? 0));
    for (const register of higher) {
      const merged = { kind: 'register', rank: ranks.get(register) ?? 0 } as const;
      member.write([{ key: partKey(key, hyperLogLog.letter, register), merged }]);
    }
    done(higher.length);
  });
}

function readRanks(member: ServedMember, key: string, found: (ranks: ReadonlyMap<string, number>) => void): void {
  const registers = Array.from({ length: member.knobs.hyperLogLogRegisters }, (_, at) => registerName(at));
  readParts(member, key, hyperLogLog, registers, (head, held) =>
    found(new Map(registers.map((register, at) => [register, rankOf(member, head, held[at])]))),
  );
}

/** 0: nothing is counted there. */
function rankOf(member: ServedMember, head: Version | undefined, version: Version | undefined): number {
  return isShown(member, head, version) && version.merged?.kind === 'register' ? version.merged.rank : 0;
}

/** The record of the register in which an element counts. */
export function registerKey(key: string, element: string, registers: number): string {
  return partKey(key, hyperLogLog.letter, placeOf(element, registers).register);
}

function placeOf(element: string, registers: number): { readonly register: string; readonly rank: number } {
  const bits = textHash(element);
  const rest = (bits / BigInt(registers)).toString(2);
  return { register: registerName(Number(bits % BigInt(registers))), rank: rest.length - rest.lastIndexOf('1') };
}

/** The part of the record's key. */
export function registerName(at: number): string {
  return String.fromCharCode(at >> 8, at & 0xff);
}

/** Of few elements the empty registers are counted, as on the real server. */
function estimate(ranks: readonly number[], registers: number): number {
  const sum = ranks.reduce((total, rank) => total + 2 ** -rank, 0);
  const raw = ((0.7213 / (1 + 1.079 / registers)) * (registers * registers)) / sum;
  const empty = ranks.filter((rank) => rank === 0).length;
  return Math.round(raw <= 2.5 * registers && empty > 0 ? registers * Math.log(registers / empty) : raw);
}

/** The key of a call; undefined, and the call is answered, when words are missing. */
function keyOf({ args, answer, command }: Call, isComplete = true): string | undefined {
  const [key] = args;
  if (key !== undefined && isComplete) return key;
  answer(wrongArguments(command));
  return undefined;
}

function readParts(
  member: ServedMember,
  key: string,
  { letter }: Kind,
  parts: readonly string[],
  found: (head: Version | undefined, held: readonly (Version | undefined)[]) => void,
): void {
  const records = parts.map((part) => partKey(key, letter, part));
  readAll(member, [headKey(key), ...records], ([head, ...held]) => found(head, held));
}

/** A new head keeps what the last one has deleted. */
function beginHead(member: ServedMember, key: string, kind: Kind, head: Version | undefined): void {
  if (!member.isReadable(head))
    member.write([{ key: headKey(key), value: headValue(kind.head, clearedAt(member, head)) }]);
}

/** Whether clients see a part: it is there, and was written after the key was last deleted. */
function isShown(member: ServedMember, head: Version | undefined, version: Version | undefined): version is Version {
  if (!member.isReadable(version)) return false;
  const { clock } = elementOf(version)?.live[0] ?? version;
  return clock > clearedAt(member, head);
}

/** A head whose time is over has deleted its parts, whether or not a sweeper has noticed. */
function clearedAt(member: ServedMember, head: Version | undefined): number {
  if (head === undefined) return 0;
  return isExpired(head, member.wallNow()) ? tombstoneOf(head).clock : clockOf(head.value.slice(1, 9));
}

function elementOf(version: Version | undefined): Element | undefined {
  return version?.merged?.kind === 'element' ? version.merged : undefined;
}

function pairs(words: readonly string[]): readonly (readonly [string, string])[] {
  if (words.length % 2 !== 0) return [];
  return words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ''] as const] : []));
}

function scored(score: string): string {
  const bytes = Buffer.alloc(scoreBytes);
  bytes.writeDoubleBE(Number(score));
  return bytes.toString('latin1');
}

function scoreOf(bytes: string): string {
  return String(Buffer.from(bytes, 'latin1').readDoubleBE());
}
