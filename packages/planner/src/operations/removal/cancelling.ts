// Cancelling: the target takes its place back, restarted on its volume (the only way out of Leaving) or recreated from
// the kept one. It is restarted, with its door open, once the others have what it has. The phase ends when every member
// shows it Active.

import { isReason, type LastOperation, type Operation, REASONS, type Reason } from '@marekvs/api';
import { witnessesOf } from '../../evidence/answers.ts';
import { ISOLATION_PATIENCE_MS, isolationOf, RESTART_GRACE_MS } from '../../evidence/isolation.ts';
import { isHostGivenUp } from '../../hosts/lost-hosts.ts';
import { isJoiningLate } from '../../members/joining-late.ts';
import {
  hasPast,
  isActiveMember,
  isAnswering,
  isAskedToLeave,
  isLockedOut,
  isUnforeseen,
  mayHaveProcess,
} from '../../members/member-state.ts';
import { agreeOnMembership, type Membership } from '../../members/membership.ts';
import {
  cannotComeBack,
  forcedReason,
  isLostForGood,
  isOnLostHost,
  needsReplacement,
} from '../../members/replacement.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterStep } from '../../steps/cluster-step.ts';
import { revisionForStart } from '../../templates/revisions.ts';
import { cannotRun } from '../../templates/template-without-turn.ts';
import { hold } from '../../values/hold.ts';
import { closed, end, enteredMs, type OperationPlan, proceed } from '../record.ts';
import { isGoneTooLong, keptVolume } from '../roll-back.ts';
import { begun, comparisonFor, notYetCovered, type RemovalScope } from '../scope.ts';

export function planCancelling(scope: RemovalScope, known: Membership): OperationPlan {
  const { o, record, target } = scope;
  // A member that accepts none of our passwords is restarted only after this, so it must not be waited for here.
  const membership = known.kind === 'unknown' ? agreeOnMembership(o.nodes.filter((one) => !isLockedOut(one))) : known;
  // By id: after a roll-back the node is another object on the same volume.
  const node = o.nodes.find((candidate) => candidate.id === target.nodeId);
  if (node === undefined) return planReturn(scope);
  if (isLostForGood(o, node) || isHostGivenUp(o, node) || isOnLostHost(o, node))
    return end(ending(scope, 'VolumeLost', 'Cancelled'));
  // It is drained and compared like any other before its restart.
  if (isUnforeseen(node) && !cannotComeBack(node))
    return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  const blocked = untilOthersHaveAll(scope, node);
  if (blocked !== undefined) return blocked;
  const corrected = planCorrected(scope, node);
  if (corrected !== undefined) return corrected;
  const steps = backSteps(node, membership);
  if (steps.length > 0) return proceed(record, { steps });
  // It is replaced instead.
  if (cannotComeBack(node)) return end(ending(scope, 'VolumeLost', 'Cancelled'));
  if (isUntouched(node, record)) return end(ending(scope, reasonOf(record.cancel?.reason), 'Cancelled'));
  if (!isBack(node, membership)) {
    // A person does not wait for it any more.
    if (forcedReason(node) !== undefined) return end(ending(scope, 'Forced', 'Cancelled'));
    const message = `${node.name} comes back: waiting until every member shows it`;
    return proceed(record, { waits: hold('Repairing', message) });
  }
  const reason = reasonOf(record.cancel?.reason);
  return end(ending(scope, reason, REASONS[reason].ends === 'undone' ? 'Failed' : 'Cancelled'));
}

/** A member that was given a template in its turn with which it does not come back gets a corrected one: nothing else
 *  reaches it before its operation is over. It does not run, or is the home of nothing, and it keeps its volume. */
function planCorrected({ o, record }: RemovalScope, node: NodeRecord): OperationPlan | undefined {
  const { pod, removalMark, templateHash, name } = node;
  if (record.roll === undefined || pod === undefined || pod.isTerminating || pod.isLeaving) return undefined;
  if (!isJoiningLate(o, node) && !cannotRun(node, o.nowMs)) return undefined;
  const revision = revisionForStart(o, node);
  if (templateHash !== revision)
    return proceed(record, { steps: [{ kind: 'restartNode', node, revision, operationId: record.id }] });
  const isRestarted = removalMark === undefined || pod.templateHash === templateHash;
  return isRestarted ? undefined : proceed(record, { waits: hold('Repairing', `${name} is being restarted`) });
}

/** A comparison that cannot end must not keep a member drained for ever. The restart is on its own volume, which loses
 *  nothing. */
const COMPARING_PATIENCE_MS = 120_000;

/** While its process is away, what only this member has cannot be read: its restart waits until no client is sent to it
 *  any more and the others have all of it. Undefined when there is nothing to wait for. */
function untilOthersHaveAll(scope: RemovalScope, node: NodeRecord): OperationPlan | undefined {
  const { o, record } = scope;
  const isToBeRestarted = node.intent !== 'Active' && node.pod?.isLeaving === true && mayHaveProcess(node);
  // Another process may have decided this long ago, and a person may have ended the Pod since.
  const decidedMs = o.nowMs - (enteredMs(record, 'Cancelling') ?? Number.NEGATIVE_INFINITY);
  const waitedMs = Math.min(decidedMs, o.monotonicMs - (o.isolatedSinceMs ?? o.monotonicMs));
  if (!isToBeRestarted || waitedMs > COMPARING_PATIENCE_MS) return undefined;
  const away = o.nodes.find((other) => other.uid !== node.uid && isToBeBack(other));
  if (away !== undefined) {
    const message = `${node.name} comes back when the others have what it has: ${away.name} is away`;
    return proceed(record, { waits: hold('MemberNotActive', message) });
  }
  // Also members that will not stay: as long as they run they are homes, and the placement counts them.
  const members = o.nodes.filter(({ uid, answer }) => uid === node.uid || answer.kind === 'serving');
  const request = comparisonFor(scope, 'removal', members);
  const { checks, sinceMs } = isolationOf(witnessesOf(members, o.facts, o.monotonicMs), {
    target: node,
    isolatedSinceMs: o.isolatedSinceMs,
    graceMs: RESTART_GRACE_MS,
    monotonicMs: o.monotonicMs,
  });
  const open = checks.find((check) => !check.passed)?.hold;
  // It may have joined, or be asked to stay, before it was told to leave: it serves, and what it takes now is on no
  // other member.
  if (open !== undefined && waitedMs <= ISOLATION_PATIENCE_MS) {
    const message = `${node.name} comes back when no client is sent to it: ${open.message}`;
    return proceed(record, { waits: { ...open, message }, contents: begun(o, request, { countsFromMs: undefined }) });
  }
  const why = notYetCovered(o, request, sinceMs);
  if (why === undefined) return undefined;
  const message = `${node.name} comes back when the others have what it has: ${why.message}`;
  const contents = sinceMs === undefined ? request : begun(o, request, { countsFromMs: sinceMs });
  return proceed(record, { waits: { ...why, message }, contents });
}

/** True for a member that stays but does not answer now. When it is back it has to get what was written meanwhile, and
 *  the member that is taken back may be the only one to have that. */
function isToBeBack(node: NodeRecord): boolean {
  const isAway = !isAnswering(node) && !isLockedOut(node);
  return isAway && hasPast(node) && !needsReplacement(node) && node.stopped === undefined;
}

/** The node object is gone: it comes back on its volume, or not at all. */
function planReturn(scope: RemovalScope): OperationPlan {
  const { record, target } = scope;
  if (keptVolume(scope) !== undefined && !isGoneTooLong(scope))
    return proceed(record, { steps: [{ kind: 'createNode', id: target.nodeId, why: 'RolledBack' }] });
  return end(ending(scope, 'VolumeLost', 'Failed'));
}

function backSteps(node: NodeRecord, membership: Membership): readonly ClusterStep[] {
  if (isAskedToLeave(node)) return [{ kind: 'reinstate', node }];
  return !node.serving && isShownActive(node, membership) ? [{ kind: 'setServing', node, serving: true }] : [];
}

function isBack(node: NodeRecord, membership: Membership): boolean {
  return isShownActive(node, membership) && node.pod?.isLeaving === false && (node.serving || node.isDeleting);
}

/** True when it was to go as dead, or as never joined, and came to life: nothing was taken from it that it has to get
 *  back, and it may be dead again before every member shows it. */
function isUntouched({ pod }: NodeRecord, { basis }: Operation): boolean {
  return (basis === 'Dead' || basis === 'NeverJoined') && pod?.isLeaving !== true;
}

function isShownActive(node: NodeRecord, membership: Membership): boolean {
  return membership.kind === 'agreed' && isActiveMember(node);
}

function ending({ o, record, target }: RemovalScope, reason: Reason, outcome: LastOperation['outcome']) {
  const isBack = reason !== 'VolumeLost' && reason !== 'Forced';
  const message = `${target.name} ${isBack ? 'stays' : 'could not come back'}: ${record.cancel?.message ?? ''}`;
  return closed(record, { outcome, reason, message }, o.nowMs);
}

function reasonOf(text: string | undefined): Reason {
  return text !== undefined && isReason(text) ? text : 'CancelledByUser';
}
