// Time limits are written for an idle machine. On a busy one a process gets only a share of the CPU, so every limit is
// stretched by the load: a limit is meant to end what hangs, not what is slow because of the machine.
import { availableParallelism, loadavg } from 'node:os';

/** The load average of a minute lags behind the present load. */
const LAG = 2;

/** @param load running and runnable processes, as a mean of the last minute; 0 where the system counts none */
export function stretched(ms: number, load = loadavg()[0] ?? 0, processors = availableParallelism()): number {
  return Math.round(ms * LAG * Math.max(1, load / processors));
}

/** Calls `late` once the stretched time is over, by the load at that moment. @returns a function that cancels it */
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
