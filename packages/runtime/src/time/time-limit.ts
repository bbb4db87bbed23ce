// A call to the outside that ends in time, whether or not the other side honours the abort.
import type { Clock } from './clock.ts';

/** No answer within the limit. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
  readonly limitMs: number;
  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms`);
    this.limitMs = limitMs;
  }
}

/** Aborts the call's signal after `limitMs` and rejects then, even if the call goes on: its late result is dropped.
 *  @throws TimeLimitError; what the call threw */
export function withTimeLimit<T>(clock: Clock, limitMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => {
      const error = new TimeLimitError(limitMs);
      reject(error);
      abort.abort(error);
    });
    call(abort.signal)
      .then(resolve, reject)
      .finally(() => timer.cancel());
  });
}
