// Answers: may members that were away for so long be started as they are? Only while everybody still remembers every
// deletion: those that were away for gcGraceSeconds drop what the first one lacks, or bring back what the others have
// forgotten (docs/design/server.md#h1). With the margin of a kept volume.

import type { ClusterObservation } from '../observation.ts';
import { CLOCK_SKEW_MS, reusableForMs } from '../volume-age.ts';

/** What all members run with; the least, while they differ. */
export function graceSeconds({ nodes }: Pick<ClusterObservation, 'nodes'>): number {
  return Math.min(...nodes.map((node) => node.gcGraceSeconds));
}

/** Until when they may be started, wall clock. */
export function startableUntilMs(o: Pick<ClusterObservation, 'nodes'>, sinceMs: number): number {
  return sinceMs + reusableForMs(graceSeconds(o));
}

/** They are not started without a person. */
export function isAwayTooLong(o: Pick<ClusterObservation, 'nodes' | 'nowMs' | 'cluster'>, sinceMs: number): boolean {
  return !o.cluster.mayStartAfterOutage && isPastGrace(sinceMs, o.nowMs, graceSeconds(o));
}

/** Deletions may be forgotten since then. An unknown time (NaN) counts as too old, and so does one in the
 *  future: a clock was wrong. */
export function isPastGrace(sinceMs: number, nowMs: number, gcGraceSeconds: number): boolean {
  return !(nowMs < sinceMs + reusableForMs(gcGraceSeconds) && sinceMs <= nowMs + CLOCK_SKEW_MS);
}

const DAY_S = 86_400;

/** The gcGraceSeconds with which they may be started. Whole days, so that a message with it does not change by the
 *  second, and two days in which it can be set. */
export function neededGraceSeconds(sinceMs: number, nowMs: number): number {
  const awayMs = Number.isNaN(sinceMs) ? 0 : Math.max(0, nowMs - sinceMs);
  return (Math.ceil(awayMs / 1000 / DAY_S) + 2) * DAY_S;
}
