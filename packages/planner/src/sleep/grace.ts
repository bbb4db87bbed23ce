// Answers: may members that were away for so long be started as they are? Only while everybody still remembers every deletion: those that
// were away for gcGraceSeconds drop what the first one lacks, or bring back what the others have forgotten (docs/design/server.md#h1). With
// the margin of a kept volume.

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

/** Not by themselves. A time in the future is of a clock that was wrong, and counts as too old. */
export function isAwayTooLong(o: Pick<ClusterObservation, 'nodes' | 'nowMs' | 'cluster'>, sinceMs: number): boolean {
  if (o.cluster.mayStartAfterOutage) return false;
  return !(o.nowMs < startableUntilMs(o, sinceMs) && sinceMs <= o.nowMs + CLOCK_SKEW_MS);
}
