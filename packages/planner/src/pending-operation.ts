// Answers: is one operation or another under way, or would one begin as soon as something lets it?

import { isMovePending } from './hosts/moving.ts';
import type { ClusterObservation } from './observation.ts';
import { isRemovalPending } from './removal/replacement.ts';
import { isUndrainingPending } from './rolling/drained.ts';
import { isUnlockingPending } from './rolling/locked-out.ts';
import { isTurnPending } from './rolling/next-turn.ts';
import { isSleepPending } from './sleep/suspension.ts';

/** True for a removal, a stop of one or all members, a turn of an update that is not in line behind other clusters, or
 *  a move off a host. Members are asked more often while one of these is pending. */
export function isOperationPending(o: ClusterObservation, desired: number): boolean {
  const isRestartPending = isTurnPending(o) || isUnlockingPending(o) || isUndrainingPending(o);
  return isRemovalPending(o, desired) || isSleepPending(o) || (isRestartPending && !o.isInLine) || isMovePending(o);
}
