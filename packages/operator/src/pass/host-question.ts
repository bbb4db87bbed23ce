// What is asked about the host of one node: where its Pod is, and which volume its claim is bound to.

import { pvcName } from '@marekvs/api';
import type { NodeRecord } from '@marekvs/planner';
import { keyOf } from '@marekvs/runtime';
import type { Caches } from '../caches/caches.ts';
import type { HostQuestion } from '../hosts/host-findings.ts';
import { clusterOfNodeName } from '../sharing/share.ts';

export function hostQuestion(
  { uid, name, id, pod }: Pick<NodeRecord, 'uid' | 'name' | 'id' | 'pod'>,
  namespace: string,
  { volumes }: Pick<Caches, 'volumes'>,
  isDrained = false,
): HostQuestion {
  const claim = volumes.store.get(keyOf({ namespace, name: pvcName(clusterOfNodeName(name), id) }));
  return {
    nodeUid: uid,
    podState: pod === undefined ? '' : `${pod.uid} ${pod.isTerminating} ${pod.hostName ?? ''} ${isDrained}`,
    hostName: pod?.hostName,
    volumeName: claim?.volumeName,
    isDrained,
  };
}
