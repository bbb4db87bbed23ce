// Answers: do volumes and nodes carry what the spec says of them, that is whether they go with their cluster and
// whether they are protected? And do the volumes, which may outlive their cluster, remember the ids it has used?

import type { ClusterStep } from './cluster-step.ts';
import type { ClusterObservation, VolumeRecord } from './observation.ts';
import { rememberStep } from './used-ids.ts';

/** Volumes go with their cluster or outlive it, and are protected or not, as the spec says now. */
export function volumeSteps(o: ClusterObservation): readonly ClusterStep[] {
  const { cluster, volumes, nodes } = o;
  const remember = rememberStep(o);
  const isOwned = cluster.spec.volumeRetention.whenDeleted === 'Delete';
  const isProtected = cluster.spec.deletionProtection;
  const kept = volumes.filter((volume) => !volume.isTerminating);
  const ours = kept.filter((volume) => volume.clusterUid === cluster.uid);
  // One that an earlier cluster of this name left is protected while a node lives on it; the mark may outlast
  // the node, never the protection.
  const mounted = new Set(nodes.map((node) => node.volume?.uid));
  const isProtectable = (volume: VolumeRecord) => volume.clusterUid === cluster.uid || mounted.has(volume.uid);
  return [
    ...ours
      .filter((volume) => volume.ownerUids.includes(cluster.uid) !== isOwned)
      .map((volume): ClusterStep => ({ kind: 'ownVolume', volume, isOwned })),
    ...kept
      .filter((volume) => volume.isProtected !== isProtected && (volume.isProtected || isProtectable(volume)))
      .map((volume): ClusterStep => ({ kind: 'protectVolume', volume, isProtected })),
    ...nodes
      .filter((node) => node.isProtected !== isProtected && !node.isDeleting)
      .map((node): ClusterStep => ({ kind: 'protectNode', node, isProtected })),
    ...(remember === undefined ? [] : [remember]),
  ];
}

/** Those of them that only keep data from going: done while nothing else is written, since what the user asked for last
 *  about the volumes would otherwise not be true when the cluster is deleted. */
export function keepingSteps(o: ClusterObservation): readonly ClusterStep[] {
  return volumeSteps(o).filter((step) => {
    if (step.kind === 'ownVolume') return !step.isOwned;
    return (step.kind === 'protectVolume' || step.kind === 'protectNode') && step.isProtected;
  });
}
