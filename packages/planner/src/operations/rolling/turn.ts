// One member's turn of a rolling update. It leaves the Service, its records are seen on the other homes, its Pod is
// recreated with the changed template, and it rejoins and gets every record of the others. Then the next one's turn
// comes. Progress follows from the world, not from the record, so that a new process goes on where the last one was.

import type { Operation } from '@marekvs/api';
import type { ComparisonRequest } from '../../contents/request.ts';
import { ISOLATION_PATIENCE_MS } from '../../evidence/isolation.ts';
import {
  hasReadyPod,
  isActiveMember,
  isBehindService,
  isHeldOut,
  isKnownSilent,
  isLockedOut,
  runsInPod,
} from '../../members/member-state.ts';
import type { Membership } from '../../members/membership.ts';
import { isAwayForNow, needsReplacement } from '../../members/replacement.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { type Hold, hold } from '../../values/hold.ts';
import { othersThan } from '../mending/locked-out.ts';
import { enteredMs, inPhase, type OperationPlan, proceed, takeBack } from '../record.ts';
import { gatherAmong } from '../removal/after.ts';
import { gatherBefore, graceOf, isOfIsolation } from '../removal/before.ts';
import { planCancelling } from '../removal/cancelling.ts';
import { comparisonFor, membersOf, notYetCovered } from '../scope.ts';
import {
  doneText,
  isForTemplate,
  isMove,
  isNeededAnyway,
  keepsTemplate,
  needlessFrom,
  undoneMeanwhile,
} from './turn-cause.ts';
import { finished, isLockedAgain, planFailed, planGivenUp, planLockedAgain, stoppedAt } from './turn-end.ts';
import { isMeshDoubtful, turnFailure } from './turn-failure.ts';
import { type Roll, scopeOfTurn, type TurnScope } from './turn-scope.ts';

/** A failed member has to be back within two minutes; a restart takes half a minute of them. */
const BACK_PATIENCE_MS = 30_000;

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
  if (node.intent !== 'Active') return planLeaving(turn, node);
  const isRestarted = node.removalMark === record.id || node.pod?.uid !== roll.podUID;
  return isRestarted ? planRestarted(turn, node) : planBegin(turn, node);
}

/** Nothing has been done to the member yet. */
function planBegin(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record, revision, roll } = turn;
  const needless = needlessFrom(turn, node);
  if (needless !== undefined) return finished(turn, 'Cancelled', 'CancelledByUser', needless);
  // A member that does not run takes up the template by itself.
  if (!runsInPod(node) || (isKnownSilent(node) && !isLockedOut(node)))
    return finished(turn, 'Cancelled', 'MemberSilent', 'does not run any more');
  if (!isMove(roll) && o.cluster.rollout.isPaused)
    return finished(turn, 'Cancelled', 'RolloutPaused', 'stays as it is for now');
  // It has no clients, and brings back from its volume what only it has.
  if (isForTemplate(roll) && isHeldOut(node))
    return proceed(record, { steps: [{ kind: 'restartNode', node, revision, operationId: record.id }] });
  return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
}

/** The member was told to leave: from here on only a restart brings it back, with one template or the other. */
function planLeaving(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record, revision, roll } = turn;
  if (record.phase === 'RollingBack' && !isMove(roll)) return planLeavingBack(turn, node);
  const { name } = node;
  const undone = undoneMeanwhile(turn, node);
  if (undone !== undefined) return takeBack(turn, { reason: 'CancelledByUser', message: undone });
  const { waiting, missing, contents } = gatherCopies(turn, node);
  const { progressDeadlineSeconds } = o.cluster.spec.update;
  const isLate = o.nowMs - Date.parse(record.startedAt) > progressDeadlineSeconds * 1000;
  // Taking it back would be the same restart, which loses nothing on its own volume; without it the member stays locked
  // or drained.
  const isAnyway = isLate && isNeededAnyway(roll);
  if (waiting !== undefined && missing !== undefined && !isAnyway) {
    if (!isLate) return proceed(waiting, { waits: missing, contents });
    const why = `not ready to be restarted within ${progressDeadlineSeconds} s: ${missing.message}`;
    const given = takeBack(turn, { reason: 'DeadlineExceeded', message: why });
    if (isMove(roll)) return given;
    return { ...given, stopped: stoppedAt(o, node, hold('DeadlineExceeded', `${name} was ${why}`)) };
  }
  return proceed(inPhase(record, 'Proving', o.nowMs), {
    steps: [{ kind: 'restartNode', node, revision, operationId: record.id }],
    contents,
  });
}

/** The member served clients before it failed: what they wrote is copied to the others first. When those do not
 *  understand it, the data is on its volume, and the member brings it to them after the restart. */
function planLeavingBack(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record, revision } = turn;
  const { missing, contents } = gatherCopies(turn, node);
  const beganMs = enteredMs(record, 'RollingBack') ?? Date.parse(record.startedAt);
  if (missing !== undefined && o.nowMs - beganMs <= BACK_PATIENCE_MS)
    return proceed(record, { waits: missing, contents });
  return proceed(record, { steps: [{ kind: 'restartNode', node, revision, operationId: record.id }], contents });
}

/** Checks that everything the member has is on its other homes. With replicationFactor 1 no other member has its data,
 *  which stays on its volume. */
export function gatherCopies(
  { o, record, scope }: Pick<TurnScope, 'o' | 'record' | 'scope'>,
  node: NodeRecord,
): {
  /** The record while something is missing, and what is; undefined when nothing is. */
  readonly waiting?: Operation;
  readonly missing?: Hold | undefined;
  readonly contents: ComparisonRequest | undefined;
} {
  // The others take over what a member homes that is stopped for a while.
  const { evidence, contents } = gatherBefore(scope, node, record.type === 'Roll' ? 'Restarting' : 'Sealing');
  // Not counted from the start of the turn: another process may have begun it, and got no further for as long.
  const patienceMs = Math.max(ISOLATION_PATIENCE_MS, graceOf(o, record));
  const isPatienceOver = o.isolatedSinceMs !== undefined && o.monotonicMs - o.isolatedSinceMs > patienceMs;
  const isIsolating = evidence.checks.some(({ name, passed }) => isOfIsolation(name) && !passed);
  if (isIsolating && !isPatienceOver)
    return { waiting: inPhase(record, 'Isolating', o.nowMs), missing: evidence.missing, contents };
  if (scope.replicationFactor < 2 || evidence.isProven) return { contents };
  const proving = inPhase(record, 'Proving', o.nowMs);
  if (!isIsolating) return { waiting: proving, missing: evidence.missing, contents };
  const request = comparisonFor(scope, 'removal', membersOf(scope, node));
  const missing = notYetCovered(o, request);
  return missing === undefined ? { contents: request } : { waiting: proving, missing, contents: request };
}

/** The Pod ends and is recreated; the member joins, serves, and gets what it has missed. */
export function planRestarted(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record, revision, roll, scope } = turn;
  if (isPermitVoid(turn, node)) return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  const isServing = node.serving && node.removalMark === undefined;
  const isGoingBack = record.phase === 'RollingBack' && !isMove(roll) && node.templateHash !== revision;
  if (isServing && isGoingBack) return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  const phase = record.phase === 'RollingBack' ? 'RollingBack' : isServing ? 'CatchingUp' : 'Restarting';
  const entered = inPhase(record, phase, o.nowMs);
  // The template has changed again: the member restarts, unless it is Active and well. Then cluster-aware clients write
  // to it, and its turn goes on until the others are seen to have those writes.
  const isInUse = isServing || (phase !== 'RollingBack' && isActiveMember(node));
  if (!isInUse && node.templateHash !== revision)
    return proceed(entered, { steps: [{ kind: 'restartNode', node, revision, operationId: record.id }] });
  if (isLockedAgain(o, node, roll)) return planLockedAgain({ ...turn, record: entered }, node);
  // The comparison begins as soon as all show each other and stays connected until the end: a member that has counted
  // us for that long tells soonest how many others are connected to it.
  const how = { excusedUids: othersThan(o, node), purpose: 'CatchingUp' } as const;
  const { evidence, contents: compared } = gatherAmong(scope, membersOf(scope, node), true, how);
  const contents = isMeshDoubtful(o, node, evidence) ? undefined : compared;
  const sinceMs = enteredMs(entered, phase) ?? Date.parse(record.startedAt);
  // With the same template, only the new host can be the problem, and there is nothing to go back to.
  const failure = keepsTemplate(roll) ? undefined : turnFailure(o, node, sinceMs, evidence);
  if (failure !== undefined) return planFailed({ ...turn, record: entered }, node, failure);
  const around = evidence.checks.find(({ name, passed }) => name !== 'contents' && !passed)?.hold;
  if (around !== undefined || !isCurrent(node, roll))
    return proceed(entered, { waits: around ?? hold('Repairing', `${node.name} is being restarted`), contents });
  if (!isServing) return proceed(entered, { steps: [{ kind: 'endRestart', node, serving: true }], contents });
  // The next member leaves the Service only when this one is back in it.
  if (!isBehindService(node))
    return proceed(entered, { waits: hold('Repairing', `${node.name} is being let in to clients`), contents });
  if (!evidence.isProven) return proceed(entered, { waits: evidence.missing, contents });
  const done = { ...turn, record: entered };
  if (roll.cause === 'Suspend')
    return finished(done, 'Succeeded', 'Resumed', 'is back on its volume, and has every record');
  if (roll.cause === 'Password') return finished(done, 'Succeeded', 'PasswordApplied', doneText(done));
  if (roll.cause === 'Drained') return finished(done, 'Succeeded', 'DrainedFromOutside', doneText(done));
  if (record.phase === 'RollingBack' && !isMove(roll))
    return finished(done, 'Failed', 'RolledBack', `is back on revision ${revision}: ${record.cancel?.message ?? ''}`);
  return finished(done, 'Succeeded', isMove(roll) ? 'MovedOff' : 'RolledOut', doneText(done));
}

/** True when another member has gone down since this one was compared, and this one has not been restarted yet: it may
 *  be the only one to have what is written until the other is back. It is told to leave and compared once more. */
function isPermitVoid({ record, roll, scope }: TurnScope, node: NodeRecord): boolean {
  const { pod, templateHash } = node;
  if (pod === undefined || pod.isTerminating || record.phase === 'RollingBack') return false;
  // Or it is up in its new Pod, and the template has changed again.
  const isUnused = pod.uid === roll.podUID ? pod.isLeaving : pod.templateHash !== templateHash && isActiveMember(node);
  return isUnused && scope.others.some(isAwayForNow);
}

/** The running Pod is the new one. The old Pod may have the same template, with other resources. */
function isCurrent({ pod, templateHash }: NodeRecord, { podUID }: Roll): boolean {
  return pod?.templateHash === templateHash && pod.uid !== podUID && hasReadyPod({ pod });
}
