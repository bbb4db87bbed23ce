// Answers: is it time to read a cluster's figures again? Once a minute, because that is how often they may be written
// (docs/design/contract.md#figures).

import type { Clock } from '@marekvs/runtime';

export interface RateNudges {
  /** True at most once a minute per cluster; false at its first call. */
  isDue(clusterKey: string): boolean;
}

const INTERVAL_MS = 60_000;
/** Clusters remembered; more than this many were deleted long ago. */
const MAX_REMEMBERED = 10_000;

export function createRateNudges(clock: Clock): RateNudges {
  const lastMs = new Map<string, number>();
  return {
    isDue(clusterKey) {
      const nowMs = clock.steadyMs();
      const last = lastMs.get(clusterKey);
      if (last !== undefined && nowMs - last < INTERVAL_MS) return false;
      if (lastMs.size >= MAX_REMEMBERED) lastMs.clear();
      lastMs.set(clusterKey, nowMs);
      return last !== undefined;
    },
  };
}
