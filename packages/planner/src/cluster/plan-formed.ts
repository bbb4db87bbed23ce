// Answers: what is next for a cluster that has formed? The operation under way comes before everything else, a
// new one after everything else.

import { kindOf, type Operation } from '@marekvs/api';
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
import type { OperationPlan } from '../operations/record.ts';
import { nextStart, STARTERS } from '../operations/rows/starters.ts';
import { operationRow } from '../operations/rows/under-way.ts';
import { isAsleep, isHibernation } from '../operations/sleep/hibernation.ts';
import { askedToSuspend } from '../operations/sleep/suspension.ts';
import { isUnmeshed, servingSteps } from '../service/serving.ts';
import { annotationHolds } from '../size/candidate.ts';
import { planNewNodes, replacedMeanwhile } from '../size/new-nodes.ts';
import { detachedVolumes } from '../size/sizing.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { soonest } from '../steps/soonest.ts';
import { type Hold, hold } from '../values/hold.ts';
import { totalLossHold } from './cluster-holds.ts';

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
  return planUnderWay(o, operation, membership, desired);
}

/** The operation goes on, and so does what concerns only the others. */
function planUnderWay(
  o: ClusterObservation,
  operation: Operation,
  membership: Membership,
  desired: number,
): PartialPlan {
  const { roll, target, phase } = operation;
  const { next, told } = operationRow(operation);
  const removal = next(o, operation, membership, desired);
  const first = listOf(removal.ended === undefined ? told?.(o, removal.operation ?? operation) : undefined);
  const isSuspended = phase === 'Suspended' && removal.steps.length === 0 && !removal.isUrgent;
  const requeueAfterMs = isSuspended || isAsleep(o.cluster) ? undefined : REMOVAL_INTERVAL_MS;
  // All members stop together, sleep, or wake: none is replaced, restarted or put behind the Service on its own.
  if (isHibernation(o.cluster)) return { steps: removal.steps, holds: first, removal, requeueAfterMs };
  const others = o.nodes.filter(({ id, uid }) => (roll === undefined ? id !== target?.nodeId : uid !== roll.uid));
  const replaced = replacedMeanwhile(o, operation, desired);
  // The restarted member is put behind the Service by its own turn.
  const letIn = servingSteps(roll === undefined ? o : { ...o, nodes: others }, membership);
  return {
    steps: [...removal.steps, ...others.flatMap(strayStep), ...replaced.steps, ...letIn],
    // What an operation waits for becomes a hold once it has lasted. operation-memory.ts knows for how long it has.
    holds: [...first, ...replaced.holds, ...laterHolds(o, operation)],
    removal,
    requeueAfterMs,
  };
}

/** No operation is under way: missing nodes are made first; then the next operation begins. */
function planAtRest(o: ClusterObservation, membership: Membership, desired: number): PartialPlan {
  const { hibernated } = o.cluster.spec;
  const present = o.nodes.length;
  // Before all members stop, what is broken is repaired. The size stays what it is until they wake.
  const grown = planGrown(o, membership, hibernated ? Math.min(desired, present) : desired);
  if (grown.steps.length > 0) return grown;
  const { starter, plan, passed } = nextStart(o, hibernated ? Math.max(desired, present) : desired);
  const { holds = [], waits, ...removal } = plan;
  const isTurn = kindOf(starter) === 'turn';
  const before = [...grown.holds, ...o.nodes.flatMap(annotationHolds), ...(passed.holds ?? []), ...holds];
  const isWaiting = starter !== undefined || waits !== undefined || holds.length > 0;
  // A cluster in line is woken when it gets its place.
  const isCalm = !isWaiting || (o.isInLine && starter?.inLine === 'woken');
  const due = starter === undefined ? STARTERS.map(({ dueInMs }) => dueInMs?.(o)) : [];
  return {
    steps: removal.steps,
    holds: [...before, ...listOf(isTurn ? undefined : waits), ...listOf(passed.waits)],
    removal: { ...removal, waits: isTurn ? undefined : waits },
    ...(isTurn ? { turnWaits: waits } : {}),
    requeueAfterMs: soonest(isCalm ? grown.requeueAfterMs : REMOVAL_INTERVAL_MS, ...due),
  };
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

function listOf(hold: Hold | undefined): readonly Hold[] {
  return hold === undefined ? [] : [hold];
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
