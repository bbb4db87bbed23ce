// Virtual time with promises: one event, then everything that it resolves, then the next event. Code that awaits
// promises in the world announces it (`touch`, `call`); events of members alone need no turn of the event loop.

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

  /** Promises may have been resolved: they settle before time goes on. */
  touch(): void {
    this.#isTouched = true;
  }

  /** While `work` is pending, any event may settle it. */
  async call<T>(work: Promise<T>): Promise<T> {
    this.#calls += 1;
    this.#isTouched = true;
    try {
      return await work;
    } finally {
      this.#calls -= 1;
    }
  }

  /** Reports a violation found inside an event: the run ends with it after that event. */
  fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#failure = error;
  }

  /** Lets `ms` pass. @throws the error given to `fail` */
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

  /** Runs events until `isDone`, which is called whenever virtual time has moved by `everyMs`; returns the milliseconds
   *  it took.
   *  @throws Error naming `what` when `limitMs` passed first; the error given to `fail` */
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

  /** Runs one event; true when it may have resolved promises. */
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
    // Anything touched by these promise jobs was settled in the same turn.
    this.#isTouched = false;
    this.#throwIfFailed();
  }
}
