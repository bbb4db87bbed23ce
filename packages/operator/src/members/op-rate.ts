// Answers: how many commands per second does one member serve? From two readings of its counters.
// A counter that fell belongs to a restarted member: a new baseline, no rate (sources.md).

import type { MemberMetrics } from '@marekvs/store-client';

/** Two readings closer than this say too little about a rate. */
const MIN_INTERVAL_MS = 5_000;

export interface OpRate {
  readonly baseline: { readonly atMs: number; readonly commands: number };
  /** Commands per second; undefined until two readings of the same life are far enough apart. */
  readonly perSecond: number | undefined;
}

/** The rate after one more reading. `atMs` is monotonic. Our own questions are left out.
 *  A reading without the counter leaves everything unknown. */
export function nextRate(previous: OpRate | undefined, metrics: MemberMetrics, atMs: number): OpRate | undefined {
  if (metrics.commandsTotal === undefined) return undefined;
  const commands = metrics.commandsTotal - (metrics.housekeepingCommandsTotal ?? 0);
  const baseline = { atMs, commands };
  if (previous === undefined || commands < previous.baseline.commands) return { baseline, perSecond: undefined };
  const elapsedMs = atMs - previous.baseline.atMs;
  if (elapsedMs < MIN_INTERVAL_MS) return previous;
  return { baseline, perSecond: ((commands - previous.baseline.commands) * 1000) / elapsedMs };
}

/** Two significant digits, whole numbers: what status shows, so that noise writes nothing (design 9). */
export function roundRate(perSecond: number): number {
  if (perSecond < 1) return 0;
  return Math.round(Number(perSecond.toPrecision(2)));
}
