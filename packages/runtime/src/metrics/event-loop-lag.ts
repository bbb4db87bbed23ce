// How late timers come: the one number that shows a blocked event loop before leases and probes suffer (F22).
// Not perf_hooks.monitorEventLoopDelay: it loses the interval that its reset falls into, a 500 ms block
// included (tried on Node 26.10).
import type { Registry } from 'prom-client';
import type { Runnable } from '../process/runnable.ts';
import { untilAborted } from '../time/aborted.ts';
import { type Clock, systemClock, type Timer } from '../time/clock.ts';
import { createMeters } from './meters.ts';

/** One wake-up a second: ten cost an idle operator a tenth of its CPU and 4 MiB (measured). A block shorter than this
 *  may be missed; one long enough to endanger the lease cannot. */
const INTERVAL_MS = 1_000;

/** `event_loop_lag_seconds` (histogram) and `event_loop_lag_max_seconds` (since the last scrape). A part of the
 *  manager, since it keeps a timer. */
export function createEventLoopMonitor(
  registry: Registry,
  options: { readonly prefix?: string; readonly clock?: Clock } = {},
): Runnable {
  const { prefix = 'marekvs_operator_', clock = systemClock } = options;
  let maxSeconds = 0;
  const { histogram, gauge } = createMeters(registry);
  const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
  const lag = histogram(`${prefix}event_loop_lag_seconds`, 'How late timers come', buckets);
  gauge(`${prefix}event_loop_lag_max_seconds`, 'The latest timer since the last scrape', [], (it) => {
    it.set(maxSeconds);
    maxSeconds = 0;
  });

  return {
    name: 'event-loop-monitor',
    async run(signal) {
      let timer: Timer | undefined;
      const measure = (dueMs: number): void => {
        const lateSeconds = Math.max(0, clock.steadyMs() - dueMs) / 1000;
        lag.observe(lateSeconds);
        maxSeconds = Math.max(maxSeconds, lateSeconds);
        start();
      };
      const start = (): void => {
        const dueMs = clock.steadyMs() + INTERVAL_MS;
        timer = clock.after(INTERVAL_MS, () => measure(dueMs));
      };
      if (signal.aborted) return;
      start();
      await untilAborted(signal);
      timer?.cancel();
    },
  };
}
