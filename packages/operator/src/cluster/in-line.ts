// Answers: is nobody of the cluster restarted because members of other clusters are (turn-places.ts)? Pure.

import type { ClusterObservation, ClusterPlan } from '@marekvs/planner';

/** Also while something else keeps it from its next turn: without a place it had none. */
export function waitsInLine({ isInLine }: ClusterObservation, { removal, resting }: ClusterPlan): boolean {
  return isInLine && removal.operation === undefined && resting === undefined;
}
