// What a change of the share means for this process: caches that hold what is ours and nothing else, and
// nothing under way in what is not.

import { type SharePart, slotOf } from '@marekvs/runtime';
import { type Caches, listCaches } from './observation/caches.ts';
import type { Share } from './observation/share.ts';

export interface SharePartOptions {
  readonly share: Share | undefined;
  readonly caches: Caches;
  /** Resolves when no pass of such a cluster, or of a node of it, is under way. */
  readonly settled: (isMeant: (clusterKey: string) => boolean) => Promise<void>;
  /** Gives up what is remembered of these clusters. */
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
