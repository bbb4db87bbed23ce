// Answers: has this process seen a node's member up? Then it has heard of its end in time. One that ended before this
// process began, with the host of the operator for instance, was last Active at a time that only what is stored can
// tell.

import type { NodeRecord } from '@marekvs/planner';

export interface PodsSeen {
  /** Called in every pass over a node. */
  note(node: Pick<NodeRecord, 'uid' | 'pod'>): void;
  has(uid: string): boolean;
  forget(uid: string): void;
}

/** What is forgotten counts as not seen. */
const MAX_REMEMBERED = 10_000;

export function createPodsSeen(): PodsSeen {
  const seen = new Set<string>();
  return {
    note({ uid, pod }) {
      // The Pod of a host that failed is ending and goes on being called ready.
      if (pod?.ownerUid !== uid || !pod.isReady || pod.isTerminating || seen.has(uid)) return;
      if (seen.size >= MAX_REMEMBERED) seen.clear();
      seen.add(uid);
    },
    has: (uid) => seen.has(uid),
    forget: (uid) => void seen.delete(uid),
  };
}
