// Answers: when may a refused write be tried again?

import type { Hold } from '@marekvs/planner';
import { type Backoff, backoffMs } from './paces.ts';

export interface RefusalBackoff {
  /** Records one more refusal. @returns milliseconds until the next attempt */
  refused(key: string, hold: Hold, nowMs: number): number;
  /** The refusal that still holds, and for how long; undefined when an attempt may be made. */
  current(key: string, nowMs: number): { readonly hold: Hold; readonly leftMs: number } | undefined;
  /** An attempt has succeeded, or there is nothing to attempt any more. */
  clear(key: string): void;
}

export function createRefusalBackoff(of: Backoff): RefusalBackoff {
  const known = new Map<string, { hold: Hold; times: number; untilMs: number }>();
  return {
    refused(key, hold, nowMs) {
      const times = (known.get(key)?.times ?? 0) + 1;
      const waitMs = backoffMs(of, times);
      known.set(key, { hold, times, untilMs: nowMs + waitMs });
      return waitMs;
    },
    current(key, nowMs) {
      const entry = known.get(key);
      if (entry === undefined || entry.untilMs <= nowMs) return undefined;
      return { hold: entry.hold, leftMs: entry.untilMs - nowMs };
    },
    clear: (key) => void known.delete(key),
  };
}
