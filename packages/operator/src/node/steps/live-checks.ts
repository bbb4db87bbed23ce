// The live checks of the node controller. Which step rests on which of them: fences.ts.

import {
  ANNOTATIONS,
  type ClusterRef,
  controllerOf,
  FINALIZERS,
  isNodeOf,
  isOlder,
  isReleaseAsked,
  type MarekvsNode,
  ownerOfNode,
  pvcName,
  recordedVolume,
} from '@marekvs/api';
import { goesByProof, type Hold, hold, type NodeStep, passwordSource } from '@marekvs/planner';
import { ifFound, type PersistentVolumeClaim, type Stored } from '@marekvs/runtime';
import { toPodView } from '../../caches/pod-view.ts';
import { MAREKVS_NODE } from '../../objects/kinds.ts';
import { blocked, CONFIRMED, confirmedIf, DONE, type FenceOutcome, STALE } from '../../pass/fence.ts';
import { hostQuestion } from '../../pass/host-question.ts';
import { areOthersUnchanged, readClaim, readCluster, readNode, readPod, readPods } from '../../pass/live-reads.ts';
import { readSet } from '../../pass/read-set.ts';
import type { NodeExecuteContext } from './execute-context.ts';

export type NodeLiveContext = Omit<NodeExecuteContext, 'goneParents'>;

/** The live node is not being deleted and was never recorded with a volume: a node that was never gets another one
 *  (docs/design/server.md#h2). */
export async function nodeMayHaveNewVolume(context: NodeLiveContext): Promise<FenceOutcome> {
  const live = await readOwn(context);
  return confirmedIf(
    live?.metadata.deletionTimestamp === undefined && live !== undefined && recordedVolume(live) === undefined,
  );
}

/** The live node is not being deleted, has this volume, and asks for the storage that was decided on. */
export async function volumeIsToChange(context: NodeLiveContext): Promise<FenceOutcome> {
  const { node, record } = context.scope;
  const { spec } = node;
  const live = await readOwn(context);
  if (live === undefined || live.metadata.deletionTimestamp !== undefined) return STALE;
  const { size, volumeAttributesClassName } = live.spec.storage;
  const isItsVolume = (recordedVolume(live) ?? record.volume?.uid) === record.volume?.uid;
  const isAsked = size === spec.storage.size && volumeAttributesClassName === spec.storage.volumeAttributesClassName;
  return confirmedIf(isItsVolume && isAsked);
}

/** The live claim is the one that was handed over, and is not being deleted. */
export async function claimIsTheOneHandedOver(context: NodeLiveContext): Promise<FenceOutcome> {
  const { node, record } = context.scope;
  const name = pvcName(node.spec.clusterName, node.spec.nodeId);
  const needed = (reason: Hold['reason'], what: string): FenceOutcome =>
    blocked(hold(reason, `PersistentVolumeClaim ${name} ${what}: nothing is started in its place`, true));
  const claim = await ifFound(readOwnClaim(context));
  if (claim === undefined) return needed('VolumeLost', 'was handed over and is gone');
  if (claim.metadata.uid !== record.adopts?.volumeUid)
    return needed('VolumeForeign', 'is not the one that was handed over');
  if (claim.metadata.deletionTimestamp !== undefined) return needed('VolumeLost', 'is being deleted');
  return { kind: 'confirmed', live: { claim } };
}

/** The live claim that a Pod of this node would mount is the one that was decided on, is not being deleted, and is no
 *  other than the live node was recorded with. On another claim of the same name the Pod would be another, empty member
 *  under a used id (docs/design/server.md#h2). */
export async function volumeIsItsOwn(context: NodeLiveContext): Promise<FenceOutcome> {
  const { scope, ports } = context;
  const { metadata, spec } = scope.node;
  const wanted = scope.record.volume?.uid;
  if (wanted === undefined) return STALE;
  const node = await readOwn(context);
  if (node === undefined || (recordedVolume(node) ?? wanted) !== wanted) return STALE;
  const claim = await ifFound(readOwnClaim(context));
  if (claim === undefined) {
    const name = pvcName(spec.clusterName, spec.nodeId);
    ports.caches.volumes.observeDelete({ namespace: metadata.namespace, name, uid: wanted });
    return STALE;
  }
  return confirmedIf(claim.metadata.uid === wanted && claim.metadata.deletionTimestamp === undefined);
}

/** A member that goes without proof because it never joined, or is started anew while it joins for the first time, may
 *  have joined since it was last probed, and taken writes. So it is asked again. */
export async function targetNeverJoined({ scope, ports, signal }: NodeLiveContext): Promise<FenceOutcome> {
  const { node, operation, isClusterFormed } = scope.observation;
  const isUnproven = operation?.basis === 'NeverJoined' && operation.target?.uid === node.uid && node.isDeleting;
  const isStartedAnew = isClusterFormed && !node.isDeleting && node.answer.kind === 'joining';
  const ip = node.pod?.ip;
  if (!(isUnproven || isStartedAnew) || ip === undefined || !(await ports.members.hasJoined(ip, signal)))
    return CONFIRMED;
  const message = `${node.pod?.name} counts as never joined, but its member says that it has: it stays`;
  return blocked(hold('WaitingForProof', message));
}

/** The live cluster lets its Pods go: the stored phase of the release says so, and the spec still does. */
export async function podIsToBeLetGo(context: NodeLiveContext): Promise<FenceOutcome> {
  const { cluster, phase } = await liveRelease(context);
  const isUnchanged = cluster !== undefined && cluster.spec.paused !== true;
  const isMeant = phase === 'Closing' || (phase === 'LettingGo' && cluster !== undefined && isReleaseAsked(cluster));
  return confirmedIf(isUnchanged && isMeant);
}

/** The live StatefulSet is the one that was found fit, and still is fit. */
export async function setIsThere(context: NodeLiveContext): Promise<FenceOutcome> {
  const { scope, ports, signal } = context;
  const { cluster } = await liveRelease(context);
  if (cluster === undefined) return STALE;
  const set = await readSet(cluster, scope.observation.siblings.length, ports, signal);
  return confirmedIf(
    set.kind === 'there' && set.problem === undefined && set.uid === cluster.status?.release?.statefulSetUID,
  );
}

/** The live cluster is taking its Pods back. */
export async function podIsToBeTakenBack(context: NodeLiveContext): Promise<FenceOutcome> {
  const { cluster, phase } = await liveRelease(context);
  return confirmedIf(cluster !== undefined && cluster.spec.paused !== true && phase === 'TakingBack');
}

/** The live cluster says that the StatefulSet has all Pods. */
export async function isClosing(context: NodeLiveContext): Promise<FenceOutcome> {
  return confirmedIf((await liveRelease(context)).phase === 'Closing');
}

/** The live cluster and the phase of its release; both undefined when the cluster is another one or is being
 *  deleted. */
async function liveRelease(context: NodeLiveContext) {
  const { node, clusterUid } = context.scope;
  const live = await ifFound(readCluster(node.spec.clusterName, context));
  const isSame = live?.metadata.uid === clusterUid && live.metadata.deletionTimestamp === undefined;
  return isSame ? { cluster: live, phase: live.status?.release?.phase } : { cluster: undefined, phase: undefined };
}

/** The live node and its live cluster are the versions that were decided on. */
export async function decisionIsUnchanged(context: NodeLiveContext): Promise<FenceOutcome> {
  const { node, clusterVersion } = context.scope;
  const live = await ifFound(readNode(node.metadata.name, context));
  if (live === undefined) return STALE;
  const cluster = await ifFound(readCluster(node.spec.clusterName, context));
  const { uid, resourceVersion } = node.metadata;
  const isSameNode = live.metadata.uid === uid && live.metadata.resourceVersion === resourceVersion;
  return confirmedIf(cluster !== undefined && isSameNode && cluster.metadata.resourceVersion === clusterVersion);
}

/** The very cluster that the node is of is missing, replaced by a younger one of its name, or being deleted; and the
 *  live node is still of that one. */
export async function parentIsGone(context: NodeLiveContext): Promise<FenceOutcome> {
  if (!(await isParentGone(context))) return STALE;
  return confirmedIf((await readOwn(context)) !== undefined);
}

/** Reads live. The cache learns what was found. */
export async function isParentGone(context: NodeLiveContext): Promise<boolean> {
  const { namespace, name, uid } = parentRef(context.scope);
  const live = await ifFound(readCluster(name, context));
  if (live === undefined) {
    context.ports.caches.clusters.observeDelete({ namespace, name, uid });
    return true;
  }
  if (live.metadata.uid !== uid) return isOlder(context.scope.node, live);
  return live.metadata.deletionTimestamp !== undefined;
}

export function parentRef({ node, clusterUid }: NodeLiveContext['scope']): ClusterRef {
  return { namespace: node.metadata.namespace, name: node.spec.clusterName, uid: clusterUid };
}

/** The live node still names a cluster that it is not a node of. */
export async function nodeIsForeign(context: NodeLiveContext): Promise<FenceOutcome> {
  const { metadata } = context.scope.node;
  const live = await ifFound(readNode(metadata.name, context));
  if (live?.metadata.uid !== metadata.uid) return STALE;
  const owner = ownerOfNode(live);
  if (owner.kind !== 'cluster') return confirmedIf(owner.kind === 'foreign');
  return confirmedIf((await ifFound(readCluster(owner.cluster.name, context)))?.metadata.uid !== owner.cluster.uid);
}

/** No other member has gone or is going since the decision: together with this one it would be one too many. A removal
 *  without proof does not rely on the others. */
export async function othersAreUnchanged(context: NodeLiveContext): Promise<FenceOutcome> {
  const { node, siblings, operation } = context.scope.observation;
  if (!node.isDeleting || operation === undefined || !goesByProof(operation)) return CONFIRMED;
  return confirmedIf(areOthersUnchanged(node, siblings, await readAllPods(context)));
}

/** A live probe shows the host gone, or not ready and marked out of service. */
export async function hostIsOff(context: NodeLiveContext): Promise<FenceOutcome> {
  const { scope, ports, signal } = context;
  const { namespace } = scope.node.metadata;
  const probe = await ports.hostFindings.probe(hostQuestion(scope.record, namespace, ports.caches), signal);
  return confirmedIf(probe.state === 'gone' || probe.state === 'outOfService');
}

/** The live cluster exists, is neither being deleted nor paused, and names the Secret that was decided on. */
export async function clusterAsksForPassword(context: NodeLiveContext): Promise<FenceOutcome> {
  const { node, clusterUid, observation } = context.scope;
  const live = await ifFound(readCluster(node.spec.clusterName, context));
  if (live?.metadata.uid !== clusterUid) return STALE;
  const isSame = passwordSource(live.spec.auth?.secretRef) === observation.password?.asked;
  return confirmedIf(isSame && live.metadata.deletionTimestamp === undefined && live.spec.paused !== true);
}

/** The live node is not to leave, and what the process has that is ended was compared: it has its turn, or the node
 *  names its Pod. */
export async function nodeStays(context: NodeLiveContext, step: NodeStep): Promise<FenceOutcome> {
  const live = await readOwn(context);
  if (live === undefined || (live.spec.intent ?? 'Active') !== 'Active' || step.kind !== 'deletePod') return STALE;
  const { [ANNOTATIONS.removal]: mark, [ANNOTATIONS.mayRestart]: permitted } = live.metadata.annotations ?? {};
  return confirmedIf(step.isAsSeen === true || mark !== undefined || permitted === step.pod.uid);
}

/** The live claim is not being deleted: otherwise it would go with the Pod. */
export async function volumeStays(context: NodeLiveContext): Promise<FenceOutcome> {
  const claim = await readOwnClaim(context);
  return confirmedIf(claim.metadata.deletionTimestamp === undefined);
}

/** Every other Pod that was ready at the decision still is, and none of them is terminating: a restart waits while
 *  another member goes. Stricter than `othersAreUnchanged` about a Pod that was terminating before, since nothing
 *  counts copies before a restart. Unlike there, a Pod that was not ready then does not matter. */
export async function othersAreUp(context: NodeLiveContext): Promise<FenceOutcome> {
  const { node, siblings } = context.scope.observation;
  const live = (await readAllPods(context)).map(toPodView);
  const up = new Set(live.filter(({ isReady, isTerminating }) => isReady && !isTerminating).map(({ uid }) => uid));
  const others = siblings.filter(({ uid }) => uid !== node.uid);
  return confirmedIf(others.every(({ pod }) => pod?.isReady !== true || up.has(pod.uid)));
}

/** Our finalizer is on the node. Without it nothing is left to do. */
export async function hasOurFinalizer({ scope }: NodeLiveContext): Promise<FenceOutcome> {
  return scope.node.metadata.finalizers?.includes(FINALIZERS.memberSafeRemoval) === true ? CONFIRMED : DONE;
}

/** The node has no live Pod of its own. */
export async function podIsGone(context: NodeLiveContext): Promise<FenceOutcome> {
  const { metadata } = context.scope.node;
  const pod = await ifFound(readPod(metadata.name, context));
  return confirmedIf(pod?.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) !== true);
}

/** Every other running Pod has the address that was decided on, and is not ready if it was not then. Whether a member
 *  is forgotten is known from the members that were asked, and a stale cache lacks those that came since. */
export async function othersAreAsSeen(context: NodeLiveContext): Promise<FenceOutcome> {
  const { node, observation } = context.scope;
  const seen = new Map(observation.siblings.map(({ pod }) => [pod?.uid, pod]));
  const live = await readAllPods(context);
  const members = live.filter((pod) => controllerOf(pod.metadata)?.kind === MAREKVS_NODE.kind);
  const areSeen = members.map(toPodView).every(({ name, uid, ip, isReady, isTerminating }) => {
    if (name === node.metadata.name || isTerminating) return true;
    const before = seen.get(uid);
    return before !== undefined && before.ip === ip && (before.isReady || !isReady);
  });
  return confirmedIf(areSeen);
}

/** The live node, while it is this one and still of the cluster that it was decided for. */
async function readOwn(context: NodeLiveContext): Promise<MarekvsNode | undefined> {
  const { scope, ports } = context;
  const { metadata } = scope.node;
  const live = await ifFound(readNode(metadata.name, context));
  if (live?.metadata.uid === metadata.uid) return isNodeOf(live, parentRef(scope)) ? live : undefined;
  ports.caches.nodes.observeDelete(metadata);
  return undefined;
}

function readAllPods(context: NodeLiveContext) {
  return readPods(context.scope.node.spec.clusterName, context);
}

/** The live claim of the node's name. */
function readOwnClaim(context: NodeLiveContext): Promise<Stored<PersistentVolumeClaim>> {
  const { clusterName, nodeId } = context.scope.node.spec;
  return readClaim(pvcName(clusterName, nodeId), context);
}
