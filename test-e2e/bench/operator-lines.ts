// Follows the log of an operator until it has a certain line.

import { setTimeout as delay } from 'node:timers/promises';
import { limit, type OperatorProcess } from '@marekvs/testbed';

export interface OperatorLine {
  readonly msg?: string;
  readonly clusters?: number;
  readonly durationMs?: number;
  readonly sinceStartMs?: number;
}

const CHECK_MS = 50;

/** The first line with that message that satisfies the predicate. @param after characters of the log to skip
 *  @throws Error after `limitMs`, as on an idle machine */
export async function waitForLine(
  operator: OperatorProcess,
  msg: string,
  limitMs: number,
  { after = 0, fits = (_: OperatorLine) => true }: { after?: number; fits?: (line: OperatorLine) => boolean } = {},
): Promise<OperatorLine> {
  let isLate = false;
  const endLimit = limit(limitMs, () => {
    isLate = true;
  });
  try {
    while (!isLate) {
      const log = (await operator.logs().catch(() => '')).slice(after);
      // The last piece is a line that is still being written.
      const lines = log.split('\n').slice(0, -1);
      const found = lines.map(parse).find((line) => line.msg === msg && fits(line));
      if (found !== undefined) return found;
      await delay(CHECK_MS);
    }
    throw new Error(`the operator did not log "${msg}" within ${limitMs} ms:\n${await operator.logTail()}`);
  } finally {
    endLimit();
  }
}

function parse(line: string): OperatorLine {
  if (!line.startsWith('{')) return {};
  try {
    const value: OperatorLine = JSON.parse(line);
    return value;
  } catch {
    return {};
  }
}
