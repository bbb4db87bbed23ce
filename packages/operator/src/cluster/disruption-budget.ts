// Answers: how many members must an eviction leave up right now? Pure.

import { findCondition, type MarekvsClusterStatus } from '@marekvs/api';
import {
  type ClusterObservation,
  type ClusterPlan,
  hasLostVolume,
  isReplacedOnDrain,
  type NodeRecord,
} from '@marekvs/planner';
import { fullyReplicated } from './status/data-conditions.ts';

/** All but one while the members agree, all while they do not. Every survivor from the moment a removal is claimed
 *  until its copies are proven; all as well while members leave drained hosts by themselves. Undefined before there is
 *  data to lose. A Pod that is not ready uses the budget up, so nothing needs to be written then
 *  (docs/decisions/protection.md). */
export function minAvailable(
  observation: ClusterObservation,
  plan: ClusterPlan,
  status: MarekvsClusterStatus | undefined,
): number | undefined {
  const { cluster, nodes } = observation;
  if (!cluster.isFormed) return undefined;
  const isBlocked = areEvictionsBlocked(observation);
  // A member that is resized in place is not away.
  const operation = plan.removal.operation?.phase === 'Resizing' ? undefined : plan.removal.operation;
  // All members stop or come back together: none may go before its records were seen elsewhere.
  if (operation?.type === 'Hibernate') return Math.max(1, nodes.length);
  // While one member is away on purpose, all others are needed.
  if (operation?.roll !== undefined)
    return Math.max(1, nodes.filter(({ serving, uid }) => serving || uid === operation.roll?.uid).length);
  if (operation !== undefined) {
    // On a drained host the target would be evicted as well, and nothing on it could be proven any more.
    const isNeeded = (node: NodeRecord) =>
      node.id === operation.target?.nodeId ? isBlocked && node.pod !== undefined : node.serving;
    return Math.max(1, nodes.filter(isNeeded).length);
  }
  const letIn = plan.steps.flatMap((step) => (step.kind === 'setServing' && step.serving ? [step.node.uid] : []));
  const counted = withoutReplaced(nodes, plan.desiredNodes);
  const isMember = ({ serving, uid }: NodeRecord) => serving || letIn.includes(uid);
  const members = Math.max(1, counted.filter(isMember).length);
  if (isBlocked) return members;
  const isAway = (node: NodeRecord) => node.serving && !hasLostVolume(node) && node.pod?.isReady !== true;
  if (counted.some(isAway)) return Math.max(1, members - 1);
  const isTrusted = plan.membership.kind === 'agreed' && !mayLack(observation, plan, status);
  if (isTrusted) return Math.max(1, members - 1);
  // Those that are joining count already: none may go either way, and one write less is needed when they have joined.
  return Math.max(1, counted.filter((node) => isMember(node) || isNew(node)).length);
}

/** It is to stay, and its member has never been Active. */
function isNew({ intent, isDeleting, wasActive }: NodeRecord): boolean {
  return intent === 'Active' && !isDeleting && !wasActive;
}

/** A node on a lost host counts until another node has taken its place. After that it is only listed, and must not hold
 *  up a drain elsewhere. */
function withoutReplaced(nodes: readonly NodeRecord[], desired: number): readonly NodeRecord[] {
  const others = nodes.filter(({ hostLost }) => hostLost === undefined);
  return others.filter(({ serving }) => serving).length >= desired ? others : nodes;
}

/** Members leave a drained host by a move or a replacement, because kubectl drain evicts in the second of the cordon,
 *  before the operator sees it. Evictions stay possible where hosts cannot be seen or a member has the only copy: such
 *  members are never moved, and a drain would never end. */
function areEvictionsBlocked({ cluster, nodes, drainsSeen }: ClusterObservation): boolean {
  const isMultiple = nodes.every(({ replicationFactor }) => replicationFactor >= 2);
  return isReplacedOnDrain(cluster) && !cluster.spec.paused && drainsSeen !== 'forbidden' && isMultiple;
}

/** A comparison that cannot end must not hold up a drain for ever. */
const UNKNOWN_PATIENCE_MS = 120_000;

/** Records are missing at a home, or may be: right after a change nothing has been compared yet. */
function mayLack(
  observation: ClusterObservation,
  plan: ClusterPlan,
  status: MarekvsClusterStatus | undefined,
): boolean {
  const conditions = status?.conditions ?? [];
  const known = fullyReplicated(observation, plan, conditions).status;
  if (known !== 'Unknown') return known === 'False';
  const stored = findCondition(conditions, 'FullyReplicated');
  if (stored?.status !== 'Unknown') return true;
  const sinceMs = Math.max(Date.parse(stored.lastTransitionTime), begunMs(plan) ?? Number.NEGATIVE_INFINITY);
  return observation.nowMs - sinceMs < UNKNOWN_PATIENCE_MS;
}

/** When the comparison of these members was first due; undefined when none is. The patience counts from then on,
 *  because a member that changed may have been away for longer than the patience lasts. */
function begunMs({ verification }: ClusterPlan): number | undefined {
  const isUnderWay = verification?.state === 'Waiting' || verification?.state === 'Running';
  return isUnderWay ? Date.parse(verification.at) : undefined;
}
