// Answers: since when has this operator seen that a node being deleted has no Pod? Older lists are from a time when its
// process could still gossip. A restarted operator counts from its first pass.

import type { NodeRecord } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';

export interface PodGoneTimes {
  /** Called in every pass over a node. */
  note(node: NodeRecord): void;
  /** Monotonic milliseconds; undefined for a node that stays or has its Pod. */
  sinceMs(node: Pick<NodeRecord, 'uid'>): number | undefined;
  forget(uid: string): void;
}

/** A bound on memory: more nodes never leave at once. A forgotten node counts from its next pass. */
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
