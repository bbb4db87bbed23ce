// The time limit and the abort signal of one pass. A manual controller, because AbortSignal.any with a timeout costs
// 5.6 µs and keeps memory until its timer fires (docs/design/runtime.md#time-limits).
import type { Clock } from '../time/clock.ts';

export interface Step {
  readonly signal: AbortSignal;
  /** True once the time limit has passed, whether or not the pass has noticed. */
  readonly isLate: boolean;
  abort(reason: Error): void;
  /** To be called when the pass has ended: releases timer and listener. */
  end(): void;
}

/** A pass took longer than its step timeout. */
export class StepTimeoutError extends Error {
  override readonly name = 'StepTimeoutError';
  readonly limitMs: number;
  constructor(limitMs: number) {
    super(`pass took longer than ${limitMs} ms`);
    this.limitMs = limitMs;
  }
}

/** @param parent the grant's signal; its abort aborts the step too */
export function createStep(clock: Clock, limitMs: number, parent: AbortSignal): Step {
  const controller = new AbortController();
  let isLate = false;
  const onParentAbort = (): void => controller.abort(parent.reason);
  const timer = clock.after(limitMs, () => {
    isLate = true;
    controller.abort(new StepTimeoutError(limitMs));
  });
  if (parent.aborted) onParentAbort();
  else parent.addEventListener('abort', onParentAbort, { once: true });
  return {
    signal: controller.signal,
    get isLate() {
      return isLate;
    },
    abort: (reason) => controller.abort(reason),
    end() {
      timer.cancel();
      parent.removeEventListener('abort', onParentAbort);
    },
  };
}
