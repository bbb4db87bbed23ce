// Answers: what is next for a cluster that has formed? The operation under way comes before everything else, a
// new one after everything else.

import type { Operation } from '@marekvs/api';
import { isMovePending } from '../hosts/leaving-members.ts';
import {
  hasLostVolume,
  hasOutlivedVolume,
  hasOwnVolume,
  isAskedToLeave,
  isUnforeseen,
} from '../members/member-state.ts';
import type { Membership } from '../members/membership.ts';
import { needsReplacement } from '../members/replacement.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { planUndraining, undrainingDueInMs } from '../operations/mending/drained.ts';
import { isUnlockingPending, planUnlocking } from '../operations/mending/locked-out.ts';
import { none, type OperationPlan } from '../operations/record.ts';
import { planClaim, planOperation } from '../operations/removal/plan.ts';
import { planNextMove } from '../operations/rolling/next-move.ts';
import { isMendPending, isTurnPending, planNextTurn } from '../operations/rolling/next-turn.ts';
import { planResize } from '../operations/rolling/resize.ts';
import { planTurn } from '../operations/rolling/turn.ts';
import {
  hibernationHold,
  isAsleep,
  isHibernation,
  planHibernate,
  planHibernation,
} from '../operations/sleep/hibernation.ts';
import { askedToSuspend, planSuspend, planSuspension, suspensionHold } from '../operations/sleep/suspension.ts';
import { isUnmeshed, servingSteps } from '../service/serving.ts';
import { isChoiceOpen } from '../size/candidate.ts';
import { planNewNodes, replacedMeanwhile } from '../size/new-nodes.ts';
import { detachedVolumes } from '../size/sizing.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { soonest } from '../steps/soonest.ts';
import { type Hold, hold } from '../values/hold.ts';
import { totalLossHold } from './cluster-holds.ts';

/** Reported in conditions and events; nothing waits for them. */
const INFORMATIONAL: ReadonlySet<Hold['reason']> = new Set<Hold['reason']>([
  'AnnotationIgnored',
  'ForceIgnored',
  'NodeForeign',
  'VolumeTooOld',
]);

/** A removal that waits for these lets restarts go first: it waits for a time, or for those very restarts. */
const BEFORE_REMOVALS: ReadonlySet<Hold['reason']> = new Set<Hold['reason']>([
  'RetryDelayed',
  'MixedReplicationFactor',
  'ReplicationFactorOne',
]);

/** How often a removal is reconciled: its evidence grows by the second, and no event would trigger a pass. */
const REMOVAL_INTERVAL_MS = 1_000;

export interface PartialPlan {
  readonly steps: readonly ClusterStep[];
  readonly holds: readonly Hold[];
  readonly mayLatchFormed?: boolean;
  readonly requeueAfterMs: number | undefined;
  readonly removal?: OperationPlan;
  readonly turnWaits?: Hold | undefined;
}

/** The next steps, for `desired` nodes. */
export function planFormed(o: ClusterObservation, membership: Membership, desired: number): PartialPlan {
  if (isTotalLoss(o)) return { steps: [], holds: [totalLossHold(o)], requeueAfterMs: undefined };
  const { operation } = o.cluster;
  if (operation === undefined) return planAtRest(o, membership, desired);
  if (isHibernation(o.cluster)) return planAllAsleep(o, operation, membership);
  return planUnderWay(o, operation, membership, desired);
}

/** All members stop together, sleep, or wake: none is replaced, restarted or put behind the Service on its own. */
function planAllAsleep(o: ClusterObservation, operation: Operation, membership: Membership): PartialPlan {
  const removal = planHibernation(o, operation, membership);
  const hold = removal.ended === undefined ? hibernationHold(o, removal.operation ?? operation) : undefined;
  const requeueAfterMs = isAsleep(o.cluster) ? undefined : REMOVAL_INTERVAL_MS;
  return { steps: removal.steps, holds: hold === undefined ? [] : [hold], removal, requeueAfterMs };
}

/** One member is removed, restarted, resized or stopped: its operation goes on, and so does what concerns only the
 *  others. */
function planUnderWay(
  o: ClusterObservation,
  operation: Operation,
  membership: Membership,
  desired: number,
): PartialPlan {
  const { roll, target } = operation;
  const removal = planOperationOf(o, operation, membership, desired);
  const others = o.nodes.filter(({ id, uid }) => (roll === undefined ? id !== target?.nodeId : uid !== roll.uid));
  const replaced = replacedMeanwhile(o, operation, desired);
  // The restarted member is put behind the Service by its own turn.
  const letIn = servingSteps(roll === undefined ? o : { ...o, nodes: others }, membership);
  const isSuspension = operation.type === 'Suspend' && removal.ended === undefined;
  const hold = isSuspension ? [suspensionHold(o, removal.operation ?? operation)] : [];
  const steps = [...others.flatMap(strayStep), ...replaced.steps, ...letIn];
  const part = withRemoval(removal, steps, [...hold, ...replaced.holds, ...laterHolds(o, operation)]);
  const isStopped = operation.phase === 'Suspended' && removal.steps.length === 0 && !removal.isUrgent;
  return isStopped ? { ...part, requeueAfterMs: undefined } : part;
}

function planOperationOf(
  o: ClusterObservation,
  operation: Operation,
  membership: Membership,
  desired: number,
): OperationPlan {
  const { roll, type, phase } = operation;
  if (roll === undefined) return planOperation(o, operation, membership, desired);
  if (type === 'Suspend') return planSuspension(o, operation, roll, membership, desired);
  return phase === 'Resizing' ? planResize(o, operation, roll) : planTurn(o, operation, roll, membership, desired);
}

/** No operation is under way: missing nodes are made first; then a member is removed, stopped or restarted. */
function planAtRest(o: ClusterObservation, membership: Membership, desired: number): PartialPlan {
  const { hibernated } = o.cluster.spec;
  const present = o.nodes.length;
  // Before all members stop, what is broken is repaired. The size stays what it is until they wake.
  const grown = planGrown(o, membership, hibernated ? Math.min(desired, present) : desired);
  if (grown.steps.length > 0) return grown;
  const { plan, holds } = planClaim(o, hibernated ? Math.max(desired, present) : desired);
  const before = [...grown.holds, ...holds];
  const unlocking = plan.operation === undefined ? planUnlocking(o) : undefined;
  // No other operation can begin while a member cannot be asked.
  if (unlocking !== undefined || (plan.operation === undefined && isUnlockingPending(o)))
    return {
      steps: [],
      holds: plan.waits === undefined ? before : [...before, plan.waits],
      removal: { ...(unlocking ?? none()), waits: undefined },
      turnWaits: unlocking?.waits,
      requeueAfterMs: REMOVAL_INTERVAL_MS,
    };
  const undraining = plan.operation === undefined ? planUndraining(o) : undefined;
  if (undraining !== undefined)
    return {
      steps: [],
      holds: plan.waits === undefined ? before : [...before, plan.waits],
      removal: { ...undraining, waits: undefined },
      turnWaits: undraining.waits,
      requeueAfterMs: REMOVAL_INTERVAL_MS,
    };
  const stop = plan.operation === undefined ? planStop(o) : undefined;
  if (stop !== undefined) {
    const waits = [stop.waits, plan.waits].filter((hold) => hold !== undefined);
    return { steps: [], holds: [...before, ...waits], removal: stop, requeueAfterMs: REMOVAL_INTERVAL_MS };
  }
  if (isRestartNext(o, plan, desired)) {
    // Members about to be evicted come before those that are only outdated.
    const isMove = isMovePending(o);
    const { waits: turnWaits, ...restart } = isMove ? planNextMove(o) : planNextTurn(o);
    return {
      steps: [],
      holds: plan.waits === undefined ? before : [...before, plan.waits],
      removal: { ...restart, waits: undefined },
      turnWaits,
      // A cluster in line is woken when it gets its place.
      requeueAfterMs: o.isInLine && !isMove ? grown.requeueAfterMs : REMOVAL_INTERVAL_MS,
    };
  }
  const begun = withRemoval(plan, [], holds);
  return {
    ...begun,
    holds: [...grown.holds, ...begun.holds],
    requeueAfterMs: soonest(begun.requeueAfterMs ?? grown.requeueAfterMs, undrainingDueInMs(o)),
  };
}

/** Takes all members, or one, off their volumes; undefined when neither is asked for. */
function planStop(o: ClusterObservation): OperationPlan | undefined {
  if (o.cluster.spec.hibernated) return planHibernate(o);
  return askedToSuspend(o).length > 0 ? planSuspend(o) : undefined;
}

/** No removal is asked for, or the one that is waits for members to be restarted. */
function isRestartNext(o: ClusterObservation, { operation, waits }: OperationPlan, desired: number): boolean {
  const isBefore = waits === undefined || BEFORE_REMOVALS.has(waits.reason) || isMendPending(o);
  const isFree = operation === undefined && isBefore && !isChoiceOpen(o, desired);
  return isFree && (isMovePending(o) || isTurnPending(o));
}

/** Missing nodes first; then members are put behind the Service. */
function planGrown(o: ClusterObservation, membership: Membership, desired: number): PartialPlan {
  const { steps, holds, requeueAfterMs } = planNewNodes(o, membership, desired);
  if (steps.length > 0) return { steps, holds, requeueAfterMs: undefined };
  // Its mesh connections grow without an event.
  const isTriedAgain = o.nodes.some((node) => !node.serving && isUnmeshed(o, node));
  return {
    steps: [...o.nodes.flatMap(strayStep), ...servingSteps(o, membership)],
    holds,
    requeueAfterMs: isTriedAgain ? REMOVAL_INTERVAL_MS : requeueAfterMs,
  };
}

/** Requests that wait for the end of the operation under way. */
function laterHolds(o: ClusterObservation, { id, type, target, roll }: Operation): readonly Hold[] {
  const what = (target ?? roll)?.name ?? 'a member';
  const others = askedToSuspend(o).filter(({ uid }) => uid !== roll?.uid);
  const first = type === 'Suspend' ? `${what} comes back first` : `operation ${id} on ${what} ends first`;
  return [
    ...(o.cluster.spec.hibernated ? [hold('HibernationWaits', `stopping all members waits: ${first}`)] : []),
    ...others.map(({ name }) => hold('SuspensionWaits', `stopping ${name} waits: ${first}`)),
  ];
}

/** A node that was told to leave by an operation its cluster does not know is taken back; such an order is never obeyed
 *  (docs/design/contract.md#removing-a-node). */
function strayStep(node: NodeRecord): readonly ClusterStep[] {
  // A suspended node that needs replacement goes as it is: it is not started for that.
  if (node.stopped === 'Suspended' && needsReplacement(node))
    return node.removalMark === undefined ? [] : [{ kind: 'endRestart', node, serving: false }];
  const isStray = isAskedToLeave(node) || node.stopped === 'Suspended';
  return isStray || isUnforeseen(node) ? [{ kind: 'reinstate', node }] : [];
}

function withRemoval(removal: OperationPlan, steps: readonly ClusterStep[], holds: readonly Hold[]): PartialPlan {
  const isUnderWay = removal.operation !== undefined || removal.waits !== undefined;
  const isWaiting = isUnderWay || holds.some((hold) => !INFORMATIONAL.has(hold.reason));
  return {
    steps: [...removal.steps, ...steps],
    // What an operation waits for becomes a hold once it has lasted. operation-memory.ts knows for how long it has.
    holds: removal.operation !== undefined || removal.waits === undefined ? holds : [...holds, removal.waits],
    removal,
    requeueAfterMs: isWaiting ? REMOVAL_INTERVAL_MS : undefined,
  };
}

// Answers: is nothing left of a formed cluster? It is never formed a second time: an empty one in its place would look
// healthy to its clients. Volumes are lost one after the other, so a node that was made for the first of them may be
// there when the last one goes.
/** True when no kept volume is left, no node has a volume that may hold something, and no process has outlived its
 *  volume, from which new members still get their copies (docs/decisions/members-without-proof.md). */
function isTotalLoss(o: ClusterObservation): boolean {
  if (detachedVolumes(o).length > 0 || o.nodes.some(hasOutlivedVolume)) return false;
  if (o.nodes.every(hasLostVolume)) return true;
  const wasUsed = o.nodes.some((node) => node.serving && isLost(node));
  return wasUsed && o.nodes.every((node) => isLost(node) || servesNobody(node));
}

/** The volume is lost or about to be: no Pod is started again on a volume that is being deleted. */
function isLost(node: NodeRecord): boolean {
  return hasLostVolume(node) || (node.pod === undefined && node.volume?.isTerminating === true);
}

/** No client is let in to the member, and its volume was made for it. Unlike a newcomer it may have been Active: what
 *  it may have copied before it was left alone stays on that volume. */
function servesNobody(node: NodeRecord): boolean {
  return !node.serving && hasOwnVolume(node);
}
