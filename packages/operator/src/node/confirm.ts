// What is read live before a process begins or ends: a cache is the past, and a Pod's own version says nothing about the volume it
// will mount, or about whether its node may still go.

import { controllerOf, type MarekvsNode, pvcName } from '@marekvs/api';
import { goesByProof } from '@marekvs/planner';
import { ifFound, persistentVolumeClaims, pods } from '@marekvs/runtime';
import { MAREKVS_CLUSTER, MAREKVS_NODE } from '../kinds.ts';
import { areOthersStanding, type LivePodsOf, livePods } from '../live-pods.ts';
import { toPodView } from '../observation/views.ts';
import type { NodeExecuteContext } from './execute-context.ts';
import { isLabelledOurs } from './execute-volume.ts';

type LiveContext = Pick<NodeExecuteContext, 'scope' | 'ports' | 'signal'>;

/** The node of that name, which may be another one by now; undefined when there is none. The cache learns of it. */
async function liveNode({ scope, ports, signal }: LiveContext): Promise<MarekvsNode | undefined> {
  const live = await ifFound(ports.client.get(MAREKVS_NODE, scope.node.metadata, { signal }));
  if (live !== undefined) ports.caches.nodes.observe(live);
  return live;
}

/** True while the live node, and its live cluster, are the very versions that were decided on. */
export async function confirmDecision({ scope, ports, signal }: LiveContext): Promise<boolean> {
  const { metadata, spec } = scope.node;
  const owner = { namespace: metadata.namespace, name: spec.clusterName };
  const node = await liveNode({ scope, ports, signal });
  if (node === undefined) return false;
  const cluster = await ifFound(ports.client.get(MAREKVS_CLUSTER, owner, { signal }));
  if (cluster === undefined) return false;
  ports.caches.clusters.observe(cluster);
  const isSameNode = node.metadata.uid === metadata.uid && node.metadata.resourceVersion === metadata.resourceVersion;
  return isSameNode && cluster.metadata.resourceVersion === scope.clusterVersion;
}

/** True while the live node is there to stay and was never recorded with a volume: one that was, gets no other
 *  (docs/design/server.md#h2), and what is made for one that is gone stays behind, empty, under a used id. */
export async function mayHaveNewVolume({ scope, ports, signal }: LiveContext): Promise<boolean> {
  const { metadata } = scope.node;
  const live = await liveNode({ scope, ports, signal });
  if (live?.metadata.uid !== metadata.uid) {
    ports.caches.nodes.observeDelete(metadata);
    return false;
  }
  return live.metadata.deletionTimestamp === undefined && live.status?.pvcUID === undefined;
}

/** True when the claim that a Pod of this node would mount is the one the decision was made on, stays, and is no other than the node
 *  was recorded with: the same name on another claim is another, empty member under a used id (docs/design/server.md#h2). */
export async function isOnItsVolume({ scope, ports, signal }: LiveContext): Promise<boolean> {
  const { node, record } = scope;
  const ref = { namespace: node.metadata.namespace, name: pvcName(node.spec.clusterName, node.spec.nodeId) };
  const wanted = record.volume?.uid;
  if (wanted === undefined || !(await isRecordedWith(wanted, { scope, ports, signal }))) return false;
  const claim = await ifFound(ports.client.get(persistentVolumeClaims, ref, { signal }));
  if (claim === undefined) {
    ports.caches.volumes.observeDelete({ ...ref, uid: wanted });
    return false;
  }
  if (isLabelledOurs(claim)) ports.caches.volumes.observe(claim);
  return claim.metadata.uid === wanted && claim.metadata.deletionTimestamp === undefined;
}

async function isRecordedWith(volumeUid: string, { scope, ports, signal }: LiveContext): Promise<boolean> {
  const { metadata } = scope.node;
  const live = await liveNode({ scope, ports, signal });
  return live?.metadata.uid === metadata.uid && (live.status?.pvcUID ?? volumeUid) === volumeUid;
}

/** True while the node's own Pod is there. */
export async function hasLivePod({ scope, ports, signal }: LiveContext): Promise<boolean> {
  const { metadata } = scope.node;
  const pod = await ifFound(ports.client.get(pods, metadata, { signal }));
  const isOwn = pod?.metadata.ownerReferences?.some((owner) => owner.uid === metadata.uid) === true;
  if (isOwn && isLabelledOurs(pod)) ports.caches.pods.observe(pod);
  return isOwn;
}

/** True while every other Pod that runs is at the address, and as ready, as it was decided on: whether a member is forgotten is known
 *  from those that were asked, and a cache that shows the past has asked nobody who came since. */
export async function areOthersAsSeen(context: LiveContext): Promise<boolean> {
  const { scope } = context;
  const { metadata } = scope.node;
  const items = await livePods(around(context));
  const seen = new Map(scope.observation.siblings.map(({ pod }) => [pod?.uid, pod]));
  const members = items.filter((pod) => controllerOf(pod.metadata)?.kind === MAREKVS_NODE.kind);
  return members.map(toPodView).every(({ name, uid, ip, isReady, isTerminating }) => {
    if (name === metadata.name || isTerminating) return true;
    const before = seen.get(uid);
    return before !== undefined && before.ip === ip && (before.isReady || !isReady);
  });
}

/** True while nobody else has gone, or is going, since the decision: with this one it would be one too many. A removal that does not
 *  go by proof does not count on the others. */
export async function mayEndBeside(context: LiveContext): Promise<boolean> {
  const { node, siblings, operation } = context.scope.observation;
  if (!node.isDeleting || operation === undefined || !goesByProof(operation)) return true;
  return areOthersStanding(node, siblings, around(context));
}

/** True while every other Pod that was ready then still is, and none of them is ending: a member that only comes back stays where it is
 *  beside one that goes. */
export async function areOthersUp(context: LiveContext): Promise<boolean> {
  const { node, siblings } = context.scope.observation;
  const live = (await livePods(around(context))).map(toPodView);
  const up = new Set(live.filter(({ isReady, isTerminating }) => isReady && !isTerminating).map(({ uid }) => uid));
  const others = siblings.filter(({ uid }) => uid !== node.uid);
  return others.every(({ pod }) => pod?.isReady !== true || up.has(pod.uid));
}

function around({ scope: { node }, ports, signal }: LiveContext): LivePodsOf {
  return { cluster: { namespace: node.metadata.namespace, name: node.spec.clusterName }, ports, signal };
}
