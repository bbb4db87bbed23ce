// Reads response bodies: as lines, yielding to the event loop in between, or as a bounded text.
import type { Clock } from '../time/clock.ts';
import type { Deadline } from './deadline.ts';
import { type Attempted, truncatedError } from './failures.ts';
import { createLineSplitter } from './lines.ts';

/** Longer without a pause would delay leases and probes. */
const MAX_BUSY_MS = 5;

/** Wraps what a reader threw, so that it is not taken for an error of the connection. */
export class ReaderError extends Error {}

export function callReader<A extends unknown[]>(reader: ((...args: A) => void) | undefined, ...args: A): void {
  try {
    reader?.(...args);
  } catch (cause) {
    throw new ReaderError('reader', { cause });
  }
}

export interface LineLimits {
  readonly clock: Clock;
  /** Touched for every chunk. */
  readonly deadline: Deadline;
  readonly maxLineBytes: number;
  /** Empty lines are lines, too. */
  readonly keepsEmptyLines: boolean;
}

/** @throws ReaderError with what `onLine` threw as its cause; TransportError when the last line lacks its end; what the
 *  body throws */
export async function readLines(
  body: AsyncIterable<Uint8Array>,
  what: Attempted,
  onLine: (line: Buffer) => void,
  { clock, deadline, maxLineBytes, keepsEmptyLines }: LineLimits,
): Promise<void> {
  const lines = createLineSplitter(maxLineBytes, (line) => {
    if (line.length > 0 || keepsEmptyLines) callReader(onLine, line);
  });
  let busyMs = 0;
  for await (const chunk of body) {
    const startMs = clock.steadyMs();
    lines.push(chunk);
    busyMs += clock.steadyMs() - startMs;
    if (busyMs >= MAX_BUSY_MS) {
      busyMs = 0;
      await new Promise(setImmediate);
    }
    deadline.touch();
  }
  if (lines.pendingBytes > 0) throw truncatedError(what);
}

/** The beginning of a body, at most `maxBytes` of it. */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    parts.push(chunk.subarray(0, maxBytes - bytes));
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(parts).toString('utf8');
}
