// Time that advances only when told to: events run in order of time, then of insertion. One clock may drive several
// networks and anything else a test schedules.

import type { CancelTimer } from '../member/basics/world.ts';

interface Event {
  readonly atMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

export class VirtualClock {
  #nowMs = 0;
  #order = 0;
  /** Binary min-heap. */
  readonly #heap: Event[] = [];

  /** Milliseconds since the clock was made. */
  now(): number {
    return this.#nowMs;
  }

  /** Runs `run` once, `delayMs` from now; never within this call. */
  after(delayMs: number, run: () => void): CancelTimer {
    const event: Event = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order, run };
    this.#order += 1;
    this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** When the next event is due; undefined when there is none. Cancelled events count. */
  get nextAtMs(): number | undefined {
    return this.#heap[0]?.atMs;
  }

  /** Advances to the next event and runs only that one, for callers that let promises settle between two events. */
  runNext(): void {
    const next = this.#heap[0];
    if (next === undefined) return;
    this.#pop();
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.run?.();
  }

  /** Runs everything due within the next `ms`, and advances to their end. */
  advance(ms: number): void {
    const until = this.#nowMs + ms;
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= until; next = this.#heap[0]) {
      this.#pop();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run?.();
    }
    this.#nowMs = until;
  }

  /** Advances in steps until `isDone`. Returns the time it took, or undefined when `limitMs` passed first. */
  advanceUntil(isDone: () => boolean, limitMs: number, stepMs = 50): number | undefined {
    const from = this.#nowMs;
    while (!isDone()) {
      if (this.#nowMs - from >= limitMs) return undefined;
      this.advance(Math.min(stepMs, limitMs - (this.#nowMs - from)));
    }
    return this.#nowMs - from;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, event)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below === undefined) break;
      if (right !== undefined && isBefore(right, below)) {
        below = right;
        child += 1;
      }
      if (isBefore(last, below)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
