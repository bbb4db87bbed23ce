// Builders and questions shared by the tests of the in-memory driver.

import { RespDecoder, type RespValue } from '@marekvs/store-client';
import type { MemberNetwork } from '../src/index.ts';
import { ownersAt, placementFor } from '../src/member/membership/placement.ts';
import { partitionOf } from '../src/member/records/keys.ts';

export const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Homes of `key` when exactly `members` are Active. */
export function homesOf(key: string, members: readonly number[], replicas = 2): readonly number[] {
  const candidates = members.map((id) => ({ id, isLeaving: false }));
  return ownersAt(placementFor(candidates, replicas), partitionOf(key));
}

/** `count` keys homed exactly on `homes` (primary first) among `members`. */
export function keysHomedOn(homes: readonly number[], members: readonly number[], count: number): string[] {
  const keys: string[] = [];
  for (let n = 0; keys.length < count; n += 1) {
    const key = `homed:${n}`;
    if (homesOf(key, members).join() === homes.join()) keys.push(key);
  }
  return keys;
}

/** Writes `count` keys through their primaries and lets them replicate. */
export function load(net: MemberNetwork, members: readonly number[], count: number): string[] {
  const keys = Array.from({ length: count }, (_, n) => `key:${n}`);
  keys.forEach((key, n) => {
    net.member(homesOf(key, members)[0] ?? 0).write([{ key, value: 'x'.repeat(100) }]);
    if (n % 500 === 499) net.advance(20);
  });
  net.advance(1_000);
  return keys;
}

export function holds(net: MemberNetwork, id: number, key: string): boolean {
  const version = net.isUp(id) ? net.member(id).store.get(key) : undefined;
  return version !== undefined && !version.isDead;
}

/** Keys that some home among `members` lacks. */
export function missing(net: MemberNetwork, keys: readonly string[], members: readonly number[]): number {
  return keys.filter((key) => homesOf(key, members).some((id) => !holds(net, id, key))).length;
}

/** Advances until no key is missing and returns the time it took; NaN after a minute. */
export function untilCopied(net: MemberNetwork, keys: readonly string[], members: readonly number[]): number {
  // Versions never vanish meanwhile, so only what was missing before is checked again.
  let left = keys;
  const isDone = () => {
    left = left.filter((key) => homesOf(key, members).some((id) => !holds(net, id, key)));
    return left.length === 0;
  };
  return net.clock.advanceUntil(isDone, 60_000, 500) ?? Number.NaN;
}

/** Keys that no running member has. */
export function lost(net: MemberNetwork, keys: readonly string[], members: readonly number[]): number {
  return keys.filter((key) => !members.some((id) => holds(net, id, key))).length;
}

export function sum(
  net: MemberNetwork,
  members: readonly number[],
  metric: Parameters<MemberNetwork['metric']>[1],
): number {
  return members.reduce((total, id) => total + net.metric(id, metric), 0);
}

/** Ends `id` by SIGTERM and returns the milliseconds until it was gone. */
export function stop(net: MemberNetwork, id: number): number {
  net.terminate(id);
  return net.until(() => !net.isUp(id), 12_000, `exit of ${id}`);
}

/** Restarts each of `members` once on its own folder, so fast that membership hardly notices and no copies move. */
export function restartAll(net: MemberNetwork, members: readonly number[]): void {
  for (const id of members) {
    net.kill(id);
    net.advance(1_100);
    net.start(id);
    net.until(() => net.isAgreed(members), 30_000, `return of ${id}`);
    net.advance(14_000);
  }
}

/** One answer as the operator's own decoder reads it. */
export function decode(raw: string): RespValue {
  const decoder = new RespDecoder();
  decoder.push(Buffer.from(raw, 'latin1'));
  const value = decoder.next();
  if (value === undefined) throw new Error(`incomplete answer ${JSON.stringify(raw.slice(0, 80))}`);
  return value;
}

export function textOf(value: RespValue): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
