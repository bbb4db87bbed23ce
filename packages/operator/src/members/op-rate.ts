// Answers: how many commands per second do clients send to one member? From readings of its counters. A counter that
// fell, or a process younger than before, is another life: a new baseline, and no rate
// (docs/design/contract.md#figures).

import { RATE_WINDOW_MS } from '@marekvs/planner';
import { clientCommands, isYounger, type MemberMetrics } from '@marekvs/store-client';

/** Two readings closer than this say nothing about a rate. */
const MIN_INTERVAL_MS = 1_000;

interface Reading {
  /** Monotonic. */
  readonly atMs: number;
  readonly commands: number;
  readonly upSeconds: number | undefined;
}

export interface OpRate {
  /** All of one life. The rate is measured from the oldest. */
  readonly readings: readonly Reading[];
  /** Commands per second; undefined until two readings of the same life are far enough apart. */
  readonly perSecond: number | undefined;
  /** The rise since the rate before; 0 for a fall, and while the two cannot be compared. */
  readonly risen: number;
  /** Monotonic milliseconds of the two readings that the rate comes from. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** The rate after one more reading, without our own questions. A member that has served nothing yet has no such counter
 *  at all (docs/design/server.md#metrics). Undefined before the first statistics.
 *  @param atMs monotonic */
export function nextRate(previous: OpRate | undefined, metrics: MemberMetrics, atMs: number): OpRate | undefined {
  if (!metrics.isFresh) return undefined;
  const reading = { atMs, commands: clientCommands(metrics), upSeconds: metrics.upSeconds };
  const last = previous?.readings.at(-1);
  if (previous === undefined || last === undefined || isAnotherLife(last, reading))
    return { readings: [reading], perSecond: undefined, risen: 0, fromMs: atMs, toMs: atMs };
  if (atMs - last.atMs < MIN_INTERVAL_MS) return previous;
  const readings = windowed([...previous.readings, reading]);
  const first = readings[0] ?? reading;
  const perSecond = ((reading.commands - first.commands) * 1000) / (atMs - first.atMs);
  // A rate over half a minute and one over a second differ whenever the load has changed at all.
  const isBegunAnew = first === last && atMs - first.atMs < RATE_WINDOW_MS;
  const risen = isBegunAnew ? 0 : Math.max(0, perSecond - (previous.perSecond ?? perSecond));
  return { readings, perSecond, risen, fromMs: first.atMs, toMs: atMs };
}

function isAnotherLife(before: Reading, now: Reading): boolean {
  return now.commands < before.commands || isYounger(now, before);
}

/** The latest readings, from the last one that is a whole window old. If close readings follow a long gap, the one
 *  before the gap is dropped: a rate over half a minute would hide a step until a window is full again. */
function windowed(readings: readonly Reading[]): readonly Reading[] {
  const latestMs = readings.at(-1)?.atMs ?? 0;
  const start = readings.findLastIndex(({ atMs }) => latestMs - atMs >= RATE_WINDOW_MS);
  const [oldest, next, ...later] = start > 0 ? readings.slice(start) : readings;
  if (oldest === undefined || next === undefined) return readings;
  const isAfterLong = later.length > 0 && next.atMs - oldest.atMs >= RATE_WINDOW_MS;
  return isAfterLong ? [next, ...later] : [oldest, next, ...later];
}
