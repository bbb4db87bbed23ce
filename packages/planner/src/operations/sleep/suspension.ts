// Answers: one member is to be off its volume for a while, for repair by hand, or to come back: what is next? As in a
// turn of a rolling update it is drained, its records are seen on the other homes, and its Pod ends. Then nothing else
// is restarted, removed or updated until it is back and whole (docs/decisions/hibernation.md).

import type { Operation } from '@marekvs/api';
import { suspensionPreflight } from '../../evidence/preflight/preflight.ts';
import { isCarrying, isKnownSilent, isToldToLeave, runsInPod } from '../../members/member-state.ts';
import type { Membership } from '../../members/membership.ts';
import { needsReplacement } from '../../members/replacement.ts';
import { sharedFactor } from '../../members/shared-factor.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { type Hold, hold, shortMessageText, timeText } from '../../values/hold.ts';
import {
  begun,
  enteredMs,
  inPhase,
  none,
  type OperationPlan,
  operationId,
  proceed,
  rollOf,
  store,
  takeBack,
} from '../record.ts';
import { planCancelling } from '../removal/cancelling.ts';
import { gatherCopies, planRestarted } from '../rolling/turn.ts';
import { finished, planGivenUp } from '../rolling/turn-end.ts';
import { scopeOfTurn, type TurnScope } from '../rolling/turn-scope.ts';
import { graceSeconds, isAwayTooLong, startableUntilMs } from './grace.ts';

/** Prefix of the reason that a person gave: accepts that keys without another home are away meanwhile. */
const ACCEPTS_ONLY_COPY = 'only-copy/';

type Roll = NonNullable<Operation['roll']>;

/** Members that a person wants off their volumes, by id. */
export function askedToSuspend({ nodes }: Pick<ClusterObservation, 'nodes'>): readonly NodeRecord[] {
  return nodes.filter(({ suspendAsked }) => suspendAsked !== undefined);
}

/** Claims a suspension when no check blocks stopping that member now. */
export function planSuspend(o: ClusterObservation): OperationPlan {
  const [node, second] = askedToSuspend(o);
  if (node === undefined) return none();
  const missing = whatKeeps(o, node, second);
  if (missing !== undefined)
    return none(hold('SuspensionWaits', `stopping ${node.name} waits: ${missing.message}`, missing.needsPerson));
  const roll = rollOf(node, node.templateHash, 'Suspend');
  return store(begun(o, operationId(node, o), { type: 'Suspend', chosen: reasonOf(node), roll }));
}

function reasonOf({ suspendAsked = '' }: NodeRecord): string {
  const reason = suspendAsked.startsWith(ACCEPTS_ONLY_COPY)
    ? suspendAsked.slice(ACCEPTS_ONLY_COPY.length)
    : suspendAsked;
  return shortMessageText(reason.replace(/[\p{Cc}\s]+/gu, ' ').trim());
}

function whatKeeps(o: ClusterObservation, node: NodeRecord, second: NodeRecord | undefined): Hold | undefined {
  const { nodes, cluster } = o;
  if (second !== undefined && second.stopped !== undefined)
    return hold('OperationInProgress', `${second.name} is stopped, and only one may be at a time`);
  if (cluster.spec.hibernated) return hold('Hibernating', 'all members are to stop');
  if (needsReplacement(node)) return hold('MemberLeaving', `${node.name} is to leave the cluster`, true);
  const isAccepted = node.suspendAsked?.startsWith(ACCEPTS_ONLY_COPY) === true;
  if (sharedFactor(o) < 2 && !isAccepted)
    return hold(
      'ReplicationFactorOne',
      `with replicationFactor 1 nobody else has what ${node.name} holds, and its keys are away meanwhile: kubectl mkv suspend ${node.name} -n ${cluster.namespace} --only-copy accepts that`,
      true,
    );
  if (!isBroken(node)) return suspensionPreflight(o, node);
  const others = nodes.filter(({ uid }) => uid !== node.uid);
  const away = others.find((other) => !isCarrying(other) || needsReplacement(other));
  return away === undefined ? undefined : hold('MemberNotActive', `${away.name} is not up, or is to leave`);
}

/** The member cannot be asked: it serves no client, and is stopped as it is. */
function isBroken(node: NodeRecord): boolean {
  return !runsInPod(node) || isKnownSilent(node);
}

/** The next step of the stored operation. */
export function planSuspension(
  o: ClusterObservation,
  record: Operation,
  roll: Roll,
  membership: Membership,
  desired: number,
): OperationPlan {
  const scope = scopeOfTurn(o, record, roll, desired);
  if (record.phase === 'Cancelling') return planCancelling(scope, membership);
  const turn: TurnScope = { o, record, roll, scope, revision: roll.previous };
  const { node } = scope;
  if (node === undefined) return planGivenUp(turn, node);
  // It stays stopped and goes as it is: nothing starts it again.
  if (needsReplacement(node) && node.stopped !== undefined)
    return finished(turn, 'Cancelled', 'Repairing', 'is replaced and is not started again');
  if (needsReplacement(node)) return planGivenUp(turn, node);
  switch (record.phase) {
    case 'Stopping':
    case 'Suspended':
      return node.suspendAsked === undefined ? planResuming(turn, node) : planStopped(turn, node);
    case 'Restarting':
    case 'CatchingUp':
      return planComing(turn, node);
    default:
      return planSettingOut(turn, node);
  }
}

/** The member still runs. */
function planSettingOut(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record } = turn;
  if (node.suspendAsked === undefined) {
    if (!isToldToLeave(node)) return finished(turn, 'Cancelled', 'CancelledByUser', 'stays as it is');
    return takeBack(turn, { reason: 'CancelledByUser', message: 'it shall run' });
  }
  if (isBroken(node)) return store(inPhase(record, 'Stopping', o.nowMs));
  if (node.intent === 'Active') return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  const { waiting, missing, contents } = gatherCopies(turn, node);
  if (waiting === undefined || missing === undefined) return store(inPhase(record, 'Stopping', o.nowMs), contents);
  const { update, removal } = o.cluster.spec;
  const limitSeconds = update.progressDeadlineSeconds + removal.clientGraceSeconds;
  if (o.nowMs - Date.parse(record.startedAt) <= limitSeconds * 1000)
    return proceed(waiting, { waits: missing, contents });
  const message = `not ready to be stopped within ${limitSeconds} s: ${missing.message}`;
  return takeBack(turn, { reason: 'DeadlineExceeded', message });
}

/** Ends the Pod; no new one is made. */
function planStopped({ o, record }: TurnScope, node: NodeRecord): OperationPlan {
  if (node.stopped !== 'Suspended') return proceed(record, { steps: [{ kind: 'stopNode', node, how: 'Suspended' }] });
  if (record.phase === 'Suspended') return proceed(record, {});
  if (node.pod?.ownerUid === node.uid)
    return proceed(record, { waits: hold('Suspending', `the Pod of ${node.name} ends`) });
  return store(inPhase(record, 'Suspended', o.nowMs));
}

/** The member is to run again on its volume, as long as no deletion can have been forgotten since. */
function planResuming({ o, record }: TurnScope, node: NodeRecord): OperationPlan {
  const tooLong = tooLongHold(o, record, node);
  if (tooLong !== undefined) return proceed(record, { waits: tooLong });
  return store(inPhase(record, 'Restarting', o.nowMs));
}

function planComing(turn: TurnScope, node: NodeRecord): OperationPlan {
  const { o, record } = turn;
  // Suspension is wanted again before it serves, since it does not come up. The time since it was stopped goes on.
  if (node.suspendAsked !== undefined && !node.serving) return store(inPhase(record, 'Suspended', o.nowMs));
  // No operator may have run since it was to be started.
  const late = node.stopped === undefined ? undefined : tooLongHold(o, record, node);
  if (late !== undefined) return proceed(record, { waits: late });
  if (node.stopped !== undefined || node.intent !== 'Active')
    return proceed(record, { steps: [{ kind: 'resumeNode', node, operationId: record.id }] });
  return planRestarted(turn, node);
}

/** Why the member is not started as it is (docs/design/server.md#h4). */
function tooLongHold(o: ClusterObservation, record: Operation, node: NodeRecord): Hold | undefined {
  const sinceMs = awaySinceMs(record, node);
  if (!isAwayTooLong(o, sinceMs)) return undefined;
  const message = `${node.name} has been away since ${clock(sinceMs)}, and the others remember deletions for ${graceSeconds(o)} s: it is not started as it is. Let a new node take its place: kubectl mkv replace ${node.name} -n ${o.cluster.namespace}`;
  return hold('SuspendedTooLong', message, true);
}

/** Since when the member has been away, which may be before it was stopped. */
function awaySinceMs(record: Operation, node: NodeRecord): number {
  const stoppedMs = enteredMs(record, 'Stopping') ?? Number.NaN;
  return Math.min(stoppedMs, node.lastActiveAtMs ?? stoppedMs);
}

function clock(ms: number): string {
  return Number.isFinite(ms) ? timeText(ms) : 'an unknown time';
}

/** What a person should read first about a cluster with a member that is stopped, being stopped, or coming back. */
export function suspensionHold(o: ClusterObservation, record: Operation): Hold {
  const { roll, phase, chosen = '' } = record;
  const node = o.nodes.find(({ uid }) => uid === roll?.uid);
  const name = roll?.name ?? 'a member';
  const how = `kubectl mkv resume-member ${name} -n ${o.cluster.namespace}`;
  const who = chosen === '' ? '' : ` (${chosen})`;
  if (phase === 'Suspended' && node !== undefined) {
    const tooLong = tooLongHold(o, record, node);
    if (node.suspendAsked === undefined && tooLong !== undefined) return tooLong;
    const until = timeText(startableUntilMs(o, awaySinceMs(record, node)));
    const since = clock(enteredMs(record, 'Stopping') ?? Number.NaN);
    const text =
      tooLong === undefined
        ? `${how}, before ${until}`
        : `too long to be started again as it is: kubectl mkv replace ${name} -n ${o.cluster.namespace}`;
    return hold(
      'Suspended',
      `${name} is stopped for repair by hand since ${since}${who}, nothing else is restarted or removed: ${text}`,
    );
  }
  if (phase === 'Restarting' || phase === 'CatchingUp' || phase === 'Cancelling')
    return hold('Repairing', `${name} comes back after it was stopped for repair by hand${who}`);
  return hold('Suspending', `${name} is being stopped for repair by hand${who}; ${how} takes it back`);
}
