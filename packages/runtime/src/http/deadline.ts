// One time limit and one abort signal for one exchange. A plain AbortController, because AbortSignal.any with a timeout
// keeps 750 bytes alive until the timer fires (nodejs/node#54614).
import type { Clock, Timer } from '../time/clock.ts';

export interface Deadline {
  /** Aborted at the limit, or when the caller's signal is. */
  readonly signal: AbortSignal;
  /** The limit was reached: the abort was ours. */
  readonly expired: boolean;
  /** Data has arrived: the limit counts from now. */
  touch(): void;
  /** Stops the timer and removes the listener from the caller's signal. */
  end(): void;
}

export function startDeadline(clock: Clock, limitMs: number, parent: AbortSignal | undefined): Deadline {
  const abort = new AbortController();
  let touchedAtMs = clock.steadyMs();
  let expired = false;
  let timer: Timer = clock.after(limitMs, check);
  const onParent = (): void => abort.abort(parent?.reason);

  /** One timer per exchange, however many chunks arrive: it is started again for the time that is left. */
  function check(): void {
    const leftMs = touchedAtMs + limitMs - clock.steadyMs();
    if (leftMs > 0) {
      timer = clock.after(leftMs, check);
      return;
    }
    expired = true;
    abort.abort();
  }

  if (parent?.aborted) onParent();
  else parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: abort.signal,
    get expired() {
      return expired;
    },
    touch() {
      touchedAtMs = clock.steadyMs();
    },
    end() {
      timer.cancel();
      parent?.removeEventListener('abort', onParent);
    },
  };
}
