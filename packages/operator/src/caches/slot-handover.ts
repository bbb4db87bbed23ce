// What this process does when its share changes: the caches get exactly its objects, and passes over others end.

import { type SharePart, slotOf } from '@marekvs/runtime';
import { createShare, type Share } from '../sharing/share.ts';
import type { SlotLabels } from '../sharing/slot-labels.ts';
import { type Caches, extendCaches, listCaches } from './caches.ts';

export interface SharePartOptions {
  readonly share: Share | undefined;
  readonly caches: Caches;
  readonly slotLabels: Pick<SlotLabels, 'isSettled' | 'reread'>;
  /** Resolves when no pass over such a cluster or its nodes is under way. */
  readonly settled: (isMeant: (clusterKey: string) => boolean) => Promise<void>;
  /** Drops what is remembered about these clusters. */
  readonly forget: (isMeant: (clusterKey: string) => boolean) => void;
}

export function createSharePart({ share, caches, slotLabels, settled, forget }: SharePartOptions): SharePart {
  const isIn = (slots: ReadonlySet<number>) => (clusterKey: string) => slots.has(slotOf(clusterKey));
  /** The caches are complete for the share. */
  let isWhole = false;

  /** The part that has to be read in addition to what is watched already; undefined when everything has to be read. */
  function additionTo(slots: ReadonlySet<number>): Share | undefined {
    const held = share?.slots ?? new Set<number>();
    // An object with a manually changed slot is missing from the list of its own slot.
    const isMore = held.size > 0 && [...held].every((slot) => slots.has(slot));
    if (!isWhole || !isMore || !slotLabels.isSettled) return undefined;
    return createShare(new Set([...slots].filter((slot) => !held.has(slot))));
  }

  return {
    async hold(slots, signal) {
      const addition = additionTo(slots);
      share?.set(slots);
      isWhole = false;
      if (addition !== undefined) await extendCaches(caches, addition, signal);
      else {
        slotLabels.reread();
        await Promise.all(listCaches(caches).map((cache) => cache.relist(signal)));
      }
      isWhole = true;
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
