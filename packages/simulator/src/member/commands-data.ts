// GET, SET (with EX), MSET, DEL, EXISTS, APPEND; counting commands are in commands-counting.ts. Homes read locally,
// other members read through (docs/design/server.md#reads).

import { wrongArguments } from './commands-cluster.ts';
import { countingCommands } from './commands-counting.ts';
import { partitionOf } from './keys.ts';
import type { Call, Command } from './resp-call.ts';
import { bulk, failure, integer, nil, ok } from './resp-wire.ts';

export const dataCommands: readonly (readonly [string, Command])[] = [
  ['get', get],
  ['exists', (call) => countReadable(call, () => undefined)],
  ['set', write(set)],
  ['mset', write(mset)],
  ['append', write(append)],
  ...countingCommands.map(([name, command]) => [name, write(command)] as const),
  ['del', write((call) => countReadable(call, (key) => call.member.write([{ key, value: undefined }])))],
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
    const expiresAtMs = member.wallNow() + (Number(amount) * 1_000) / member.world.speed;
    member.write([{ key, value, expiresAtMs }]);
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

/** Answers how many of the keys can be read, and calls `found` for each of these. */
function countReadable({ member, args, answer, command }: Call, found: (key: string) => void): void {
  if (args.length === 0) {
    answer(wrongArguments(command));
    return;
  }
  let left = args.length;
  let count = 0;
  for (const key of args) {
    member.read(key, (version) => {
      if (member.isReadable(version)) {
        count += 1;
        found(key);
      }
      left -= 1;
      if (left === 0) answer(integer(count));
    });
  }
}
