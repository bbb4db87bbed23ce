// Answers: since when has this operator seen a node that is being deleted without its Pod? Lists from before that are
// of a time when its process could still gossip. A restarted operator knows nothing of it and counts from its first
// pass.

import type { NodeRecord } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';

export interface PodGoneTimes {
  /** Called in every pass over a node. */
  note(node: NodeRecord): void;
  /** Monotonic milliseconds; undefined for a node that stays or has its Pod. */
  sinceMs(node: Pick<NodeRecord, 'uid'>): number | undefined;
  forget(uid: string): void;
}

/** More nodes never leave at once. One that is forgotten counts from its next pass. */
const MAX_REMEMBERED = 1_000;

export function createPodGoneTimes(clock: Clock): PodGoneTimes {
  const gone = new Map<string, number>();
  return {
    note({ uid, isDeleting, pod }) {
      if (!isDeleting || pod?.ownerUid === uid) {
        gone.delete(uid);
        return;
      }
      if (gone.has(uid)) return;
      if (gone.size >= MAX_REMEMBERED) gone.clear();
      gone.set(uid, clock.monotonicMs());
    },
    sinceMs: ({ uid }) => gone.get(uid),
    forget: (uid) => void gone.delete(uid),
  };
}
