// Polls until a condition holds, for steps of a command that depend on what others do.

import type { Run } from '../connection/cli.ts';
import { failed } from '../connection/errors.ts';

/** Between two reads. */
export const POLL_MS = 500;

/** The error when the condition does not hold in time. */
interface TooLate {
  readonly why: string;
  readonly next: string;
}

/** @returns the first answer of `read` that is no `TooLate`
 *  @throws CliError made from the last `TooLate` after `limitMs`; and what `read` throws */
export async function pollUntil<T extends object>(
  run: Run,
  limitMs: number,
  read: () => Promise<{ readonly found: T } | TooLate>,
): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const answer = await read();
    if ('found' in answer) return answer.found;
    if (waitedMs >= limitMs) throw failed(answer.why, answer.next);
    await run.ports.delay(POLL_MS);
  }
}
