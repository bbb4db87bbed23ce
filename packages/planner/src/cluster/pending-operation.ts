// Answers: is one operation or another under way, or would one begin as soon as something lets it?

import { isMovePending } from '../hosts/leaving-members.ts';
import { isRemovalPending } from '../members/replacement.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { isUndrainingPending } from '../operations/mending/drained.ts';
import { isUnlockingPending } from '../operations/mending/locked-out.ts';
import { isTurnPending } from '../operations/rolling/next-turn.ts';
import { isSleepPending } from '../operations/sleep/suspension.ts';

/** True for a removal, a stop of one or all members, a turn of an update that is not in line behind other clusters, or
 *  a move off a host. Members are asked more often while one of these is pending. */
export function isOperationPending(o: ClusterObservation, desired: number): boolean {
  const isRestartPending = isTurnPending(o) || isUnlockingPending(o) || isUndrainingPending(o);
  return isRemovalPending(o, desired) || isSleepPending(o) || (isRestartPending && !o.isInLine) || isMovePending(o);
}
