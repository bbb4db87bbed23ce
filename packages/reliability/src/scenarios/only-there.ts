// Ways in which only one member comes to hold a record while no counter shows it: what a proof has to find. Writes go
// over a connection to that very member; acknowledged ones count like any other.

import { homesAt, partitionOfKey, placementOf } from '@marekvs/api';
import type { MemoryClient } from '@marekvs/simulator';
import type { MemberWorld } from '../world/member-world.ts';

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
  client.send('MSET', ...keys.flatMap((key) => [key, '1']));
  acknowledge(world, id, keys);
  await world.advance(PUSHED_MS);
  for (const key of namesLike('only:after', count, isWanted)) {
    client.send('SET', key, '1');
    acknowledge(world, id, [key]);
  }
}

/** A value too large for a frame: it stays on the member that took it, for ever. */
export function writeLarge(world: MemberWorld, id: number): void {
  for (const other of running(world)) world.setKnobs(other, { maxFrameBytes: SMALL_FRAME_BYTES });
  write(world, id, LARGE_KEY, '1'.padEnd(2 * SMALL_FRAME_BYTES));
}

/** Replaces it by a smaller one. */
export function writeSmall(world: MemberWorld, id: number): void {
  write(world, id, LARGE_KEY, '2');
}

/** Counters that a member and the other home of each increment at the same time without hearing of each other. The
 *  other home counts last, so its version is newer and lacks what only this member has counted. */
export async function countApart(world: MemberWorld, id: number, counters: number): Promise<void> {
  const ids = running(world);
  for (const each of ids) world.setKnobs(each, { pushLossRate: 1 });
  const keys = namesLike('only:counter', counters, (key) => homesOf(world, id, key).includes(id));
  for (const key of keys) count(world, id, key, 3);
  await world.advance(100);
  for (const key of keys) count(world, homesOf(world, id, key).find((home) => home !== id) ?? id, key, 2);
  await world.advance(PUSHED_MS);
  for (const each of ids) world.setKnobs(each, { pushLossRate: 0 });
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

function count(world: MemberWorld, id: number, key: string, times: number): void {
  using client = connectTo(world, id);
  for (let n = 0; n < times; n += 1) {
    client.send('INCR', key);
    acknowledge(world, id, [key]);
  }
}

function write(world: MemberWorld, id: number, key: string, value: string): void {
  using client = connectTo(world, id);
  client.send('SET', key, value);
  acknowledge(world, id, [key]);
}

/** What a member has of these records was acknowledged by it. */
function acknowledge(world: MemberWorld, id: number, keys: readonly string[]): void {
  world.kube.ledger.acknowledge(keys.map((key) => world.member(id)?.store.get(key)));
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
