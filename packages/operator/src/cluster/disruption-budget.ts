// Answers: how many members must stay up right now? What eviction asks before it takes a Pod away. Pure.

import { type ClusterObservation, type ClusterPlan, hasLostVolume, type NodeRecord } from '@marekvs/planner';

/** All but one while the members agree, all while they do not, and every survivor from the moment a removal is claimed until its
 *  copies are proven. Undefined before there is data to lose.
 *  While a Pod is not ready the budget is used up by that Pod, so nothing needs to be written then (decision 0003). */
export function minAvailable({ cluster, nodes }: ClusterObservation, plan: ClusterPlan): number | undefined {
  if (!cluster.isFormed) return undefined;
  const { operation } = plan.removal;
  if (operation !== undefined) {
    const survivors = nodes.filter((node) => node.serving && node.id !== operation.target?.nodeId);
    return Math.max(1, survivors.length);
  }
  const letIn = plan.steps.filter((step) => step.kind === 'setServing' && step.serving).length;
  const members = Math.max(1, nodes.filter((node) => node.serving).length + letIn);
  const isAway = (node: NodeRecord) => node.serving && !hasLostVolume(node) && node.pod?.isReady !== true;
  const isTrusted = plan.membership.kind === 'agreed' || nodes.some(isAway);
  return isTrusted ? Math.max(1, members - 1) : members;
}
