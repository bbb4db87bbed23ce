// GET, SET (with EX), MSET, APPEND, and what is asked of keys of any kind: DEL, EXISTS, EXPIRE, PERSIST, TTL. Counters
// are in commands-counting.ts, collections in commands-collections.ts. Homes read locally, other members read through
// (docs/design/server.md#reads).

import type { Version } from '../basics/messages.ts';
import type { ServedMember } from '../interfaces/served-member.ts';
import { headKey, isHeadKey, partitionOf } from '../records/keys.ts';
import { clearParts, readAll, restamp } from './collection-parts.ts';
import { wrongArguments } from './commands-cluster.ts';
import { collectionReads, collectionWrites } from './commands-collections.ts';
import { countingCommands } from './commands-counting.ts';
import type { Call, Command } from './resp-call.ts';
import { bulk, failure, integer, nil, notANumber, ok } from './resp-wire.ts';

export const dataCommands: readonly (readonly [string, Command])[] = [
  ['get', get],
  ['exists', (call) => countReadable(call, () => undefined)],
  ['ttl', ttl],
  ...collectionReads,
  ['set', write(set)],
  ['mset', write(mset)],
  ['append', write(append)],
  ['expire', write(expire)],
  ['persist', write(persist)],
  ...[...countingCommands, ...collectionWrites].map(([name, command]) => [name, write(command)] as const),
  ['del', write((call) => countReadable(call, (version) => remove(call.member, version)))],
];

/** Above the disk's high-water mark client writes are refused; what peers send is still stored. */
function write(command: Command): Command {
  return (call) => {
    if (call.member.metrics.get('disk_write_stopped') === 1) {
      call.answer(failure('MISCONF disk usage above high-water mark, writes are refused'));
    } else {
      command(call);
    }
  };
}

function get({ member, args, answer, command }: Call): void {
  const [key] = args;
  if (key === undefined) answer(wrongArguments(command));
  else member.read(key, (version) => answer(member.isReadable(version) ? bulk(version.value) : nil));
}

function set({ member, args, answer, command }: Call): void {
  const [key, value, option, amount] = args;
  if (key === undefined || value === undefined) {
    answer(wrongArguments(command));
  } else if (option === undefined) {
    member.write([{ key, value }]);
    answer(ok);
  } else if (option.toLowerCase() === 'ex' && /^[1-9]\d{0,9}$/.test(amount ?? '')) {
    member.write([{ key, value, expiresAtMs: member.deadlineIn(Number(amount)) }]);
    answer(ok);
  } else {
    answer(failure('ERR syntax error'));
  }
}

/** One transaction per shard: its ring numbers overlap those of the commits that follow
 *  (docs/design/server.md#what-pushing-misses). */
function mset({ member, args, answer, command }: Call): void {
  if (args.length === 0 || args.length % 2 !== 0) {
    answer(wrongArguments(command));
    return;
  }
  const shards = new Map<number, { key: string; value: string }[]>();
  for (let at = 0; at < args.length; at += 2) {
    const key = args[at] ?? '';
    const shard = partitionOf(key) % 2;
    const list = shards.get(shard) ?? [];
    list.push({ key, value: args[at + 1] ?? '' });
    shards.set(shard, list);
  }
  for (const list of shards.values()) member.write(list);
  answer(ok);
}

function append({ member, args, answer, command }: Call): void {
  const [key, tail] = args;
  if (key === undefined || tail === undefined) {
    answer(wrongArguments(command));
    return;
  }
  member.read(key, (version) => {
    const value = (member.isReadable(version) ? version.value : '') + tail;
    member.write([{ key, value }]);
    answer(integer(value.length));
  });
}

function expire(call: Call): void {
  const { member, args, answer } = call;
  const seconds = Number(args[1]);
  if (!(seconds > 0)) {
    answer(notANumber);
    return;
  }
  ofKey(call, (version) => {
    if (version === undefined) return 0;
    restamp(member, version, member.deadlineIn(seconds));
    return 1;
  });
}

function persist(call: Call): void {
  ofKey(call, (version) => {
    if (version?.expiresAtMs === undefined) return 0;
    restamp(call.member, version, undefined);
    return 1;
  });
}

function ttl(call: Call): void {
  const { member } = call;
  ofKey(call, (version) => {
    if (version === undefined) return -2;
    if (version.expiresAtMs === undefined) return -1;
    return Math.ceil(((version.expiresAtMs - member.wallNow()) * member.world.speed) / 1_000);
  });
}

function remove(member: ServedMember, version: Version): void {
  if (isHeadKey(version.key)) clearParts(member, version);
  else member.write([{ key: version.key }]);
}

/** Answers how many of the keys can be read, and calls `found` for each of these. */
function countReadable({ member, args, answer, command }: Call, found: (version: Version) => void): void {
  if (args.length === 0) {
    answer(wrongArguments(command));
    return;
  }
  let left = args.length;
  let count = 0;
  for (const key of args) {
    readKey(member, key, (version) => {
      if (version !== undefined) {
        count += 1;
        found(version);
      }
      left -= 1;
      if (left === 0) answer(integer(count));
    });
  }
}

function ofKey({ member, args, answer, command }: Call, reply: (version: Version | undefined) => number): void {
  const [key] = args;
  if (key === undefined) answer(wrongArguments(command));
  else readKey(member, key, (version) => answer(integer(reply(version))));
}

/** The record that stands for a key of any kind: a string or counter, or a head. */
function readKey(member: ServedMember, key: string, found: (version: Version | undefined) => void): void {
  readAll(member, [key], ([whole]) => {
    if (member.isReadable(whole)) found(whole);
    else readAll(member, [headKey(key)], ([head]) => found(member.isReadable(head) ? head : undefined));
  });
}
