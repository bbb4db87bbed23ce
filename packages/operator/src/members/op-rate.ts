// Answers: how many commands per second does one member serve? From two readings of its counters.
// A counter that fell belongs to a restarted member: a new baseline, no rate (docs/design/contract.md#figures).

import type { MemberMetrics } from '@marekvs/store-client';

/** Two readings closer than this say nothing about a rate… */
const MIN_INTERVAL_MS = 1_000;
/** …and from this distance on the later one becomes the baseline of the next. */
const BASELINE_INTERVAL_MS = 5_000;

export interface OpRate {
  readonly baseline: { readonly atMs: number; readonly commands: number };
  /** Commands per second; undefined until two readings of the same life are far enough apart. */
  readonly perSecond: number | undefined;
}

/** The rate after one more reading. `atMs` is monotonic. Our own questions are left out.
 *  A member that has served nothing yet has no such counter at all (docs/design/server.md#metrics); before its first statistics
 *  nothing is known. */
export function nextRate(previous: OpRate | undefined, metrics: MemberMetrics, atMs: number): OpRate | undefined {
  if (!metrics.isFresh) return undefined;
  const commands = (metrics.commandsTotal ?? 0) - (metrics.housekeepingCommandsTotal ?? 0);
  const reading = { atMs, commands };
  if (previous === undefined || commands < previous.baseline.commands)
    return { baseline: reading, perSecond: undefined };
  const elapsedMs = atMs - previous.baseline.atMs;
  if (elapsedMs < MIN_INTERVAL_MS) return previous;
  const perSecond = ((commands - previous.baseline.commands) * 1000) / elapsedMs;
  return { baseline: elapsedMs < BASELINE_INTERVAL_MS ? previous.baseline : reading, perSecond };
}

/** Two significant digits, whole numbers: what status shows, so that noise writes nothing (docs/design/contract.md#figures). */
export function roundRate(perSecond: number): number {
  if (perSecond < 1) return 0;
  return Math.round(Number(perSecond.toPrecision(2)));
}
