// Ways in which only one member comes to hold a record while no counter shows it: what a proof has to find. Writes go
// over a connection to that very member; acknowledged ones count like any other.

import { homesAt, partitionOfKey, placementOf } from '@marekvs/api';
import { type MemoryClient, recordsOf } from '@marekvs/simulator';
import type { MemberWorld } from '../../world/member-world.ts';

/** Frames so small that a value above them is cheap to compare. */
const SMALL_FRAME_BYTES = 4_096;

/** All pushes are done after this time. */
const PUSHED_MS = 200;

const LARGE_KEY = 'only:large';

/** Delays anti-entropy of every member by `ms` from now on. */
export function delayRepairs(world: MemberWorld, ms: number): void {
  for (const id of running(world)) world.setKnobs(id, { laneDelayMs: ms });
}

/** From now on this share of repairs is lost, and no counter shows it. */
export function loseRepairs(world: MemberWorld, share: number): void {
  for (const id of running(world)) world.setKnobs(id, { repairDropRate: share });
}

/** For `ms`, the writes that this member takes are pushed to no home. */
export async function missPushes(world: MemberWorld, id: number, ms: number): Promise<void> {
  world.setKnobs(id, { pushLossRate: 1 });
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
  await world.advance(ms);
  world.stopWriters();
  world.setKnobs(id, { pushLossRate: 0 });
}

/** An MSET and as many single writes right after it through one member: these single writes are not pushed.
 *  @param isStray uses keys of partitions that the member does not home */
export async function burst(world: MemberWorld, id: number, count: number, isStray = false): Promise<void> {
  using client = connectTo(world, id);
  const isWanted = (key: string): boolean => !isStray || !homesOf(world, id, key).includes(id);
  const keys = namesLike('only:many', count, isWanted);
  const words = ['MSET', ...keys.flatMap((key) => [key, '1'])];
  client.send(...words);
  acknowledge(world, id, words);
  await world.advance(PUSHED_MS);
  for (const key of namesLike('only:after', count, isWanted)) {
    client.send('SET', key, '1');
    acknowledge(world, id, ['SET', key]);
  }
}

/** A value too large for a frame: it stays on the member that took it, for ever. */
export function writeLarge(world: MemberWorld, id: number): void {
  for (const other of running(world)) world.setKnobs(other, { maxFrameBytes: SMALL_FRAME_BYTES });
  command(world, id, ['SET', LARGE_KEY, '1'.padEnd(2 * SMALL_FRAME_BYTES)]);
}

/** Replaces it by a smaller one. */
export function writeSmall(world: MemberWorld, id: number): void {
  command(world, id, ['SET', LARGE_KEY, '2']);
}

type Words = readonly string[];

/** What both homes of a key hold, and then what each of them takes without hearing of the other. */
interface Apart {
  readonly both?: (key: string) => readonly Words[];
  readonly here: (key: string) => readonly Words[];
  readonly there: (key: string) => readonly Words[];
}

/** Keys of which a member takes some writes and then the other home others, so that the versions there are newer.
 *  @returns the keys */
export async function writeApart(
  world: MemberWorld,
  id: number,
  many: number,
  { both = () => [], here, there }: Apart,
): Promise<readonly string[]> {
  const ids = running(world);
  const keys = apartKeys(world, id, many);
  for (const key of keys) for (const words of both(key)) command(world, id, words);
  await world.advance(PUSHED_MS);
  for (const each of ids) world.setKnobs(each, { pushLossRate: 1 });
  for (const key of keys) for (const words of here(key)) command(world, id, words);
  await world.advance(100);
  for (const key of keys)
    for (const words of there(key)) command(world, homesOf(world, id, key).find((home) => home !== id) ?? id, words);
  await world.advance(PUSHED_MS);
  for (const each of ids) world.setKnobs(each, { pushLossRate: 0 });
  return keys;
}

/** Both homes count, the other one last: its version lacks what only this member has counted. */
export const COUNTED: Apart = { here: (key) => times(3, ['INCR', key]), there: (key) => times(2, ['INCR', key]) };

/** A field is set and another one deleted; then the other home gives both a deadline, with what it knows of them. */
export const RESTAMPED: Apart = {
  both: (key) => [['HSET', key, 'f', 'old', 'g', 'old']],
  here: (key) => [
    ['HSET', key, 'f', 'new'],
    ['HDEL', key, 'g'],
  ],
  there: (key) => [['HEXPIRE', key, '3600', 'FIELDS', '2', 'f', 'g']],
};

/** The same with the members of a set, of which the other home removes one that was added again. */
export const REMOVED: Apart = {
  both: (key) => [['SADD', key, 'm', 'n']],
  here: (key) => [
    ['SADD', key, 'm'],
    ['SREM', key, 'n'],
  ],
  there: (key) => [
    ['SREM', key, 'm'],
    ['SADD', key, 'n'],
  ],
};

/** A counter is to stay; the other home has nothing else to add, and lets it expire. */
export const PERSISTED: Apart = {
  both: (key) => [
    ['INCRBY', key, '41'],
    ['EXPIRE', key, '600'],
  ],
  here: (key) => [['PERSIST', key]],
  there: () => [],
};

/** Users of a HyperLogLog, of whom each home hears of others: of some registers each has the higher rank, for ever. */
export const REGISTERED: Apart = {
  here: (key) => [['PFADD', key, ...elements('here')]],
  there: (key) => [['PFADD', key, ...elements('there')]],
};

function elements(where: string): readonly string[] {
  return Array.from({ length: 300 }, (_, n) => `${where} ${n}`);
}

/** What people can do about these registers. */
export async function mergeRegisters(world: MemberWorld, keys: readonly string[]): Promise<void> {
  for (const key of keys) mergeThroughCopy(world, key);
  await world.advance(COPIED_MS + PUSHED_MS);
}

/** Every member that clients reach, homes and others that took a write, merges the key into a copy, and later the copy
 *  into the key. */
export function mergeThroughCopy(world: MemberWorld, key: string): void {
  const copy = `{${key}}:copy`;
  const merge = (to: string, from: string): void => {
    for (const id of running(world))
      if (world.kube.network.isRespOpen(world.processOf(id))) command(world, id, ['PFMERGE', to, from]);
  };
  merge(copy, key);
  world.kube.clock.after(COPIED_MS, () => merge(key, copy));
}

/** A repair that was missed comes with the next round of anti-entropy, if none is lost. */
const COPIED_MS = 15_000;

function times(many: number, words: Words): readonly Words[] {
  return Array.from({ length: many }, () => words);
}

/** Keys that this member homes. */
function apartKeys(world: MemberWorld, id: number, many: number): readonly string[] {
  return namesLike('only:apart', many, (key) => homesOf(world, id, key).includes(id));
}

/** The first `many` wanted names. */
function namesLike(prefix: string, many: number, isWanted: (key: string) => boolean): readonly string[] {
  const names: string[] = [];
  for (let n = 0; names.length < many; n += 1) if (isWanted(`${prefix}:${n}`)) names.push(`${prefix}:${n}`);
  return names;
}

function homesOf(world: MemberWorld, id: number, key: string): readonly number[] {
  const replicationFactor = world.node(id)?.spec.template.replicationFactor ?? 2;
  return homesAt(placementOf(running(world), replicationFactor), partitionOfKey(key));
}

/** One command of a client; what the member stores then was acknowledged. */
function command(world: MemberWorld, id: number, words: Words): void {
  using client = connectTo(world, id);
  client.send(...words);
  acknowledge(world, id, words);
}

function acknowledge(world: MemberWorld, id: number, words: Words): void {
  const member = world.member(id);
  const records = recordsOf(words, member?.knobs.hyperLogLogRegisters ?? 0);
  world.kube.ledger.acknowledge(records.map((key) => member?.store.get(key)));
}

function connectTo(world: MemberWorld, id: number): Pick<MemoryClient, 'send'> & Disposable {
  const client = world.kube.network.connect(world.processOf(id));
  const send: MemoryClient['send'] = (...words) => {
    client.send(...words);
    if (/(?:^|\n)-/.test(client.received)) throw new Error(`${words[0]} at demo-${id}: ${client.received}`);
  };
  const password = world.member(id)?.requirepass ?? '';
  if (password !== '') send('AUTH', password);
  return { send, [Symbol.dispose]: () => client.close() };
}

function running(world: MemberWorld): readonly number[] {
  return world.nodeIds().filter((id) => world.member(id) !== undefined);
}
