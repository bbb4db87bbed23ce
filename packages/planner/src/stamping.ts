// Answers: which nodes may take up a template that was changed after they were made? Only those whose member never came to life:
// the stamp is the permit to restart (design 2.2), and a running member keeps its own. Pure.

import type { ClusterStep } from './cluster-plan.ts';
import { isKnownSilent } from './member-state.ts';
import type { ClusterObservation, NodeRecord, PodRecord } from './observation.ts';

/** A node that was made from a mistake (an image that is not there, a Secret that is missing) would never get over its correction. */
export function stampSteps({ cluster, nodes }: ClusterObservation): readonly ClusterStep[] {
  return nodes
    .filter((node) => node.templateHash !== cluster.templateHash && !node.isDeleting && hasNeverRun(node))
    .map((node) => ({ kind: 'stampNode', node }));
}

/** Its Pod is of an older stamp than the node, and nothing is lost when it is made again. */
export function isOutdatedUnstarted(node: NodeRecord, pod: PodRecord): boolean {
  return pod.templateHash !== undefined && pod.templateHash !== node.templateHash && hasNeverRun(node);
}

/** Never let in, never known to be Active, and nothing of it answers now. */
function hasNeverRun(node: NodeRecord): boolean {
  const { serving, wasActive, intent, pod } = node;
  return !serving && !wasActive && intent === 'Active' && pod?.isReady !== true && isKnownSilent(node);
}
