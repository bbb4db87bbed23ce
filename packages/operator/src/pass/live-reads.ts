// Live reads, past the caches. The results go into the caches, so that the next pass decides on them. A missing object
// is thrown, as the client does.

import {
  clusterSelector,
  LABELS,
  MANAGED_BY,
  type MarekvsCluster,
  type MarekvsNode,
  selectorString,
} from '@marekvs/api';
import type { NodeRecord } from '@marekvs/planner';
import {
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  pods,
  type Stored,
} from '@marekvs/runtime';
import { toPodView } from '../caches/pod-view.ts';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '../objects/kinds.ts';
import type { Ports } from './ports.ts';

export interface Reading {
  readonly namespace: string;
  readonly ports: Pick<Ports, 'client' | 'caches'>;
  readonly signal: AbortSignal;
}

/** The cluster of that name, which may be another one by now. */
export async function readCluster(name: string, { namespace, ports, signal }: Reading): Promise<MarekvsCluster> {
  const live = await ports.client.get(MAREKVS_CLUSTER, { namespace, name }, { signal });
  ports.caches.clusters.observe(live);
  return live;
}

/** The node of that name, which may be another one by now. */
export async function readNode(name: string, { namespace, ports, signal }: Reading): Promise<MarekvsNode> {
  const live = await ports.client.get(MAREKVS_NODE, { namespace, name }, { signal });
  ports.caches.nodes.observe(live);
  return live;
}

/** The Pod of that name, whoever owns it. */
export async function readPod(name: string, { namespace, ports, signal }: Reading): Promise<Stored<Pod>> {
  const live = await ports.client.get(pods, { namespace, name }, { signal });
  if (isLabelledOurs(live)) ports.caches.pods.observe(live);
  return live;
}

/** The claim of that name, whoever owns it. */
export async function readClaim(
  name: string,
  { namespace, ports, signal }: Reading,
): Promise<Stored<PersistentVolumeClaim>> {
  const live = await ports.client.get(persistentVolumeClaims, { namespace, name }, { signal });
  if (isLabelledOurs(live)) ports.caches.volumes.observe(live);
  return live;
}

/** Caches hold only what carries our label: the end of any other object would never be noticed. */
export function isLabelledOurs({ metadata }: KubeObject): boolean {
  return metadata.labels?.[LABELS.managedBy] === MANAGED_BY;
}

/** All Pods that carry the labels of the cluster. */
export async function readPods(
  clusterName: string,
  { namespace, ports, signal }: Reading,
): Promise<readonly Stored<Pod>[]> {
  const labelSelector = selectorString(clusterSelector(clusterName));
  const { items } = await ports.client.list(pods, { namespace, labelSelector, signal });
  for (const pod of items) ports.caches.pods.observe(pod);
  return items;
}

/** True while every other member still has the Pod and the process that were decided on, none is terminating that was
 *  not then, and none has stopped being ready. A member whose Pod was just deleted or evicted still serves for a
 *  moment, with figures as good as ever, but is away by the time the target has gone. So is one whose process has just
 *  ended in its Pod, and what that process answered does not hold for the next one. */
export function areOthersUnchanged(
  target: Pick<NodeRecord, 'uid'>,
  nodes: readonly Pick<NodeRecord, 'uid' | 'pod'>[],
  live: readonly Stored<Pod>[],
): boolean {
  const running = new Map(
    live
      .map(toPodView)
      .filter(({ isTerminating }) => !isTerminating)
      .map((pod) => [pod.uid, pod]),
  );
  return nodes.every(({ uid, pod }) => {
    if (uid === target.uid || pod === undefined || pod.isTerminating) return true;
    const now = running.get(pod.uid);
    return now !== undefined && now.restartCount === pod.restartCount && (now.isReady || !pod.isReady);
  });
}
