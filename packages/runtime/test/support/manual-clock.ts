// The clock that tests of every package control: nothing happens until a test lets time pass. Product code takes the
// Clock port of clock.ts.

import { createHeap } from '../../src/queue/heap.ts';
import { type Clock, delayOn } from '../../src/time/clock.ts';

/** A clock that stands still. Wall and monotonic time move together except where a test says otherwise. */
export interface ManualClock extends Clock {
  /** Lets `ms` pass: every timer due by then runs, in order of its time (ties in order of their start), each at its own
   *  time. Synchronous: promises that the timers settled continue only after the caller yields. */
  advance(ms: number): void;
  /** As `advance`, but after every instant at which timers ran, all pending promise work runs before time goes on.
   *  What a chain of `await clock.delay(…)` needs. Does not wait for sockets or files. */
  run(ms: number): Promise<void>;
  /** Time passes and no timer runs: SIGSTOP, a suspended machine, a blocked event loop. Timers that became due run at
   *  the next `advance` or `run`. */
  freeze(ms: number): void;
  /** The administrator sets the wall clock; elapsed time is not touched. */
  jumpWall(ms: number): void;
  /** Timers that have neither run nor been cancelled. */
  readonly pendingTimers: number;
  /** Milliseconds until the next timer; undefined when there is none. */
  nextTimerInMs(): number | undefined;
}

interface Entry {
  readonly atMs: number;
  readonly sequence: number;
  fn: (() => void) | undefined;
}

/** @param startWallMs wall clock at the start; default 2026-01-01T00:00:00Z. Monotonic time starts at 0. */
export function createManualClock(startWallMs = Date.UTC(2026, 0, 1)): ManualClock {
  const timers = createHeap<Entry>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence));
  let elapsedMs = 0;
  let wallOffsetMs = startWallMs;
  let sequence = 0;
  let pending = 0;

  function after(ms: number, fn: () => void): { cancel(): void } {
    const entry: Entry = { atMs: elapsedMs + Math.max(0, ms), sequence: sequence++, fn };
    timers.push(entry);
    pending++;
    return {
      cancel() {
        if (entry.fn !== undefined) pending--;
        entry.fn = undefined;
      },
    };
  }

  function next(): Entry | undefined {
    while (timers.size > 0 && timers.peek()?.fn === undefined) timers.pop();
    return timers.peek();
  }

  /** Runs the earliest timer due by `untilMs`; false when there is none. */
  function runOne(untilMs: number): boolean {
    const entry = next();
    if (entry === undefined || entry.atMs > untilMs) return false;
    timers.pop();
    pending--;
    const fn = entry.fn;
    entry.fn = undefined;
    elapsedMs = Math.max(elapsedMs, entry.atMs);
    fn?.();
    return true;
  }

  return {
    nowMs: () => wallOffsetMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    steadyMs: () => elapsedMs,
    after,
    delay: (ms, signal) => delayOn(after, ms, signal),
    advance(ms) {
      const untilMs = elapsedMs + ms;
      while (runOne(untilMs)) {}
      elapsedMs = Math.max(elapsedMs, untilMs);
    },
    async run(ms) {
      const untilMs = elapsedMs + ms;
      await settlePromises();
      while (runOne(untilMs)) await settlePromises();
      elapsedMs = Math.max(elapsedMs, untilMs);
      await settlePromises();
    },
    freeze(ms) {
      elapsedMs += ms;
    },
    jumpWall(ms) {
      wallOffsetMs += ms;
    },
    get pendingTimers() {
      return pending;
    },
    nextTimerInMs() {
      const entry = next();
      return entry === undefined ? undefined : Math.max(0, entry.atMs - elapsedMs);
    },
  };
}

/** Promise jobs all run before the next turn of the event loop, however long their chain is. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
