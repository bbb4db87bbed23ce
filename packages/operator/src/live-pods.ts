// The Pods of a cluster, read live before somebody goes: a member whose Pod was just deleted or evicted serves on for a moment, and its
// figures are as good as ever; it is away by the time the one that goes has gone.

import { clusterSelector, selectorString } from '@marekvs/api';
import type { NodeRecord } from '@marekvs/planner';
import { type Pod, pods, type Stored } from '@marekvs/runtime';
import type { Ports } from './ports.ts';

export interface LivePodsOf {
  readonly cluster: { readonly namespace: string; readonly name: string };
  readonly ports: Pick<Ports, 'client' | 'caches'>;
  readonly signal: AbortSignal;
}

/** All that carry the cluster's labels. The cache learns of them. */
export async function livePods({ cluster, ports, signal }: LivePodsOf): Promise<readonly Stored<Pod>[]> {
  const labelSelector = selectorString(clusterSelector(cluster.name));
  const { items } = await ports.client.list(pods, { namespace: cluster.namespace, labelSelector, signal });
  for (const pod of items) ports.caches.pods.observe(pod);
  return items;
}

/** True while every other member still has the Pod that was decided on, and none is ending that was not then. */
export async function areOthersStanding(
  target: Pick<NodeRecord, 'uid'>,
  nodes: readonly Pick<NodeRecord, 'uid' | 'pod'>[],
  of: LivePodsOf,
): Promise<boolean> {
  const standing = new Set(
    (await livePods(of))
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.uid),
  );
  return nodes.every(
    ({ uid, pod }) => uid === target.uid || pod === undefined || pod.isTerminating || standing.has(pod.uid),
  );
}
