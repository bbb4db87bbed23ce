// Answers: how does a node take over a member that a StatefulSet started? It becomes the owner of the volume it was
// made for, and of the Pod on that volume once nothing else controls the Pod. It never makes a volume: an empty one
// under a used id is another member (docs/design/server.md#h2). Right before the writes, claim and Pod are checked by
// live reads.

import type { PodRecord } from '../observation/node-record.ts';
import { hold } from '../values/hold.ts';
import { act, type NodeObservation, type NodePlan, wait } from './node-step.ts';

/** Undefined once the volume is the node's, and for every node that adopts nothing. */
export function adoptVolumeStep({ node, clusterName }: NodeObservation): NodePlan | undefined {
  const { adopts, volume, recordedVolumeUid } = node;
  if (adopts === undefined || recordedVolumeUid !== undefined || node.isDeleting) return undefined;
  const isOurs = volume?.clusterName === clusterName && volume.nodeId === node.id;
  if (!isOurs || volume.dataDir !== adopts.dataDir) return act({ kind: 'adoptVolume', ...adopts });
  if (volume.uid === adopts.volumeUid) return undefined;
  return wait(
    hold(
      'VolumeForeign',
      `PersistentVolumeClaim ${volume.name} is not the one ${node.name} was made to take over`,
      true,
    ),
  );
}

/** Only before the cluster is formed: later a Pod without an owner is a mistake, and reported. */
export function adoptPodStep(o: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const isFree = pod.ownerUid === undefined && !pod.isTerminating;
  const isWanted = o.node.adopts !== undefined && !o.isClusterFormed && !o.node.isDeleting;
  return isFree && isWanted ? act({ kind: 'adoptPod' }) : undefined;
}
