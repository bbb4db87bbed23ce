// Answers: do the volumes of a cluster remember which ids it has used? A used id on an empty volume is another member,
// whose writes the others skip (docs/design/server.md#h2). The status of a cluster goes with it, and whoever makes it
// again on its volumes has nothing but these.

import type { ClusterStep } from './cluster-step.ts';
import type { ClusterObservation } from './observation.ts';

/** Once the claim of the highest id is gone, or is about to be reclaimed, the claim of the lowest says which it was.
 *  Undefined while nothing is to be noted: also while a node of that id is there, whose claim may be on its way. */
export function rememberStep({ cluster, nodes, volumes }: ClusterObservation): ClusterStep | undefined {
  const { operation, highestNodeId: id } = cluster;
  if (!cluster.isFormed || nodes.some((node) => node.id >= id)) return undefined;
  const reclaimed = operation?.phase === 'Reclaiming' ? operation.target?.pvcUID : undefined;
  const staying = volumes
    .filter((volume) => !volume.isTerminating && volume.uid !== reclaimed && volume.clusterName === cluster.name)
    .sort((a, b) => (a.nodeId ?? 0) - (b.nodeId ?? 0));
  const isKnown = staying.some(({ nodeId, highestNodeId }) => Math.max(nodeId ?? -1, highestNodeId ?? -1) >= id);
  const keeper = staying.find(({ nodeId }) => nodeId !== undefined);
  return isKnown || keeper === undefined ? undefined : { kind: 'rememberId', volume: keeper, id };
}
