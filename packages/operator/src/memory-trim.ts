// Gives memory back after a burst of work. V8 keeps the heap of its busiest minute for hours where little is allocated,
// and an operator is idle almost always: after forming a hundred clusters it would hold three times what it needs.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, type Runnable, untilAborted } from '@marekvs/runtime';

/** Between two checks. */
const INTERVAL_MS = 15_000;
/** Worth a collection of some 40 ms: so many passes since the last one, that is work, not the passes of an idle
 *  minute… */
const BURST_PASSES = 100;
/** …and so much more resident memory. */
const GROWTH_BYTES = 12 * 2 ** 20;

interface CollectOptions {
  readonly type: 'major';
}

/** A part of the manager. Collects only after a burst of passes that made memory grow, and when none runs.
 *  @param passes how many have ended so far; @param isIdle whether a pause would hold nobody up */
export function createMemoryTrim(passes: () => number, isIdle: () => boolean, clock: Clock): Runnable {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: CollectOptions) => void;
  let floorBytes = 0;
  let seenPasses = 0;

  function check(): void {
    const { rss } = process.memoryUsage();
    if (passes() < seenPasses + BURST_PASSES || rss < floorBytes + GROWTH_BYTES || !isIdle()) return;
    seenPasses = passes();
    collect({ type: 'major' });
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
