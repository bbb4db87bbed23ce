// Remembers which keys fail pass after pass, and since when. A key that succeeds once is forgotten, so that
// an idle fleet costs nothing.

import type { Clock, PassResult } from '@marekvs/runtime';
import { FAILURE_REASONS, type Failing, type FailureReason } from './problems.ts';

export interface FailingPasses {
  /** A pass ended. */
  ended(key: string, result: PassResult): void;
  all(): Iterable<readonly [string, Failing]>;
}

const FAILURES: ReadonlySet<string> = new Set(FAILURE_REASONS);

export function createFailingPasses(clock: Clock): FailingPasses {
  const known = new Map<string, Failing>();
  return {
    ended(key, result) {
      if (result === 'success' || result === 'requeue_after') known.delete(key);
      // A conflict, a stop or a lost grant says nothing: the next pass does.
      else if (isFailure(result)) known.set(key, { reason: result, sinceMs: known.get(key)?.sinceMs ?? clock.nowMs() });
    },
    all: () => known,
  };
}

function isFailure(result: PassResult): result is FailureReason {
  return FAILURES.has(result);
}
