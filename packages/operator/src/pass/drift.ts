// Answers, without a request: is a live object still as wanted? Its wanted fields are compared one by one, and a hash
// of what was last applied also shows fields that are no longer wanted (docs/design/runtime.md#server-side-apply).

import { type Hold, hold } from '@marekvs/planner';
import { valueHash } from '../objects/template.ts';

/** Hash of the wanted object, 16 hex digits. */
export function intentHash(wanted: unknown): string {
  return valueHash(wanted);
}

/** Maps in which an extra key changes the meaning of all others: a selector with a foreign label selects nothing. */
const WHOLE_MAPS: ReadonlySet<string> = new Set(['selector', 'matchLabels']);

/** True when every field of `wanted` has the same value in `live`. Lists must be equal in length and order, and
 *  selectors must have no further keys. */
export function contains(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(live) && live.length === wanted.length && wanted.every((item, i) => contains(live[i], item));
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof live !== 'object' || live === null) return false;
    return Object.entries(wanted).every(([key, value]) => {
      if (value === undefined) return true;
      const present = ownValue(live, key);
      return isWhole(key, present, value) && contains(present, value);
    });
  }
  return live === wanted;
}

/** The merge patch (RFC 7386) of `live` after which `contains` is true. Lists are replaced whole, and foreign keys are
 *  removed from selectors. */
export function correction(live: unknown, wanted: unknown): unknown {
  return mergePatch(live, wanted, (key) => WHOLE_MAPS.has(key), false);
}

/** The merge patch that turns `live` into exactly `wanted`: all other fields are removed. */
export function replacement(live: unknown, wanted: unknown): unknown {
  return mergePatch(live, wanted, () => true, true);
}

function mergePatch(live: unknown, wanted: unknown, isWholeMap: (key: string) => boolean, isWhole: boolean): unknown {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return wanted;
  const present = typeof live === 'object' && live !== null && !Array.isArray(live) ? live : {};
  const strangers = isWhole ? Object.keys(present).filter((key) => ownValue(wanted, key) === undefined) : [];
  const entries = Object.entries(wanted).map(([key, value]): [string, unknown] => [
    key,
    mergePatch(ownValue(present, key), value, isWholeMap, isWholeMap(key)),
  ]);
  return Object.fromEntries([...entries, ...strangers.map((key): [string, null] => [key, null])]);
}

function ownValue(object: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}

function isWhole(key: string, live: unknown, wanted: unknown): boolean {
  if (!WHOLE_MAPS.has(key) || typeof live !== 'object' || live === null) return true;
  return typeof wanted === 'object' && wanted !== null && Object.keys(live).length === Object.keys(wanted).length;
}

/** Why an object is left as it is for a while, although it differs. */
export function driftHold(kind: string, name: string): Hold {
  return hold('DriftLoop', `${kind} ${name} is changed back by somebody else again and again`, true);
}

/** Counts how often an object had to be changed back without its intent having changed (F18). */
export interface DriftCounter {
  /** Notes one change back. @returns how many there were within the window, this one included */
  note(uid: string, hash: string, nowMs: number): number;
  /** Milliseconds until this object may be changed back again; 0 when it may be now. */
  holdMs(uid: string, hash: string, nowMs: number): number;
}

/** Changes back within the window that are carried out without delay. */
export const DRIFT_ROUNDS = 3;
const WINDOW_MS = 600_000;
const FIRST_HOLD_MS = 10_000;

/** Delays double after `DRIFT_ROUNDS` changes back, up to half the window. */
export function createDriftCounter(): DriftCounter {
  const seen = new Map<string, { hash: string; times: number[] }>();
  const recent = (uid: string, hash: string, nowMs: number): number[] => {
    const entry = seen.get(uid);
    return entry?.hash === hash ? entry.times.filter((time) => nowMs - time < WINDOW_MS) : [];
  };
  return {
    note(uid, hash, nowMs) {
      const times = [...recent(uid, hash, nowMs), nowMs];
      for (const [other, entry] of seen) if (nowMs - (entry.times.at(-1) ?? 0) >= WINDOW_MS) seen.delete(other);
      seen.set(uid, { hash, times });
      return times.length;
    },
    holdMs(uid, hash, nowMs) {
      const times = recent(uid, hash, nowMs);
      const last = times.at(-1);
      if (last === undefined || times.length < DRIFT_ROUNDS) return 0;
      const hold = Math.min(WINDOW_MS / 2, FIRST_HOLD_MS * 2 ** (times.length - DRIFT_ROUNDS));
      return Math.max(0, last + hold - nowMs);
    },
  };
}
