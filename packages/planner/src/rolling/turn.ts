// One member's turn of a rolling update. Out of the clients' way, its records are on the other homes, its Pod is made
// again on its volume with the changed template, it is one of the others again, and every record of the others is on
// it: then the next one. How far it is follows from the world, not from the record, so that a process that starts in
// the middle goes on where the last one was.

import type { LastOperation, Operation, Reason } from '@marekvs/api';
import type { ComparisonRequest } from '../contents/request.ts';
import { type Hold, hold } from '../hold.ts';
import { isToLeave, planNextMove } from '../hosts/moving.ts';
import { isActiveMember, isBehindService, isKnownSilent, isLockedOut, runsInPod } from '../member-state.ts';
import type { Membership } from '../membership.ts';
import type { ClusterObservation, NodeRecord } from '../observation.ts';
import { gatherAmong } from '../removal/after.ts';
import { gatherBefore } from '../removal/before.ts';
import { planCancelling } from '../removal/cancelling.ts';
import type { Evidence } from '../removal/evidence.ts';
import { comparisonFor, membersOf, notYetCovered, type RemovalScope } from '../removal/facts.ts';
import { CLIENT_PATIENCE_MS } from '../removal/isolation.ts';
import { cancelled, closed, enteredMs, inPhase } from '../removal/record.ts';
import { needsReplacement, survivorsOf } from '../removal/replacement.ts';
import { end, type OperationPlan, proceed, store } from '../removal/step.ts';
import { sharedFactor } from '../shared-factor.ts';
import { shortMessageText } from '../status-text.ts';
import { timeText } from '../time-text.ts';
import { isVolumeRestartDue } from '../volumes/claim-change.ts';
import { isMeshDoubtful, turnFailure } from './failure.ts';
import { LOCKED_PATIENCE_MS, othersThan, planUnlocking } from './locked-out.ts';
import { planNextTurn } from './next-turn.ts';
import { isKept, isUpdated, stoppedUpdate } from './revisions.ts';
import type { StoppedUpdate } from './stopped-update.ts';

/** A member that failed is back within two minutes: a restart takes half a minute of them. */
const BACK_PATIENCE_MS = 30_000;

type Roll = NonNullable<Operation['roll']>;

export interface TurnScope {
  readonly o: ClusterObservation;
  readonly record: Operation;
  readonly roll: Roll;
  /** The same questions as in a removal are asked of it. */
  readonly scope: RemovalScope;
  /** What the Pod shall be made from. */
  readonly revision: string;
}

/** The next step of the stored turn. */
export function planTurn(
  o: ClusterObservation,
  record: Operation,
  roll: Roll,
  membership: Membership,
  desired: number,
): OperationPlan {
  const scope = scopeOfTurn(o, record, roll, desired);
  if (record.phase === 'Cancelling') return planCancelling(scope, membership);
  const isSameTemplate = record.phase === 'RollingBack' || keepsTemplate(roll);
  const revision = isSameTemplate ? roll.previous : o.cluster.templateHash;
  const turn: TurnScope = { o, record, roll, scope, revision };
  const { node } = scope;
  if (node === undefined || needsReplacement(node)) return planGivenUp(turn, node);
  if (node.intent === 'Leaving') return planLeaving(turn, node);
  const isRestarted = node.removalMark === record.id || node.pod?.uid !== roll.podUID;
  return isRestarted ? planRestarted(turn, node) : planBegin(turn, node);
}

/** Nothing has been done to the member yet. */
function planBegin(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record, roll } = turn;
  const needless = needlessFrom(turn, node);
  if (needless !== undefined) return finished(turn, 'Cancelled', 'CancelledByUser', needless);
  // It takes up the template by itself.
  if (!runsInPod(node) || (isKnownSilent(node) && !isLockedOut(node)))
    return finished(turn, 'Cancelled', 'MemberSilent', 'does not run any more');
  if (!isMove(roll) && o.cluster.rollout.isPaused)
    return finished(turn, 'Cancelled', 'RolloutPaused', 'stays as it is for now');
  return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
}

/** It was told to leave: from here on only a restart brings it back, with one template or the other. */
function planLeaving(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record, revision, roll } = turn;
  if (record.phase === 'RollingBack' && !isMove(roll)) return planLeavingBack(turn, node);
  const { name } = node;
  const undone = undoneMeanwhile(turn, node);
  if (undone !== undefined) return store(cancelled(record, 'CancelledByUser', undone, o.nowMs));
  const { waiting, missing, contents } = gatherCopies(turn, node);
  const { progressDeadlineSeconds } = o.cluster.spec.update;
  const isLate = o.nowMs - Date.parse(record.startedAt) > progressDeadlineSeconds * 1000;
  // Taking it back is the same restart, which loses nothing on its own volume, and it stays locked otherwise.
  const isAnyway = isLate && roll.cause === 'Password';
  if (waiting !== undefined && missing !== undefined && !isAnyway) {
    if (!isLate) return proceed(waiting, { waits: missing, contents });
    const why = `not ready to be restarted within ${progressDeadlineSeconds} s: ${missing.message}`;
    const given = store(cancelled(record, 'DeadlineExceeded', why, o.nowMs));
    if (isMove(roll)) return given;
    return { ...given, stopped: stoppedAt(o, node, hold('DeadlineExceeded', `${name} was ${why}`)) };
  }
  return proceed(inPhase(record, 'Proving', o.nowMs), {
    steps: [{ kind: 'restartNode', node, revision, operationId: record.id }],
    contents,
  });
}

/** It was let in to clients before it failed: what they wrote to it is on the others first, unless those do not
 *  understand it. Then its volume has it, and what it is restarted with brings it to them. */
function planLeavingBack(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record, revision } = turn;
  const { missing, contents } = gatherCopies(turn, node);
  const beganMs = enteredMs(record, 'RollingBack') ?? Date.parse(record.startedAt);
  if (missing !== undefined && o.nowMs - beganMs <= BACK_PATIENCE_MS)
    return proceed(record, { waits: missing, contents });
  return proceed(record, { steps: [{ kind: 'restartNode', node, revision, operationId: record.id }], contents });
}

/** Whether everything it has is on its other homes. With one copy of everything nobody else has it,
 *  and it stays on its volume. */
export function gatherCopies(
  { o, record, scope }: Pick<TurnScope, 'o' | 'record' | 'scope'>,
  node: NodeRecord,
): {
  /** The record while something is missing, and what; undefined when nothing is. */
  readonly waiting?: Operation;
  readonly missing?: Hold | undefined;
  readonly contents: ComparisonRequest | undefined;
} {
  const { evidence, contents } = gatherBefore(scope, node);
  // Not from the start of the turn: another process may have begun it, and got no further for as long.
  const isPatienceOver = o.isolatedSinceMs !== undefined && o.monotonicMs - o.isolatedSinceMs > CLIENT_PATIENCE_MS;
  const isIsolating = evidence.checks.some((check) => isOfClients(check.name) && !check.passed);
  if (isIsolating && !isPatienceOver)
    return { waiting: inPhase(record, 'Isolating', o.nowMs), missing: evidence.missing, contents };
  if (scope.replicationFactor < 2 || evidence.isProven) return { contents };
  const proving = inPhase(record, 'Proving', o.nowMs);
  if (!isIsolating) return { waiting: proving, missing: evidence.missing, contents };
  const request = comparisonFor(scope, 'removal', membersOf(scope, node));
  const missing = notYetCovered(o, request);
  return missing === undefined ? { contents: request } : { waiting: proving, missing, contents: request };
}

function isOfClients(name: Evidence['checks'][number]['name']): boolean {
  return name === 'noPrimaries' || name === 'noClients' || name === 'inputFlat';
}

/** Its Pod ends, is made again, joins, serves, and gets what it has missed. */
export function planRestarted(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record, revision, roll, scope } = turn;
  const isServing = node.serving && node.removalMark === undefined;
  const isGoingBack = record.phase === 'RollingBack' && !isMove(roll) && node.templateHash !== revision;
  if (isServing && isGoingBack) return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  const phase = record.phase === 'RollingBack' ? 'RollingBack' : isServing ? 'CatchingUp' : 'Restarting';
  const entered = inPhase(record, phase, o.nowMs);
  // Changed again meanwhile: it starts anew, unless it is Active again and well. Then clients that know homes write to
  // it, and its turn goes on to the end, where the others are seen to have that.
  const isInUse = isServing || (phase !== 'RollingBack' && isActiveMember(node));
  if (!isInUse && node.templateHash !== revision)
    return proceed(entered, { steps: [{ kind: 'restartNode', node, revision, operationId: record.id }] });
  if (isLockedAgain(o, node, roll)) return planLockedAgain({ ...turn, record: entered }, node);
  // Begun as soon as all show each other, and connected until the end: a member that counts us for as long tells
  // soonest how many others are connected to it.
  const { evidence, contents: compared } = gatherAmong(scope, membersOf(scope, node), true, othersThan(o, node));
  const contents = isMeshDoubtful(o, node, evidence) ? undefined : compared;
  const sinceMs = enteredMs(entered, phase) ?? Date.parse(record.startedAt);
  // The template is the one it ran with: what keeps it now is its new host, and there is nothing to go back to.
  const failure = keepsTemplate(roll) ? undefined : turnFailure(o, node, sinceMs, evidence);
  if (failure !== undefined) return planFailed({ ...turn, record: entered }, node, failure);
  const around = evidence.checks.find(({ name, passed }) => name !== 'contents' && !passed)?.hold;
  if (around !== undefined || !isCurrent(node, roll))
    return proceed(entered, { waits: around ?? hold('Repairing', `${node.name} is being restarted`), contents });
  if (!isServing) return proceed(entered, { steps: [{ kind: 'endRestart', node, serving: true }], contents });
  // The next one leaves the clients' way only when this one is in it.
  if (!isBehindService(node))
    return proceed(entered, { waits: hold('Repairing', `${node.name} is being let in to clients`), contents });
  if (!evidence.isProven) return proceed(entered, { waits: evidence.missing, contents });
  const done = { ...turn, record: entered };
  if (roll.cause === 'Suspend')
    return finished(done, 'Succeeded', 'Resumed', 'is back on its volume, and has every record');
  if (roll.cause === 'Password') return finished(done, 'Succeeded', 'PasswordApplied', doneText(done));
  if (record.phase === 'RollingBack' && !isMove(roll))
    return finished(done, 'Failed', 'RolledBack', `is back on revision ${revision}: ${record.cancel?.message ?? ''}`);
  return finished(done, 'Succeeded', isMove(roll) ? 'MovedOff' : 'RolledOut', doneText(done));
}

/** It starts with what it ran with: on another host, with the password of its Secret, or after a repair by hand. */
function keepsTemplate(roll: Roll): boolean {
  return isMove(roll) || roll.cause === 'Suspend' || roll.cause === 'Password';
}

/** Its host is being drained. What it is restarted with is what it has. */
function isMove({ leaves }: Roll): boolean {
  return leaves !== undefined;
}

/** For its host, for the sake of its volume or its password whatever its template, or to take up a template. */
function causeOf({ leaves, cause }: Roll): { readonly leaves: string } | 'Volume' | 'Password' | 'Template' {
  if (leaves !== undefined) return { leaves };
  return cause === 'Volume' || cause === 'Password' ? cause : 'Template';
}

/** Nothing has been done yet, and nothing has to be: why; undefined when it has to. */
function needlessFrom({ o, roll, revision }: TurnScope, node: NodeRecord): string | undefined {
  const cause = causeOf(roll);
  if (cause === 'Template') return isUpdated(node, revision) ? 'has the template that is asked for' : undefined;
  if (cause === 'Password') return isLockedOut(node) ? undefined : 'needs no restart for its password any more';
  if (cause !== 'Volume')
    return isToLeave(o, node, cause.leaves) ? undefined : 'is not on a host that is being drained any more';
  const isDue = !isUpdated(node, revision) || isVolumeRestartDue(node, o.nowMs);
  return isDue ? undefined : 'has the size of its volume without a restart';
}

/** It was told to leave, and what that was for is not asked for any more: why; undefined when it still is. */
function undoneMeanwhile({ o, roll, revision }: TurnScope, node: NodeRecord): string | undefined {
  const cause = causeOf(roll);
  // A volume that has grown stays so. And who was told to leave has to be restarted by now.
  if (cause === 'Volume' || cause === 'Password') return undefined;
  if (cause === 'Template') return revision === roll.previous ? 'its template is asked for again' : undefined;
  return isToLeave(o, node, cause.leaves) ? undefined : 'its host is not drained any more';
}

function doneText({ roll, revision }: TurnScope): string {
  const cause = causeOf(roll);
  if (cause === 'Template') return `has revision ${revision} and every record`;
  if (cause === 'Volume') return 'was restarted for its volume, and has every record';
  if (cause === 'Password') return 'was restarted, takes the password of the spec, and has every record';
  return `has left host ${cause.leaves}, and has every record`;
}

/** It was started anew and takes no password that is known all the same, for as long as would have it restarted. */
function isLockedAgain({ nowMs }: ClusterObservation, node: NodeRecord, { podUID }: Roll): boolean {
  const { answer, pod } = node;
  if (!isLockedOut(node) || answer.kind !== 'silent' || pod?.uid === podUID) return false;
  return nowMs - answer.sinceMs >= LOCKED_PATIENCE_MS;
}

/** Its turn would never end. It serves those who know what it wants, and what is done about it is decided anew. */
function planLockedAgain(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { record, roll } = turn;
  if (node.removalMark !== undefined) return proceed(record, { steps: [{ kind: 'endRestart', node, serving: true }] });
  const outcome = roll.cause === 'Password' ? 'Failed' : 'Cancelled';
  return finished(turn, outcome, 'PasswordRefused', 'takes no password that is known since it was restarted');
}

/** The Pod that runs is the one it shall have. The one of before may be of the same template, with other resources. */
function isCurrent({ pod, templateHash }: NodeRecord, { podUID }: Roll): boolean {
  return pod?.templateHash === templateHash && pod.uid !== podUID && pod.isReady && !pod.isTerminating;
}

/** No further member is restarted. This one goes back to what it had, once; where that is not wanted or not
 *  known, it stays as it is. */
function planFailed(turn: TurnScope, node: NodeRecord, failure: Hold): OperationPlan {
  const { o, record, roll, revision } = turn;
  const isRollingBack = record.phase === 'RollingBack';
  // It goes back from a template that is not asked for any more: the one that is has failed nowhere.
  const isOfBefore = isRollingBack && stoppedUpdate(o.cluster) === undefined;
  const stopped = isOfBefore ? undefined : stoppedAt(o, node, failure);
  if (
    !isRollingBack &&
    o.cluster.spec.update.rollbackOnFailure &&
    revision !== roll.previous &&
    isKept(o, roll.previous)
  ) {
    const back = {
      ...inPhase(record, 'RollingBack', o.nowMs),
      cancel: { reason: failure.reason, message: failure.message },
    };
    return { ...store(back), stopped };
  }
  if (node.removalMark !== undefined)
    return { ...proceed(record, { steps: [{ kind: 'endRestart', node, serving: false }] }), stopped };
  const why = isRollingBack
    ? `did not come back with revision ${revision} either: ${failure.message}`
    : failure.message;
  return { ...finished(turn, 'Failed', isOfBefore ? failure.reason : 'RolloutStopped', why), stopped };
}

function stoppedAt(o: ClusterObservation, { name, uid }: NodeRecord, { reason, message }: Hold): StoppedUpdate {
  const known = o.cluster.update?.stopped;
  const at = known?.nodeUID === uid ? known.at : timeText(o.nowMs);
  return { node: name, nodeUID: uid, reason, message: shortMessageText(message), at };
}

/** It has to go, or is gone: that is repaired first. */
export function planGivenUp(turn: TurnScope, node: NodeRecord | undefined): OperationPlan {
  const { o, record } = turn;
  if (node !== undefined && (node.intent === 'Leaving' || node.pod?.isLeaving === true))
    return store(cancelled(record, 'Repairing', 'it has to go', o.nowMs));
  if (node?.removalMark !== undefined) return proceed(record, { steps: [{ kind: 'endRestart', node, serving: true }] });
  return finished(turn, 'Cancelled', 'Repairing', 'is replaced');
}

/** The end of this turn, and the beginning of the next one in the same write. */
export function finished(
  { o, record, roll }: TurnScope,
  outcome: LastOperation['outcome'],
  reason: Reason,
  what: string,
): OperationPlan {
  const ended = closed(record, { outcome, reason, message: `${roll.name} ${what}` }, o.nowMs);
  if (outcome !== 'Succeeded' || o.cluster.spec.hibernated) return end(ended);
  const after = { ...o, cluster: { ...o.cluster, operation: undefined, lastOperation: ended } };
  const move = planNextMove(after);
  const next = planUnlocking(after) ?? (move.operation === undefined ? planNextTurn(after) : move);
  return { ...end(ended), operation: next.operation };
}

export function scopeOfTurn(o: ClusterObservation, record: Operation, roll: Roll, desired: number): RemovalScope {
  return {
    o,
    record,
    desired,
    target: roll,
    node: o.nodes.find(({ uid }) => uid === roll.uid),
    others: survivorsOf(o, roll),
    replicationFactor: sharedFactor(o),
  };
}
