// One term of a lease holder: the grants given under it end together, by the clock or by decision.
import type { Clock, Timer } from '../time/clock.ts';
import type { Grant } from './grant.ts';

/** The reason a grant's signal is aborted with. */
export class GrantLostError extends Error {
  override readonly name = 'GrantLostError';
}

export interface Term {
  /** The grant, or undefined when its time is over, even if no timer has run yet (stopped process,
   *  blocked event loop: F21, F22). */
  grant(): Grant | undefined;
  /** @param untilMs on `clock.monotonicMs` */
  extend(untilMs: number): void;
  end(why: string): void;
  readonly isOver: boolean;
  readonly validUntilMs: number;
}

/** @param onEnd called once, synchronously, after the signal was aborted */
export function createTerm(clock: Clock, untilMs: number, onEnd: (why: string) => void): Term {
  const abort = new AbortController();
  let validUntilMs = untilMs;
  let timer: Timer | undefined;

  const leftMs = (): number => (abort.signal.aborted ? 0 : Math.max(0, validUntilMs - clock.monotonicMs()));
  const grant: Grant = { left: leftMs, signal: abort.signal };

  function end(why: string): void {
    if (abort.signal.aborted) return;
    timer?.cancel();
    abort.abort(new GrantLostError(why));
    onEnd(why);
  }

  // One timer that reads the clock when it fires, instead of a new one per renewal.
  function watch(): void {
    if (abort.signal.aborted) return;
    const left = leftMs();
    if (left > 0) timer = clock.after(left, watch);
    else end('the lease was not renewed in time');
  }
  watch();

  return {
    grant() {
      if (abort.signal.aborted) return undefined;
      if (leftMs() > 0) return grant;
      end('the lease was not renewed in time');
      return undefined;
    },
    extend(nextUntilMs) {
      if (!abort.signal.aborted) validUntilMs = Math.max(validUntilMs, nextUntilMs);
    },
    end,
    get isOver() {
      return abort.signal.aborted;
    },
    get validUntilMs() {
      return validUntilMs;
    },
  };
}
