// How long something may take is written for a machine of its own. On one that others use as well a process gets its
// share of it, and every limit here is stretched by that: it ends what hangs, and says nothing about the machine.
import { availableParallelism, loadavg } from 'node:os';

/** The mean of a minute lags behind. */
const LAG = 2;

/** @param load processes that run or want to, as a mean of the last minute; 0 where the system counts none */
export function stretched(ms: number, load = loadavg()[0] ?? 0, processors = availableParallelism()): number {
  return Math.round(ms * LAG * Math.max(1, load / processors));
}

/** Calls `late` once so much time is over, however busy the machine has become meanwhile. @returns ends it */
export function limit(ms: number, late: () => void): () => void {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const leftMs = stretched(ms) - (performance.now() - startedAt);
    timer = setTimeout(() => (leftMs <= 0 ? late() : arm()), Math.max(0, leftMs));
  };
  arm();
  return () => clearTimeout(timer);
}
