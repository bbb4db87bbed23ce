// Answers: do the volumes of a cluster record which ids it has used? A used id on an empty volume is a different
// member, whose writes the others skip (docs/design/server.md#h2). The status is deleted with the cluster, so that a
// cluster recreated on the same volumes has no other record.

import type { ClusterObservation } from '../observation/observation.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';

/** Once the claim of the highest id is gone or about to be reclaimed, the claim of the lowest id records that number.
 *  Undefined while nothing has to be recorded, and while a node of the highest id exists: its claim may still be
 *  made. */
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
