// How long a container that ended waits for its next start: at once, then 10 s, doubling to 5 min; forgotten after 10
// min of running. The figures are the real kubelet's. Pure.

const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
const FORGET_AFTER_MS = 600_000;

export interface CrashBackoff {
  /** Delay before the next start of a container that ran for `ranMs`; real time, already divided by the speed. */
  next(ranMs: number): number;
}

export function createCrashBackoff(speed = 1): CrashBackoff {
  let delayMs = 0;
  return {
    next(ranMs) {
      if (ranMs * speed >= FORGET_AFTER_MS) delayMs = 0;
      const now = delayMs;
      delayMs = delayMs === 0 ? FIRST_MS : Math.min(delayMs * 2, LONGEST_MS);
      return now / speed;
    },
  };
}
