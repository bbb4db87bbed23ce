// Answers: which nodes may take up a template that was changed after they were made? Only those that nobody was ever let in to:
// the stamp is the permit to restart (docs/design/contract.md#resources), and a running member keeps its own. Pure.

import type { ClusterStep } from './cluster-step.ts';
import { isKnownSilent } from './member-state.ts';
import type { ClusterObservation, NodeRecord, PodRecord } from './observation.ts';

/** A node that was made from a mistake (an image that is not there, a Secret that is missing) would never get over its correction. */
export function stampSteps({ cluster, nodes }: ClusterObservation): readonly ClusterStep[] {
  return nodes
    .filter(
      (node) => node.templateHash !== cluster.templateHash && !node.isDeleting && mayStartAnew(node, cluster.isFormed),
    )
    .map((node) => ({ kind: 'stampNode', node }));
}

/** Its Pod is of an older stamp than the node, and nothing is lost when it is made again. */
export function isOutdatedUnstarted(node: NodeRecord, pod: PodRecord, isFormed: boolean): boolean {
  return pod.templateHash !== undefined && pod.templateHash !== node.templateHash && mayStartAnew(node, isFormed);
}

/** Never let in, never known to be Active, and nothing of it answers now. Before its cluster is formed nobody was let in, and the
 *  members that run may be what keeps the others from a host. */
function mayStartAnew(node: NodeRecord, isFormed: boolean): boolean {
  const { serving, wasActive, intent, pod } = node;
  if (serving || intent !== 'Active') return false;
  return !isFormed || (!wasActive && pod?.isReady !== true && isKnownSilent(node));
}
