// Commands of hashes, sets and sorted sets: one record for each part, which collection-parts.ts reads. HyperLogLogs are
// commands-hyperloglog.ts.

import type { Version } from '../basics/messages.ts';
import { partKey } from '../records/keys.ts';
import { withoutValues, withValue } from '../records/merging.ts';
import { beginHead, elementOf, isShown, type Kind, keyOf, readParts, restamp } from './collection-parts.ts';
import { hyperLogLogReads, hyperLogLogWrites } from './commands-hyperloglog.ts';
import type { Call, Command } from './resp-call.ts';
import { array, bulk, integer, nil, notANumber, type Reply } from './resp-wire.ts';

const hash: Kind = { letter: 'h', head: '\x01' };
const set: Kind = { letter: 'S', head: '\x02' };
const sortedSet: Kind = { letter: 'z', head: '\x03' };

/** The value of every member of a set. */
const nothing = '';
const scoreBytes = 8;

export const collectionReads: readonly (readonly [string, Command])[] = [
  ['hget', (call) => readPart(call, hash, (found) => (found === undefined ? nil : bulk(found.value)))],
  ['sismember', (call) => readPart(call, set, (found) => integer(found === undefined ? 0 : 1))],
  ['zscore', (call) => readPart(call, sortedSet, (found) => (found === undefined ? nil : bulk(scoreOf(found.value))))],
  ...hyperLogLogReads,
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
  ...hyperLogLogWrites,
];

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
