// Answers: has this process seen a node's member up? Then it noticed its end in time. For a member that ended before
// this process started, for instance together with the operator's host, only stored data tell when it was last Active.

import type { NodeRecord } from '@marekvs/planner';

export interface PodsSeen {
  /** Called in every pass over a node. */
  note(node: Pick<NodeRecord, 'uid' | 'pod'>): void;
  has(uid: string): boolean;
  forget(uid: string): void;
}

/** A bound on memory: a forgotten node counts as not seen. */
const MAX_REMEMBERED = 10_000;

export function createPodsSeen(): PodsSeen {
  const seen = new Set<string>();
  return {
    note({ uid, pod }) {
      // The Pod of a failed host is terminating and stays Ready.
      if (pod?.ownerUid !== uid || !pod.isReady || pod.isTerminating || seen.has(uid)) return;
      if (seen.size >= MAX_REMEMBERED) seen.clear();
      seen.add(uid);
    },
    has: (uid) => seen.has(uid),
    forget: (uid) => void seen.delete(uid),
  };
}
