// Gives memory back after a burst of work. V8 keeps the heap of its busiest minute for hours where little is allocated, and an
// operator is idle almost always: after forming a hundred clusters it would hold three times what it needs.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock, Runnable } from '@marekvs/runtime';
import { untilAborted } from './parts.ts';

/** Between two looks. */
const INTERVAL_MS = 15_000;
/** Worth a collection of some 40 ms: so much more resident memory than after the last one. */
const GROWTH_BYTES = 12 * 2 ** 20;

interface CollectOptions {
  readonly type: 'major';
  /** Compacts and hands free pages back to the system. */
  readonly flavor: 'last-resort';
}

/** A part of the manager. Collects only when memory has grown since the last time and nothing waits to be done.
 *  @param isIdle whether a pause would hold nobody up */
export function createMemoryTrim(isIdle: () => boolean, clock: Clock): Runnable {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: CollectOptions) => void;
  let floorBytes = 0;

  function look(): void {
    const { rss } = process.memoryUsage();
    if (rss < floorBytes + GROWTH_BYTES || !isIdle()) return;
    collect({ type: 'major', flavor: 'last-resort' });
    floorBytes = process.memoryUsage().rss;
  }

  return {
    name: 'memory-trim',
    async run(signal) {
      let timer = clock.after(INTERVAL_MS, tick);
      function tick(): void {
        look();
        timer = clock.after(INTERVAL_MS, tick);
      }
      await untilAborted(signal);
      timer.cancel();
    },
  };
}
