// What becomes of a record whose time is over: a tombstone with the stamp of its deadline, written by whichever member
// notices (docs/design/server.md#how-records-merge). Trap of the server: the stamp is that of the deadline, not of the
// moment. A member that comes back with an old copy so deletes a record whose deadline was renewed while it was away.

import { clockStepsPerMs } from '../basics/constants.ts';
import type { Version } from '../basics/messages.ts';
import { hlcBytes } from './hlc.ts';
import { isHeadKey } from './keys.ts';
import { withoutValues } from './merging.ts';
import type { Write } from './write.ts';

export function tombstoneOf({ key, value, merged, expiresAtMs = 0 }: Version): Write & { readonly clock: number } {
  const clock = expiresAtMs * clockStepsPerMs;
  if (merged?.kind === 'element') return { key, clock, merged: withoutValues(merged) };
  return isHeadKey(key) ? { key, clock, value: headValue(value.slice(0, 1), clock), isDead: true } : { key, clock };
}

/** Whether a client can still read it, if it was not deleted.
 *  @param nowMs by the clock of the member that is asked */
export function isExpired({ expiresAtMs }: Version, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}

/** What a head has: the kind of its value, and the clock up to which all its parts are deleted. */
export function headValue(kind: string, clearedAt: number): string {
  return kind + hlcBytes(clearedAt);
}
