// Answers: can a member get the template that is asked for in place, or has it to be restarted? In place only when
// nothing but its resources differs, no memory is taken from it, the API server offers it, and it was not tried before.
// Pure.

import { hasReadyPod } from '../../members/member-state.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation, ResizeSupport } from '../../observation/observation.ts';
import { isHalfResized, isUpdated, keptRevision } from '../../templates/revisions.ts';
import { mayTakeMemory } from '../../values/compute-resources.ts';

/** `unknown`: the API server has not shown yet whether it can be done in place. */
export type WayOfTurn = 'restart' | 'resize' | 'unknown';

export function wayOfTurn(o: ClusterObservation, node: NodeRecord): WayOfTurn {
  const { templateHash: revision } = o.cluster;
  if (!isMatterOfResources(o, node) || isAttempted(node, revision)) return 'restart';
  if (o.resizeSupport === 'unknown') return 'unknown';
  return o.resizeSupport === 'offered' ? 'resize' : 'restart';
}

/** @param offered what the API server names of the core group, subresources among them */
export function resizeSupportOf(offered: readonly string[]): Exclude<ResizeSupport, 'unknown'> {
  return offered.includes('pods/resize') ? 'offered' : 'absent';
}

/** A member differs from what is asked for only in its resources, so it is worth probing whether that can be changed in
 *  place. */
export function isResizeWanted(o: ClusterObservation): boolean {
  return o.nodes.some((node) => isMatterOfResources(o, node));
}

/** True when its Pod differs from the template only by more memory or other CPU. What an adopted Pod was made from is
 *  not known, and a member that does not serve is not worth keeping as it is. */
function isMatterOfResources(o: ClusterObservation, node: NodeRecord): boolean {
  const { pod, intent, serving } = node;
  if (pod?.templateHash === undefined || !hasReadyPod(node) || pod.isLeaving) return false;
  if (intent !== 'Active' || !serving || isUpdated(node, o.cluster.templateHash)) return false;
  const before = keptRevision(o, pod.templateHash);
  const after = keptRevision(o, o.cluster.templateHash);
  if (before?.restartHash === undefined || before.restartHash !== after?.restartHash) return false;
  return after.resources !== undefined && !mayTakeMemory(pod.resources, after.resources);
}

/** This very Pod was permitted to get the resources of this revision in place, and does not have them yet. */
export function isAttempted(node: NodeRecord, revision: string): boolean {
  return node.templateHash === revision && isHalfResized(node) && node.resize?.revision === revision;
}
