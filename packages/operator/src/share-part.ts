// What a change of the share means for this process: caches that hold what is ours and nothing else, and
// nothing under way in what is not.

import { type SharePart, slotOf } from '@marekvs/runtime';
import { type Caches, extendCaches, listCaches } from './observation/caches.ts';
import { createShare, type Share } from './observation/share.ts';
import type { SlotLabels } from './slot-labels.ts';

export interface SharePartOptions {
  readonly share: Share | undefined;
  readonly caches: Caches;
  readonly slotLabels: Pick<SlotLabels, 'isSettled' | 'reread'>;
  /** Resolves when no pass of such a cluster, or of a node of it, is under way. */
  readonly settled: (isMeant: (clusterKey: string) => boolean) => Promise<void>;
  /** Gives up what is remembered of these clusters. */
  readonly forget: (isMeant: (clusterKey: string) => boolean) => void;
}

export function createSharePart({ share, caches, slotLabels, settled, forget }: SharePartOptions): SharePart {
  const isIn = (slots: ReadonlySet<number>) => (clusterKey: string) => slots.has(slotOf(clusterKey));
  /** The caches have everything of the share. */
  let isWhole = false;

  /** What is held already is followed, and need not be read again; undefined when everything has to be. */
  function additionTo(slots: ReadonlySet<number>): Share | undefined {
    const held = share?.slots ?? new Set<number>();
    // An object whose slot was written by a hand is in no list of its own slot.
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
