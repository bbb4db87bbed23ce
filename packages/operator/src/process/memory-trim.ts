// Gives memory back after a burst of work. V8 keeps the heap of its busiest minute for hours when little is allocated,
// and an operator is almost always idle: after forming a hundred clusters it would hold three times what it needs.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, type Runnable, untilAborted } from '@marekvs/runtime';

/** Between two checks. */
const INTERVAL_MS = 15_000;
/** So many passes since the last collection are worth another one of some 40 ms: that is work, not an idle minute… */
const BURST_PASSES = 100;
/** …together with so much more resident memory. */
const GROWTH_BYTES = 12 * 2 ** 20;

interface CollectOptions {
  readonly type: 'major';
}

/** A part of the manager. Collects only after a burst of passes that made memory grow, while no pass runs.
 *  @param passes how many have ended so far; @param isIdle whether a pause would delay nothing */
export function createMemoryTrim(
  passes: () => number,
  isIdle: () => boolean,
  clock: Clock,
  collect: () => void = collectGarbage,
): Runnable {
  let floorBytes = 0;
  let seenPasses = 0;

  function check(): void {
    const { rss } = process.memoryUsage();
    if (passes() < seenPasses + BURST_PASSES || rss < floorBytes + GROWTH_BYTES || !isIdle()) return;
    seenPasses = passes();
    collect();
    floorBytes = process.memoryUsage().rss;
  }

  return {
    name: 'memory-trim',
    async run(signal) {
      let timer = clock.after(INTERVAL_MS, tick);
      function tick(): void {
        check();
        timer = clock.after(INTERVAL_MS, tick);
      }
      await untilAborted(signal);
      timer.cancel();
    },
  };
}

/** A context is made for each call, since one that is kept costs more than half a megabyte. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: CollectOptions) => void;
  collect({ type: 'major' });
}
