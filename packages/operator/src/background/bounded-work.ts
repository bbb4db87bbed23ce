// Runs work in the order it came, with a bounded number of items under way at once. The caller knows what the work is.

import { untilAborted } from '@marekvs/runtime';

export interface BoundedWork<T> {
  /** Queues an item. Nothing begins before `run`. */
  add(item: T): void;
  /** Runs until aborted, and until no item is under way. */
  run(signal: AbortSignal): Promise<void>;
}

/** @param begin rejects only for an abort; returns undefined when nothing is left to do for the item */
export function createBoundedWork<T>(
  maxInFlight: number,
  begin: (item: T, signal: AbortSignal) => Promise<void> | undefined,
): BoundedWork<T> {
  const waiting: T[] = [];
  const pending = new Set<Promise<void>>();
  let stop: AbortSignal | undefined;

  function startWaiting(): void {
    while (stop !== undefined && !stop.aborted && pending.size < maxInFlight) {
      const item = waiting.shift();
      if (item === undefined) return;
      const begun = begin(item, stop);
      if (begun === undefined) continue;
      const work = begun.finally(() => {
        pending.delete(work);
        startWaiting();
      });
      pending.add(work);
    }
  }

  return {
    add(item) {
      waiting.push(item);
      startWaiting();
    },
    async run(signal) {
      stop = signal;
      startWaiting();
      await untilAborted(signal);
      await Promise.allSettled(pending);
    },
  };
}
