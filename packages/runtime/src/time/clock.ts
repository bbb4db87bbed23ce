// The time, and timers. The only file of the runtime that touches the real clock and setTimeout. The clock that tests
// move by hand is test/support/manual-clock.ts.
import { uptime } from 'node:os';

/** A timer that has not fired yet. */
export interface Timer {
  /** Keeps the function from running. Harmless after it ran, and when called twice. */
  cancel(): void;
}

/** Time as a port: code that waits or measures takes one of these and is testable without sleeping. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. May jump either way: for display and timestamps, never for a
   *  decision about elapsed time. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start; never goes back, counts the time the machine was suspended.
   *  Asks the kernel at most once a millisecond (6 µs). For leases, proofs and deadlines. */
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

/** The machine's clock. `monotonicMs` is performance.now() (fine-grained, but stands still during suspend) plus the
 *  lead that the uptime (10 ms steps, but counts suspend) has over it (docs/design/runtime.md#clocks). */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: createMonotonic(
    () => performance.now(),
    () => uptime() * 1000,
  ),
  steadyMs: () => performance.now(),
  after: startTimer,
  delay: (ms, signal) => delayOn(startTimer, ms, signal),
};

function startTimer(ms: number, fn: () => void): Timer {
  let handle: NodeJS.Timeout;
  const dueMs = performance.now() + ms;
  // setTimeout truncates the clock to whole milliseconds at both ends, so it may fire almost 1 ms early.
  const start = (leftMs: number): void => {
    handle = setTimeout(
      () => {
        const stillMs = dueMs - performance.now();
        if (stillMs > 0) start(stillMs);
        else fn();
      },
      Math.min(Math.max(0, Math.ceil(leftMs)), MAX_TIMEOUT_MS),
    );
  };
  start(ms);
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

/** The coarse clock is read at most once in this time: it moves in steps of 10 ms, and a read costs a file access. */
const CHECK_MS = 1;

/** Milliseconds since this call: never goes back, and counts suspend.
 *  @param fineMs fine and cheap, but stands still while the machine is suspended
 *  @param coarseMs counts suspend, but is coarse and expensive */
export function createMonotonic(fineMs: () => number, coarseMs: () => number): () => number {
  const fineStartMs = fineMs();
  const coarseStartMs = coarseMs();
  let readAtMs = 0;
  let suspendedMs = 0;

  return () => {
    const passedMs = fineMs() - fineStartMs;
    if (passedMs - readAtMs >= CHECK_MS) {
      readAtMs = passedMs;
      suspendedMs = Math.max(suspendedMs, coarseMs() - coarseStartMs - passedMs);
    }
    return passedMs + suspendedMs;
  };
}
