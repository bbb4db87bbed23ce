// Many delays on one timer: a heap ordered by due time, and one timer for the earliest.
import type { Clock, Timer } from '../time/clock.ts';
import { createHeap } from './heap.ts';

export interface Delay<T> {
  readonly item: T;
  /** On `clock.steadyMs`. */
  readonly atMs: number;
  isOver: boolean;
}

export interface Delays<T> {
  /** @param atMs on `clock.steadyMs`; in the past means at the clock's next turn */
  start(item: T, atMs: number): Delay<T>;
  cancel(delay: Delay<T>): void;
  /** Delays neither over nor cancelled. */
  readonly size: number;
  cancelAll(): void;
}

/** @param onDue called once per delay, earliest first, never before its time */
export function createDelays<T>(clock: Clock, onDue: (item: T, nowMs: number) => void): Delays<T> {
  const heap = createHeap<Delay<T>>((a, b) => a.atMs < b.atMs);
  let size = 0;
  let timer: Timer | undefined;
  let timerAtMs = Number.POSITIVE_INFINITY;

  function setTimer(atMs: number): void {
    timer?.cancel();
    timerAtMs = atMs;
    timer = clock.after(atMs - clock.steadyMs(), onTimer);
  }

  function onTimer(): void {
    const nowMs = clock.steadyMs();
    timerAtMs = Number.POSITIVE_INFINITY;
    for (let delay = heap.peek(); delay !== undefined; delay = heap.peek()) {
      if (!delay.isOver && delay.atMs > nowMs) {
        // A delay that `onDue` started may already have set an earlier timer.
        if (delay.atMs < timerAtMs) setTimer(delay.atMs);
        return;
      }
      heap.pop();
      if (delay.isOver) continue;
      delay.isOver = true;
      size--;
      onDue(delay.item, nowMs);
    }
  }

  return {
    start(item, atMs) {
      const delay: Delay<T> = { item, atMs, isOver: false };
      size++;
      heap.push(delay);
      if (atMs < timerAtMs) setTimer(atMs);
      return delay;
    },
    cancel(delay) {
      if (delay.isOver) return;
      delay.isOver = true;
      size--;
      if (heap.size > 64 && heap.size > 2 * size) heap.retain((one) => !one.isOver);
    },
    get size() {
      return size;
    },
    cancelAll() {
      heap.retain((delay) => {
        delay.isOver = true;
        return false;
      });
      size = 0;
      timer?.cancel();
      timerAtMs = Number.POSITIVE_INFINITY;
    },
  };
}
