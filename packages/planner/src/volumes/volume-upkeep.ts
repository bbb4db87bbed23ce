// Answers: do volumes and nodes follow the spec, that is: are they deleted with their cluster or kept, protected or
// not? And do the volumes, which may outlive their cluster, record the ids it has used?

import type { ClusterObservation } from '../observation/observation.ts';
import type { VolumeRecord } from '../observation/volume-record.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { rememberStep } from './used-ids.ts';

export function volumeSteps(o: ClusterObservation): readonly ClusterStep[] {
  const { cluster, volumes, nodes } = o;
  const remember = rememberStep(o);
  const isOwned = cluster.spec.volumeRetention.whenDeleted === 'Delete';
  const isProtected = cluster.spec.deletionProtection;
  const kept = volumes.filter((volume) => !volume.isTerminating);
  const ours = kept.filter((volume) => volume.clusterUid === cluster.uid);
  // A volume that an earlier cluster of this name left is protected while a node mounts it. The mark may outlast the
  // node, but never `spec.deletionProtection`.
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

/** The steps that only keep data. They are done even while nothing else is written: otherwise the user's last wish
 *  about the volumes would not hold when the cluster is deleted. */
export function keepingSteps(o: ClusterObservation): readonly ClusterStep[] {
  return volumeSteps(o).filter((step) => {
    if (step.kind === 'ownVolume') return !step.isOwned;
    return (step.kind === 'protectVolume' || step.kind === 'protectNode') && step.isProtected;
  });
}
