// Before an operation is claimed or closed, before a step that rests on the cluster's record or spec, and again before the one
// irrevocable step, the world is read live: a cache is the past, and the past may show one node too many, or too few, or an operation
// that somebody else has already ended (docs/design/contract.md#removing-a-node).

import {
  clusterSelector,
  controllerOf,
  type LastOperation,
  type MarekvsCluster,
  type MarekvsNode,
  type Operation,
  type OperationPhase,
  pvcName,
  selectorString,
} from '@marekvs/api';
import { hasLostVolume, type NodeRecord, type VolumeRecord } from '@marekvs/planner';
import { ifFound, persistentVolumeClaims } from '@marekvs/runtime';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '../kinds.ts';
import type { Ports } from '../ports.ts';

export interface LiveContext {
  readonly cluster: MarekvsCluster;
  /** The nodes that were decided on: by now the cache may show others. */
  readonly nodes: readonly NodeRecord[];
  /** Likewise. */
  readonly volumes: readonly VolumeRecord[];
  readonly ports: Ports;
  readonly signal: AbortSignal;
}

/** The live cluster if the decision made on the cached one still holds for it: the same object and spec, no operation under way,
 *  exactly those nodes, none of them being deleted that the cache did not know of, and no volume that only the cache calls lost. Undefined: look again, the caches follow. */
export async function confirmClaim(context: LiveContext): Promise<MarekvsCluster | undefined> {
  const { cluster, ports, signal } = context;
  const { uid, generation } = cluster.metadata;
  const live = await ports.client.get(MAREKVS_CLUSTER, cluster.metadata, { signal });
  if (live.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined) return undefined;
  ports.caches.clusters.observe(live);
  if (live.metadata.generation !== generation || live.status?.operation !== undefined) return undefined;
  if (!(await confirmNodes(context)) || (await isAnyLostVolumeBack(context))) return undefined;
  return live;
}

/** True while the live nodes are those the operation was ended on, and the volume of its target is not there if it was missing too.
 *  An end is mostly decided on an absence, and it opens the way to what comes next: one that only a cache shows would give up a
 *  removal that is under way, or the volume it could be undone from. */
export async function confirmEnd({ target }: Pick<LastOperation, 'target'>, context: LiveContext): Promise<boolean> {
  if (!(await confirmNodes(context))) return false;
  const isMissing = target?.pvcUID !== undefined && !context.volumes.some(({ uid }) => uid === target.pvcUID);
  return !isMissing || !(await isVolumeThere(target.nodeId, target.pvcUID, context));
}

/** Phases that say that the target of a removal is gone: they are stored only while that is so. */
const AFTER: ReadonlySet<OperationPhase> = new Set(['Settling', 'Reclaiming']);

/** True unless the operation counts its target as gone and the live node is there, or counts it as there again and it is gone: a cache of
 *  the past shows the one before the target was made, and the other before it went. What follows, such as the end of its volume, could
 *  not be taken back. */
export async function confirmAway(operation: Operation, context: LiveContext): Promise<boolean> {
  const { cluster, ports } = context;
  const { target, phase } = operation;
  const before = cluster.status?.operation;
  const wasAway = before?.id === operation.id && AFTER.has(before.phase);
  const isBack = wasAway && phase === 'Deleting';
  if (target === undefined || !(isBack || AFTER.has(phase))) return true;
  const isThere = (await confirmTarget(target.name, operation, context)) !== undefined;
  if (!isThere) ports.caches.nodes.observeDelete({ ...target, namespace: cluster.metadata.namespace });
  return isThere === isBack;
}

/** True while the live cluster is the very version that was decided on. Whatever has become of it since then, the next pass decides on. */
export async function confirmDecision({ cluster, ports, signal }: LiveContext): Promise<boolean> {
  const live = await ifFound(ports.client.get(MAREKVS_CLUSTER, cluster.metadata, { signal }));
  if (live === undefined) return false;
  ports.caches.clusters.observe(live);
  const { uid, resourceVersion } = live.metadata;
  return uid === cluster.metadata.uid && resourceVersion === cluster.metadata.resourceVersion;
}

/** True while the live nodes of the cluster are those that were decided on, and none is being deleted that was not. */
export async function confirmNodes({ cluster, nodes, ports, signal }: LiveContext): Promise<boolean> {
  const live = await liveNodes(cluster, ports, signal);
  const known = new Map(nodes.map(({ uid, isDeleting }) => [uid, isDeleting]));
  const isKnown = ({ metadata }: MarekvsNode) => known.get(metadata.uid) === (metadata.deletionTimestamp !== undefined);
  return live.length === known.size && live.every(isKnown);
}

/** True while the live volumes of the cluster are the very versions that were decided on. An id that was used before comes back on its
 *  volume or not at all (docs/design/server.md#h2), and a cluster that forms takes up all that are there. */
export async function confirmVolumes({ cluster, volumes, ports, signal }: LiveContext): Promise<boolean> {
  const { namespace, name } = cluster.metadata;
  const labelSelector = selectorString(clusterSelector(name));
  const { items } = await ports.client.list(persistentVolumeClaims, { namespace, labelSelector, signal });
  for (const claim of items) ports.caches.volumes.observe(claim);
  const there = new Set(items.map(({ metadata }) => metadata.uid));
  for (const gone of volumes.filter(({ uid }) => !there.has(uid)))
    ports.caches.volumes.observeDelete({ namespace, name: gone.name, uid: gone.uid });
  const known = new Map(volumes.map(({ uid, resourceVersion }) => [uid, resourceVersion]));
  return (
    items.length === known.size && items.every(({ metadata }) => known.get(metadata.uid) === metadata.resourceVersion)
  );
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
  const ref = { namespace: cluster.metadata.namespace, name };
  const live = await ifFound(ports.client.get(MAREKVS_NODE, ref, { signal }));
  if (live === undefined) return undefined;
  ports.caches.nodes.observe(live);
  return live.metadata.uid === operation.target?.uid ? live : undefined;
}

/** A replacement is decided on an absence in a cache, and a cache is the past: every volume that was called lost is looked up live. */
export async function isAnyLostVolumeBack(context: LiveContext): Promise<boolean> {
  for (const node of context.nodes) {
    const { id, recordedVolumeUid } = node;
    if (recordedVolumeUid === undefined || !hasLostVolume(node)) continue;
    if (await isVolumeThere(id, recordedVolumeUid, context)) return true;
  }
  return false;
}

/** True when the live claim of that id is the very one. */
async function isVolumeThere(
  nodeId: number,
  claimUid: string,
  { cluster, ports, signal }: LiveContext,
): Promise<boolean> {
  const { namespace, name } = cluster.metadata;
  const ref = { namespace, name: pvcName(name, nodeId) };
  const live = await ifFound(ports.client.get(persistentVolumeClaims, ref, { signal }));
  if (live === undefined) return false;
  ports.caches.volumes.observe(live);
  return live.metadata.uid === claimUid;
}

/** Those of these nodes of the cluster that are really gone; the cache learns of the others. */
export async function goneNodes(
  names: readonly string[],
  cluster: MarekvsCluster,
  ports: Ports,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const live = await liveNodes(cluster, ports, signal);
  const there = new Set(live.map(({ metadata }) => metadata.name));
  return names.filter((name) => !there.has(name));
}

/** The nodes that the cluster controls; the cache learns of them. */
async function liveNodes(cluster: MarekvsCluster, ports: Ports, signal: AbortSignal): Promise<readonly MarekvsNode[]> {
  const { namespace, name, uid } = cluster.metadata;
  // By the field, not by a label that somebody may have taken away (F55).
  const { items } = await ports.client.list(MAREKVS_NODE, {
    namespace,
    fieldSelector: `spec.clusterName=${name}`,
    signal,
  });
  const live = items.filter((node) => controllerOf(node.metadata)?.uid === uid);
  for (const node of live) ports.caches.nodes.observe(node);
  return live;
}
