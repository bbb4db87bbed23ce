// Before an operation is claimed, and again before its one irrevocable step, the world is read live: a cache is the past, and the
// past may show one node too many, or an operation that somebody else has already ended (runtime.md 4.3).

import { controllerOf, type MarekvsCluster, type MarekvsNode, type Operation } from '@marekvs/api';
import { isNotFound } from '@marekvs/runtime';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '../kinds.ts';
import { BY_OWNER } from '../observation/caches.ts';
import type { Ports } from '../ports.ts';

export interface LiveContext {
  readonly cluster: MarekvsCluster;
  readonly ports: Ports;
  readonly signal: AbortSignal;
}

/** The live cluster if the decision made on the cached one still holds for it: the same object and spec, no operation under way,
 *  exactly the cached nodes, and none of them being deleted that the cache did not know of. Undefined: look again, the caches follow. */
export async function confirmClaim({ cluster, ports, signal }: LiveContext): Promise<MarekvsCluster | undefined> {
  const { uid, generation } = cluster.metadata;
  const live = await ports.client.get(MAREKVS_CLUSTER, cluster.metadata, { signal });
  if (live.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined) return undefined;
  ports.caches.clusters.observe(live);
  if (live.metadata.generation !== generation || live.status?.operation !== undefined) return undefined;
  const nodes = await liveNodes(cluster, ports, signal);
  const cached = new Map([...ports.caches.nodes.store.byIndex(BY_OWNER, uid)].map((view) => [view.uid, view]));
  for (const node of nodes) ports.caches.nodes.observe(node);
  const isKnown = ({ metadata }: MarekvsNode) => {
    const view = cached.get(metadata.uid);
    return (
      view !== undefined &&
      (view.object.metadata.deletionTimestamp === undefined) === (metadata.deletionTimestamp === undefined)
    );
  };
  return nodes.length === cached.size && nodes.every(isKnown) ? live : undefined;
}

/** True while the live cluster still holds this operation in a phase in which its target is deleted, and wants it. */
export async function confirmDelete(operation: Operation, { cluster, ports, signal }: LiveContext): Promise<boolean> {
  const live = await ports.client.get(MAREKVS_CLUSTER, cluster.metadata, { signal });
  ports.caches.clusters.observe(live);
  const { metadata, status, spec } = live;
  const isSame =
    metadata.uid === cluster.metadata.uid && metadata.deletionTimestamp === undefined && spec.paused !== true;
  // The spec the decision rests on; another one is judged by another pass.
  if (!isSame || metadata.generation !== cluster.metadata.generation) return false;
  return status?.operation?.id === operation.id && status.operation.phase === 'Deleting';
}

/** The live node if it is still the one the operation marked, and nobody has touched it since. */
export async function confirmTarget(
  name: string,
  operation: Operation,
  { cluster, ports, signal }: LiveContext,
): Promise<MarekvsNode | undefined> {
  try {
    const live = await ports.client.get(MAREKVS_NODE, { namespace: cluster.metadata.namespace, name }, { signal });
    ports.caches.nodes.observe(live);
    return live.metadata.uid === operation.target?.uid ? live : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function liveNodes(cluster: MarekvsCluster, ports: Ports, signal: AbortSignal): Promise<readonly MarekvsNode[]> {
  const { namespace, name, uid } = cluster.metadata;
  // By the field, not by a label that somebody may have taken away (F55).
  const { items } = await ports.client.list(MAREKVS_NODE, {
    namespace,
    fieldSelector: `spec.clusterName=${name}`,
    signal,
  });
  return items.filter((node) => controllerOf(node.metadata)?.uid === uid);
}
