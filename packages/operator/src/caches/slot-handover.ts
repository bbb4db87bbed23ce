// What this process does when its share changes: the caches get exactly its objects, and passes over others end.

import { type SharePart, slotOf } from '@marekvs/runtime';
import type { Share } from '../sharing/share.ts';
import { type Caches, listCaches } from './caches.ts';

export interface SharePartOptions {
  readonly share: Share | undefined;
  readonly caches: Caches;
  /** Resolves when no pass over such a cluster or its nodes is under way. */
  readonly settled: (isMeant: (clusterKey: string) => boolean) => Promise<void>;
  /** Drops what is remembered about these clusters. */
  readonly forget: (isMeant: (clusterKey: string) => boolean) => void;
}

export function createSharePart({ share, caches, settled, forget }: SharePartOptions): SharePart {
  const isIn = (slots: ReadonlySet<number>) => (clusterKey: string) => slots.has(slotOf(clusterKey));
  return {
    async hold(slots, signal) {
      share?.set(slots);
      await Promise.all(listCaches(caches).map((cache) => cache.relist(signal)));
    },
    settled: (slots) => settled(isIn(slots)),
    letGo(slots) {
      forget(isIn(slots));
      if (share === undefined) return;
      share.set(new Set([...share.slots].filter((slot) => !slots.has(slot))));
      for (const cache of listCaches(caches)) cache.drop();
    },
  };
}
