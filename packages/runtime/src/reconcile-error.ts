// Reads the error a pass ended with: is it news, is it worth another try?
import { isConflict } from './errors.ts';
import type { Step } from './step.ts';

/** `conflict`: somebody wrote first, requeue without noise. `timeout`: the step limit. `aborted`: the grant
 *  ended or the process stops. `error`: all else, tried again with backoff. */
export type ErrorClass = 'conflict' | 'timeout' | 'aborted' | 'error';

export function classifyError(error: unknown, step: Pick<Step, 'isLate' | 'signal'>): ErrorClass {
  if (step.isLate) return 'timeout';
  if (step.signal.aborted) return 'aborted';
  return isConflict(error) ? 'conflict' : 'error';
}
