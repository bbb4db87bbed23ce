// Reads the error a pass ended with: is it news, is it worth another try?
import { isConflict } from './errors.ts';
import { TerminalError } from './reconcile.ts';
import type { Step } from './step.ts';

/** `conflict`: somebody wrote first, requeue without noise. `terminal`: only a change helps. `timeout`: the step limit.
 *  `aborted`: the grant ended or the process stops. `error`: all else, tried again with backoff. */
export type ErrorClass = 'conflict' | 'terminal' | 'timeout' | 'aborted' | 'error';

export function classifyError(error: unknown, step: Pick<Step, 'isLate' | 'signal'>): ErrorClass {
  if (error instanceof TerminalError) return 'terminal';
  if (step.isLate) return 'timeout';
  if (step.signal.aborted) return 'aborted';
  return isConflict(error) ? 'conflict' : 'error';
}
