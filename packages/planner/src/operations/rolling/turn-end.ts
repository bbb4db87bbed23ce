// How a turn ends: well; by a failure, which stops the update and sends the member
// back to what it had; or because the member needs something else first.

import type { LastOperation, Reason } from '@marekvs/api';
import { isLockedOut, isToldToLeave } from '../../members/member-state.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { isKept, stoppedUpdate } from '../../templates/revisions.ts';
import type { StoppedUpdate } from '../../templates/stopped-update.ts';
import { type Hold, shortMessageText, timeText } from '../../values/hold.ts';
import { LOCKED_PATIENCE_MS } from '../mending/locked-out.ts';
import { closed, end, type OperationPlan, proceed, store, takeBack, turnedBack } from '../record.ts';
import type { Roll, TurnScope } from './turn-scope.ts';

/** Ends this turn. */
export function finished(
  { o, record, roll }: TurnScope,
  outcome: LastOperation['outcome'],
  reason: Reason,
  what: string,
): OperationPlan {
  return end(closed(record, { outcome, reason, message: `${roll.name} ${what}` }, o.nowMs));
}

/** Stops the update: no further member is restarted. This member goes back to what it had, once. Where that is not
 *  wanted or not known, it stays as it is. */
export function planFailed(turn: TurnScope, node: NodeRecord, failure: Hold): OperationPlan {
  const { o, record, roll, revision } = turn;
  const isRollingBack = record.phase === 'RollingBack';
  if (!isRollingBack && node.templateHash !== revision) return planOutdatedFailed(turn, node, failure);
  // It goes back from a template that is no longer asked for: the present one has not failed anywhere.
  const isOfBefore = isRollingBack && stoppedUpdate(o.cluster) === undefined;
  const stopped = isOfBefore ? undefined : stoppedAt(o, node, failure);
  if (
    !isRollingBack &&
    o.cluster.spec.update.rollbackOnFailure &&
    revision !== roll.previous &&
    isKept(o, roll.previous)
  ) {
    return { ...store(turnedBack(record, 'RollingBack', failure, o.nowMs)), stopped };
  }
  if (node.removalMark !== undefined)
    return { ...proceed(record, { steps: [{ kind: 'endRestart', node, serving: false }] }), stopped };
  const why = isRollingBack
    ? `did not come back with revision ${revision} either: ${failure.message}`
    : failure.message;
  return { ...finished(turn, 'Failed', isOfBefore ? failure.reason : 'RolloutStopped', why), stopped };
}

/** The member has failed with a template that is no longer asked for, and the present one has not failed anywhere, so
 *  the update does not stop. Clients that were let in to the member are taken off first, as on every way back. */
function planOutdatedFailed(turn: TurnScope, node: NodeRecord, failure: Hold): OperationPlan {
  const { o, record, roll, revision } = turn;
  const isServing = node.serving && node.removalMark === undefined;
  if (!isServing || !isKept(o, roll.previous))
    return proceed(record, { steps: [{ kind: 'restartNode', node, revision, operationId: record.id }] });
  return store(turnedBack(record, 'RollingBack', failure, o.nowMs));
}

export function stoppedAt(o: ClusterObservation, { name, uid }: NodeRecord, { reason, message }: Hold): StoppedUpdate {
  const known = o.cluster.update?.stopped;
  const at = known?.nodeUID === uid ? known.at : timeText(o.nowMs);
  return { node: name, nodeUID: uid, reason, message: shortMessageText(message), at };
}

/** The member has to go, or is gone: that is repaired first. */
export function planGivenUp(turn: TurnScope, node: NodeRecord | undefined): OperationPlan {
  if (node !== undefined && isToldToLeave(node))
    return takeBack(turn, { reason: 'Repairing', message: 'it has to go' });
  if (node?.removalMark !== undefined)
    return proceed(turn.record, { steps: [{ kind: 'endRestart', node, serving: true }] });
  return finished(turn, 'Cancelled', 'Repairing', 'is replaced');
}

/** True when the restarted member accepts no known password again, for as long as calls for another restart. */
export function isLockedAgain({ nowMs }: ClusterObservation, node: NodeRecord, { podUID }: Roll): boolean {
  const { answer, pod } = node;
  if (!isLockedOut(node) || answer.kind !== 'silent' || pod?.uid === podUID) return false;
  return nowMs - answer.sinceMs >= LOCKED_PATIENCE_MS;
}

/** Ends a turn that would otherwise never end. The member serves clients that know its password, and what is done about
 *  it is decided anew. */
export function planLockedAgain(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { record, roll } = turn;
  if (node.removalMark !== undefined) return proceed(record, { steps: [{ kind: 'endRestart', node, serving: true }] });
  const outcome = roll.cause === 'Password' ? 'Failed' : 'Cancelled';
  return finished(turn, outcome, 'PasswordRefused', 'accepts no known password even after its restart');
}
