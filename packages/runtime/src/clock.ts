// What time it is, and "call me later". The only file of the runtime that touches the real clock and setTimeout.
// The clock that tests turn by hand is in manual-clock.ts.
import { uptime } from 'node:os';

/** A timer that has not fired yet. */
export interface Timer {
  /** The function will not run any more. Harmless after it ran, and twice. */
  cancel(): void;
}

/** Time as a port: whoever waits or measures takes one of these and is testable without sleeping. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. May jump either way: for display and timestamps, never for a decision about elapsed time. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start; never goes back, counts the time the machine was suspended.
   *  About 6 µs a call (it asks the kernel): for leases, proofs and deadlines. */
  monotonicMs(): number;
  /** Milliseconds since another arbitrary start; never goes back, but may stand still during suspend, as timers do.
   *  Under 0.1 µs a call: for queues, durations and metrics. Not comparable with `monotonicMs`. */
  steadyMs(): number;
  /** Runs `fn` once, at least `ms` from now. A negative `ms` counts as 0. */
  after(ms: number, fn: () => void): Timer;
  /** Resolves after `ms`. @throws the signal's reason when it is aborted first */
  delay(ms: number, signal?: AbortSignal): Promise<void>;
}

/** setTimeout fires at once when asked for more than this (2^31 - 1 ms, 24.8 days). */
const MAX_TIMEOUT_MS = 2_147_483_647;

const uptimeStartMs = uptime() * 1000;
const performanceStartMs = performance.now();

/** The machine's clock. `monotonicMs` is the larger of performance.now() (fine, but stands still during suspend) and the
 *  uptime (10 ms steps, but counts suspend): each alone never goes back, so neither does the larger (docs/design/runtime.md#clocks). */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Math.max(performance.now() - performanceStartMs, uptime() * 1000 - uptimeStartMs),
  steadyMs: () => performance.now(),
  after: startTimer,
  delay: (ms, signal) => delayOn(startTimer, ms, signal),
};

function startTimer(ms: number, fn: () => void): Timer {
  let handle: NodeJS.Timeout;
  const start = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, MAX_TIMEOUT_MS);
    handle = setTimeout(() => (leftMs > stepMs ? start(leftMs - stepMs) : fn()), stepMs);
  };
  // setTimeout cuts fractions off and would then fire before its time.
  start(Math.max(0, Math.ceil(ms)));
  return { cancel: () => clearTimeout(handle) };
}

/** `Clock.delay` in terms of `Clock.after`, shared by every clock. */
export function delayOn(after: Clock['after'], ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
