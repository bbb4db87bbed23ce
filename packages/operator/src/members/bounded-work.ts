// Work in the order it came, so much of it under way at once, while somebody runs it. What the work is, is the caller's
// business.

import { untilAborted } from '@marekvs/runtime';

export interface BoundedWork<T> {
  /** Waits for its turn; before `run`, for that. */
  add(item: T): void;
  /** Runs until aborted, and until nothing is under way. */
  run(signal: AbortSignal): Promise<void>;
}

/** @param begin must not reject but for an abort; undefined: there is nothing to do for this one any more */
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
