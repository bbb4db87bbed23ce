// Virtual time with promises in it: one event, then everything that it set free, then the next event.
// Whoever waits for a promise in the world says so (`touch`, `call`); events of members alone need no turn of the event
// loop.

import type { VirtualClock } from '../memory/virtual-clock.ts';

export class WorldLoop {
  readonly clock: VirtualClock;
  #isTouched = true;
  #calls = 0;
  #failure: unknown;
  #hasFailed = false;
  #steps = 0;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  /** Events so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Something with promises happened: they settle before time goes on. */
  touch(): void {
    this.#isTouched = true;
  }

  /** While `work` is pending every event may settle it. */
  async call<T>(work: Promise<T>): Promise<T> {
    this.#calls += 1;
    this.#isTouched = true;
    try {
      return await work;
    } finally {
      this.#calls -= 1;
    }
  }

  /** A violation found inside an event: the run ends with it after that event. */
  fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#failure = error;
  }

  /** Lets `ms` pass. @throws what `fail` was told */
  async advance(ms: number): Promise<void> {
    const untilMs = this.clock.now() + ms;
    await this.#settle();
    for (;;) {
      const nextAtMs = this.clock.nextAtMs;
      if (nextAtMs === undefined || nextAtMs > untilMs) break;
      if (this.#step()) await this.#settle();
      this.#throwIfFailed();
    }
    this.clock.advance(Math.max(0, untilMs - this.clock.now()));
  }

  /** Event by event until `isDone`, which is asked whenever virtual time has moved by `everyMs`; the milliseconds it
   *  took.
   *  @throws Error naming `what` when `limitMs` passed first; what `fail` was told */
  async until(isDone: () => boolean, limitMs: number, what: string, everyMs = 10): Promise<number> {
    const fromMs = this.clock.now();
    await this.#settle();
    let askAtMs = fromMs;
    for (;;) {
      if (this.clock.now() >= askAtMs) {
        if (isDone()) return this.clock.now() - fromMs;
        askAtMs = this.clock.now() + everyMs;
      }
      if (this.clock.now() - fromMs > limitMs) throw new Error(`wait for ${what}: not within ${limitMs} virtual ms`);
      if (this.clock.nextAtMs === undefined) throw new Error(`wait for ${what}: nothing happens any more`);
      if (this.#step()) await this.#settle();
      this.#throwIfFailed();
    }
  }

  /** One event; true when it may have set promises free. */
  #step(): boolean {
    this.#steps += 1;
    this.clock.runNext();
    return this.#isTouched || this.#calls > 0;
  }

  #throwIfFailed(): void {
    if (this.#hasFailed) throw this.#failure;
  }

  /** Promise jobs all run before the next turn of the event loop, however long their chain is. */
  async #settle(): Promise<void> {
    this.#isTouched = false;
    await new Promise<void>((resolve) => setImmediate(resolve));
    // A chain that touched something again is settled by the same turn.
    this.#isTouched = false;
    this.#throwIfFailed();
  }
}
