// Answers: was this member sent the same request just now, to leave or to want another password? A pace, not a
// decision: sending it twice does no harm.

import { DRAIN_INTERVAL_MS } from '@marekvs/planner';

export interface DrainPacer {
  /** True at most once per interval for one Pod and request, and then the caller sends it. */
  mayAsk(member: string, nowMs: number): boolean;
}

/** More members never leave at once. */
const MAX_REMEMBERED = 1_000;

export function createDrainPacer(): DrainPacer {
  const asked = new Map<string, number>();
  return {
    mayAsk(member, nowMs) {
      const atMs = asked.get(member);
      if (atMs !== undefined && nowMs - atMs < DRAIN_INTERVAL_MS) return false;
      if (asked.size >= MAX_REMEMBERED) asked.clear();
      asked.set(member, nowMs);
      return true;
    },
  };
}
