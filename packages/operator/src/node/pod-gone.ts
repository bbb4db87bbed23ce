// Answers: since when has this operator seen a node that is being deleted without its Pod? Lists from before that are of a time when its
// process could still gossip. A restarted operator knows nothing of it and counts from its first look.

import type { NodeRecord } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';

export interface PodGoneTimes {
  /** Monotonic milliseconds; undefined for a node that stays or has its Pod. */
  sinceMs(node: NodeRecord): number | undefined;
}

/** More nodes never leave at once. One that is forgotten counts from its next look. */
const MAX_REMEMBERED = 1_000;

export function createPodGoneTimes(clock: Clock): PodGoneTimes {
  const gone = new Map<string, number>();
  return {
    sinceMs({ uid, isDeleting, pod }) {
      if (!isDeleting || pod?.ownerUid === uid) {
        gone.delete(uid);
        return undefined;
      }
      const known = gone.get(uid);
      if (known !== undefined) return known;
      if (gone.size >= MAX_REMEMBERED) gone.clear();
      const nowMs = clock.monotonicMs();
      gone.set(uid, nowMs);
      return nowMs;
    },
  };
}
