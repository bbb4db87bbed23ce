// Answers: what does the PersistentVolumeClaim of one MarekvsNode look like, and what is noted on it while it is
// unused? Pure. Its node never owns it: a volume outlives the node, and only a proven removal, or the user's policy,
// ever deletes one.

import { ANNOTATIONS, LABELS, type MarekvsNode, nodeLabels, pvcName } from '@marekvs/api';
import { timeText } from '@marekvs/planner';
import type { NewObject, PersistentVolumeClaim } from '@marekvs/runtime';
import { slotLabel } from '../sharing/share.ts';
import { volumeOwner } from './owners.ts';

export interface VolumePolicy {
  /** The volume outlives its cluster; otherwise the garbage collector deletes it with the cluster. */
  readonly keepVolumes: boolean;
  /** The cluster has deletionProtection. */
  readonly isProtected: boolean;
}

export function buildVolume(
  node: MarekvsNode,
  clusterUid: string,
  { keepVolumes, isProtected }: VolumePolicy,
): NewObject<PersistentVolumeClaim> {
  const { clusterName, nodeId, storage } = node.spec;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: pvcName(clusterName, nodeId),
      namespace: node.metadata.namespace,
      labels: {
        ...nodeLabels(clusterName, clusterUid, nodeId),
        ...slotLabel(node.metadata.namespace, clusterName),
        ...(isProtected ? { [LABELS.protected]: 'true' } : {}),
      },
      ...(keepVolumes ? {} : { ownerReferences: [volumeOwner({ name: clusterName, uid: clusterUid })] }),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: storage.size } },
      ...(storage.className === undefined ? {} : { storageClassName: storage.className }),
      ...(storage.volumeAttributesClassName === undefined
        ? {}
        : { volumeAttributesClassName: storage.volumeAttributesClassName }),
    },
  };
}

/** What a volume carries while no node uses it: its age decides whether its data may come back
 *  (docs/design/server.md#h4). */
export function detachedNotes({ detachedAtMs, lastActiveAtMs, hostLost, hostDrained }: DetachedNotes) {
  return {
    [ANNOTATIONS.detachedAt]: timeText(detachedAtMs),
    [ANNOTATIONS.lastActiveAt]: timeText(lastActiveAtMs),
    ...(hostLost === undefined ? {} : { [ANNOTATIONS.hostLost]: hostLost }),
    ...(hostDrained === undefined ? {} : { [ANNOTATIONS.hostDrained]: hostDrained }),
  };
}

interface DetachedNotes {
  readonly detachedAtMs: number;
  readonly lastActiveAtMs: number;
  /** The lost host it is on. */
  readonly hostLost: string | undefined;
  /** The drained host it is on. */
  readonly hostDrained: string | undefined;
}

/** Removes these notes. */
export const ATTACHED_NOTES = {
  [ANNOTATIONS.detachedAt]: null,
  [ANNOTATIONS.lastActiveAt]: null,
  [ANNOTATIONS.hostLost]: null,
  [ANNOTATIONS.hostDrained]: null,
} as const;
