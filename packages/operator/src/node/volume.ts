// Answers: what does the PersistentVolumeClaim of one MarekvsNode look like? Pure.
// It has no owner on purpose: volumes outlive node and cluster, and only a proven removal ever deletes one.

import { type MarekvsNode, nodeLabels, pvcName } from '@marekvs/api';
import type { NewObject, PersistentVolumeClaim } from '@marekvs/runtime';

export function buildVolume(node: MarekvsNode, clusterUid: string): NewObject<PersistentVolumeClaim> {
  const { clusterName, nodeId, storage } = node.spec;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: pvcName(clusterName, nodeId),
      namespace: node.metadata.namespace,
      labels: { ...nodeLabels(clusterName, clusterUid, nodeId) },
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: storage.size } },
      ...(storage.className === undefined ? {} : { storageClassName: storage.className }),
    },
  };
}
