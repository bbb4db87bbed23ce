// Remembers which clusters a live read found gone or being deleted, so that not every pass over one of their nodes
// reads again. A hint and no evidence: whatever is ended on it is confirmed by a read of its own (fences.ts).

import type { ClusterRef } from '@marekvs/api';
import { ownedBy } from '../../caches/indexes.ts';

export interface GoneParents {
  has(cluster: ClusterRef): boolean;
  note(cluster: ClusterRef): void;
  forget(cluster: ClusterRef): void;
}

/** A bound on memory: a forgotten one is read again. */
const MAX_REMEMBERED = 1_000;

export function createGoneParents(): GoneParents {
  const gone = new Set<string>();
  return {
    has: (cluster) => gone.has(ownedBy(cluster)),
    note(cluster) {
      if (gone.size >= MAX_REMEMBERED) gone.clear();
      gone.add(ownedBy(cluster));
    },
    forget: (cluster) => void gone.delete(ownedBy(cluster)),
  };
}
