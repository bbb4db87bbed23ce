// The context of the cluster controller's live reads, and the lists that only this controller reads.

import { clusterSelector, isNodeOf, type MarekvsCluster, type MarekvsNode, selectorString } from '@marekvs/api';
import type { NodeRecord, VolumeRecord } from '@marekvs/planner';
import { type PersistentVolumeClaim, persistentVolumeClaims, type Stored } from '@marekvs/runtime';
import { MAREKVS_NODE } from '../../objects/kinds.ts';
import type { Reading } from '../../pass/live-reads.ts';
import type { Ports } from '../../pass/ports.ts';
import type { ClusterScope } from '../observation/observe.ts';

export interface LiveContext extends Reading {
  readonly cluster: MarekvsCluster;
  /** The nodes that were decided on: by now the cache may show others. */
  readonly nodes: readonly NodeRecord[];
  /** The volumes that were decided on. */
  readonly volumes: readonly VolumeRecord[];
  readonly ports: Ports;
}

export function liveContextOf(
  { cluster, observation }: Pick<ClusterScope, 'cluster' | 'observation'>,
  ports: Ports,
  signal: AbortSignal,
): LiveContext {
  const { nodes, volumes } = observation;
  return { namespace: cluster.metadata.namespace, cluster, nodes, volumes, ports, signal };
}

/** The nodes that the cluster controls. */
export async function readNodes({
  cluster,
  ports,
  signal,
}: Pick<LiveContext, 'cluster' | 'ports' | 'signal'>): Promise<readonly MarekvsNode[]> {
  const { namespace, name } = cluster.metadata;
  // By the field, not by a label that somebody may have removed (F55).
  const fieldSelector = `spec.clusterName=${name}`;
  const { items } = await ports.client.list(MAREKVS_NODE, { namespace, fieldSelector, signal });
  const live = items.filter((node) => isNodeOf(node, cluster.metadata));
  for (const node of live) ports.caches.nodes.observe(node);
  return live;
}

/** All volumes with the labels of the cluster. The cache also learns which of the known ones do not exist any more. */
export async function readVolumes({
  cluster,
  volumes,
  ports,
  signal,
}: LiveContext): Promise<readonly Stored<PersistentVolumeClaim>[]> {
  const { namespace, name } = cluster.metadata;
  const labelSelector = selectorString(clusterSelector(name));
  const { items } = await ports.client.list(persistentVolumeClaims, { namespace, labelSelector, signal });
  for (const claim of items) ports.caches.volumes.observe(claim);
  const there = new Set(items.map(({ metadata }) => metadata.uid));
  for (const gone of volumes.filter(({ uid }) => !there.has(uid)))
    ports.caches.volumes.observeDelete({ namespace, name: gone.name, uid: gone.uid });
  return items;
}
