// The pause of a Pod's worker before its next try: what it waits for may come sooner, and then ends it.
import type { Clock, Timer } from '@marekvs/runtime';

export class RetryPause {
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #timer: Timer | undefined;
  /** Something else, of which the worker will hear, is awaited. */
  isForOthers = false;

  constructor(clock: Clock, onEnd: () => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  get isOn(): boolean {
    return this.#timer !== undefined;
  }

  begin(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(ms, () => {
      this.#timer = undefined;
      this.#onEnd();
    });
  }

  /** Something may have come that others were to do. */
  endForOthers(): void {
    if (!this.isForOthers) return;
    this.isForOthers = false;
    this.cancel();
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
