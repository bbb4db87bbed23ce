// Answers: may members that were away for so long be started as they are? Only while all still remember every deletion:
// members that were away for gcGraceSeconds drop what the first one lacks, or bring back what the others have forgotten
// (docs/design/server.md#h1). The margin is that of a kept volume.

import { CLOCK_SKEW_MS, reusableForMs } from '../../members/volume-age.ts';
import type { ClusterObservation } from '../../observation/observation.ts';

/** The gcGraceSeconds all members run with; the smallest while they differ. */
export function graceSeconds({ nodes }: Pick<ClusterObservation, 'nodes'>): number {
  return Math.min(...nodes.map((node) => node.gcGraceSeconds));
}

/** Wall clock: until when the members may be started. */
export function startableUntilMs(o: Pick<ClusterObservation, 'nodes'>, sinceMs: number): number {
  return sinceMs + reusableForMs(graceSeconds(o));
}

/** True when the members are not started without a person. */
export function isAwayTooLong(o: Pick<ClusterObservation, 'nodes' | 'nowMs' | 'cluster'>, sinceMs: number): boolean {
  return !o.cluster.mayStartAfterOutage && isPastGrace(sinceMs, o.nowMs, graceSeconds(o));
}

/** Deletions may be forgotten since then. An unknown time (NaN) counts as too old, and so does one in the
 *  future: a clock was wrong. */
export function isPastGrace(sinceMs: number, nowMs: number, gcGraceSeconds: number): boolean {
  return !(nowMs < sinceMs + reusableForMs(gcGraceSeconds) && sinceMs <= nowMs + CLOCK_SKEW_MS);
}

const DAY_S = 86_400;

/** The gcGraceSeconds with which the members may be started: whole days, so that a message with it does not change by
 *  the second, and two days more in which it can be set. */
export function neededGraceSeconds(sinceMs: number, nowMs: number): number {
  const awayMs = Number.isNaN(sinceMs) ? 0 : Math.max(0, nowMs - sinceMs);
  return (Math.ceil(awayMs / 1000 / DAY_S) + 2) * DAY_S;
}
