// Answers: do volumes and nodes carry what the spec says of them, that is whether they go with their cluster and whether they are protected?

import type { ClusterStep } from './cluster-plan.ts';
import type { ClusterObservation } from './observation.ts';

/** Volumes go with their cluster or outlive it, and are protected or not, as the spec says now. */
export function volumeSteps({ cluster, volumes, nodes }: ClusterObservation): readonly ClusterStep[] {
  const isOwned = cluster.spec.volumeRetention.whenDeleted === 'Delete';
  const isProtected = cluster.spec.deletionProtection;
  const ours = volumes.filter((volume) => volume.clusterUid === cluster.uid && !volume.isTerminating);
  return [
    ...ours
      .filter((volume) => volume.ownerUids.includes(cluster.uid) !== isOwned)
      .map((volume): ClusterStep => ({ kind: 'ownVolume', volume, isOwned })),
    ...ours
      .filter((volume) => volume.isProtected !== isProtected)
      .map((volume): ClusterStep => ({ kind: 'protectVolume', volume, isProtected })),
    ...nodes
      .filter((node) => node.isProtected !== isProtected && !node.isDeleting)
      .map((node): ClusterStep => ({ kind: 'protectNode', node, isProtected })),
  ];
}
