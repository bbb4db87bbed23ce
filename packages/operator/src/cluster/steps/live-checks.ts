// The live checks of the cluster controller. Which step or turn rests on which of them: fences.ts.

import { ANNOTATIONS, controllerOf, nodeName, type Operation, pvcName, stageOf, withDefaults } from '@marekvs/api';
import { goesByProof, hasLostVolume, hold, isAway, isReplacedOnDrain, type PodRecord } from '@marekvs/planner';
import { ifFound } from '@marekvs/runtime';
import { toPodView } from '../../caches/pod-view.ts';
import { blocked, CONFIRMED, confirmedIf, type FenceOutcome, STALE } from '../../pass/fence.ts';
import { hostQuestion } from '../../pass/host-question.ts';
import { areOthersUnchanged, readClaim, readCluster, readNode, readPod, readPods } from '../../pass/live-reads.ts';
import { readSet } from '../../pass/read-set.ts';
import type { RecordChangeOf, StepOf } from './fence-subjects.ts';
import { type LiveContext, readNodes, readVolumes } from './live-context.ts';

/** The live cluster is the version that was decided on. Any change since then is left to the next pass. */
export async function clusterIsUnchanged(context: LiveContext): Promise<FenceOutcome> {
  const { name, uid, resourceVersion } = context.cluster.metadata;
  const live = await ifFound(readCluster(name, context));
  return confirmedIf(live?.metadata.uid === uid && live.metadata.resourceVersion === resourceVersion);
}

/** The live cluster is the same object with the same spec, is neither being deleted nor released, and has no
 *  operation. */
export async function clusterIsUnclaimed(context: LiveContext): Promise<FenceOutcome> {
  const { name, uid, generation } = context.cluster.metadata;
  const cluster = await readCluster(name, context);
  const { metadata, status } = cluster;
  const isSame = metadata.uid === uid && metadata.generation === generation;
  const isKept = metadata.deletionTimestamp === undefined && status?.release === undefined;
  const isFree = isKept && status?.operation === undefined;
  return isSame && isFree ? { kind: 'confirmed', live: { cluster } } : STALE;
}

/** The live nodes of the cluster are those that were decided on, and no further one is being deleted. */
export async function nodesAreTheSame(context: LiveContext): Promise<FenceOutcome> {
  const live = await readNodes(context);
  const known = new Map(context.nodes.map(({ uid, isDeleting }) => [uid, isDeleting]));
  const areKnown = live.every(({ metadata }) => known.get(metadata.uid) === (metadata.deletionTimestamp !== undefined));
  return confirmedIf(live.length === known.size && areKnown);
}

/** The live volumes of the cluster are exactly the versions that were decided on. A used id comes back on its volume or
 *  not at all (docs/design/server.md#h2), and a cluster that forms takes up all volumes that exist. */
export async function volumesAreUnchanged(context: LiveContext): Promise<FenceOutcome> {
  const live = await readVolumes(context);
  const known = new Map(context.volumes.map(({ uid, resourceVersion }) => [uid, resourceVersion]));
  const areKnown = live.every(({ metadata }) => known.get(metadata.uid) === metadata.resourceVersion);
  return confirmedIf(live.length === known.size && areKnown);
}

/** A node that is made because a volume is lost: the volume is really lost. */
export async function replacedVolumeIsLost(context: LiveContext, { why }: StepOf<'createNode'>): Promise<FenceOutcome> {
  return why === 'VolumeLost' ? lostVolumesAreLost(context) : CONFIRMED;
}

/** No volume exists that only the cache calls lost: the wanted number of nodes rests on that. */
export async function lostVolumesAreLost(context: LiveContext): Promise<FenceOutcome> {
  for (const node of context.nodes) {
    const { id, recordedVolumeUid } = node;
    if (recordedVolumeUid === undefined || !hasLostVolume(node)) continue;
    if (await isVolumeThere(id, recordedVolumeUid, context)) return STALE;
  }
  return CONFIRMED;
}

/** A live probe shows that the host is away, and no other host could mount the volume. */
export async function hostIsStillLost(context: LiveContext, { node }: StepOf<'markHostLost'>): Promise<FenceOutcome> {
  const { cluster, ports, signal } = context;
  const probe = await ports.hostFindings.probe(hostQuestion(node, cluster.metadata.namespace, ports.caches), signal);
  return confirmedIf(isAway(probe) && probe.volume === 'bound');
}

/** A live probe shows that the host is ready and being drained, and no other host could mount the volume. */
export async function hostIsStillDrained(
  context: LiveContext,
  { node }: StepOf<'markHostDrained'>,
): Promise<FenceOutcome> {
  const { cluster, ports, signal } = context;
  const question = hostQuestion(node, cluster.metadata.namespace, ports.caches, true);
  const probe = await ports.hostFindings.probe(question, signal);
  return confirmedIf(probe.state === 'ready' && probe.isDrained && probe.volume === 'bound');
}

/** The host takes Pods again, or the member is on another one. No probe is needed where members are not replaced on a
 *  drain, or hosts may not be watched. */
export async function hostIsLetInAgain(
  context: LiveContext,
  { node, host }: StepOf<'unmarkHostDrained'>,
): Promise<FenceOutcome> {
  const { cluster, ports, signal } = context;
  if (!isReplacedOnDrain({ spec: withDefaults(cluster.spec) }) || ports.drainedHosts.seen() === 'forbidden')
    return CONFIRMED;
  const probe = await ports.hostFindings.probe(hostQuestion(node, cluster.metadata.namespace, ports.caches), signal);
  return confirmedIf(probe.isForbidden || probe.host !== host || (probe.state === 'ready' && !probe.isDrained));
}

/** The live node has the mark of the operation and, if it goes by proof, carries that, and is not being deleted yet. An
 *  operator that lives in the past takes a proof off that it does not know. */
export async function targetIsMarked(context: LiveContext, step: StepOf<'deleteNode'>): Promise<FenceOutcome> {
  const operation = context.cluster.status?.operation;
  if (operation === undefined || operation.id !== step.operationId) return STALE;
  const node = await readTarget(step.node.name, operation, context);
  const isMarked = node?.metadata.annotations?.[ANNOTATIONS.removal] === operation.id;
  if (node === undefined || !isMarked || node.metadata.deletionTimestamp !== undefined) return STALE;
  const isCarried = node.status?.removalProof?.operationId === operation.id;
  return isCarried || !goesByProof(operation) ? { kind: 'confirmed', live: { node } } : STALE;
}

/** The live cluster still has the operation in phase Deleting, and the spec that was decided on. */
export async function removalIsDeleting(
  context: LiveContext,
  { operationId }: StepOf<'deleteNode'>,
): Promise<FenceOutcome> {
  const { name, uid, generation } = context.cluster.metadata;
  const { metadata, status, spec } = await readCluster(name, context);
  const isUnchanged = metadata.uid === uid && metadata.deletionTimestamp === undefined && spec.paused !== true;
  if (!isUnchanged || metadata.generation !== generation) return STALE;
  return confirmedIf(status?.operation?.id === operationId && status.operation.phase === 'Deleting');
}

/** A removal by proof relies on the other members: their live Pods are those that were decided on, and none is
 *  terminating. */
export async function othersAreUnchanged(context: LiveContext, { node }: StepOf<'deleteNode'>): Promise<FenceOutcome> {
  const { cluster, nodes } = context;
  const operation = cluster.status?.operation;
  if (operation === undefined || !goesByProof(operation)) return CONFIRMED;
  return confirmedIf(areOthersUnchanged(node, nodes, await readPods(cluster.metadata.name, context)));
}

/** The live claim of that name is the volume that was decided on. */
export async function volumeIsTheSame(context: LiveContext, { volume }: StepOf<'ownVolume'>): Promise<FenceOutcome> {
  const claim = await readClaim(volume.name, context);
  return claim.metadata.uid === volume.uid ? { kind: 'confirmed', live: { claim } } : STALE;
}

/** No live node has the id of the volume. */
export async function noNodeHasItsId(context: LiveContext, { volume }: StepOf<'deleteVolume'>): Promise<FenceOutcome> {
  if (volume.nodeId === undefined) return STALE;
  const user = nodeName(context.cluster.metadata.name, volume.nodeId);
  return confirmedIf((await ifFound(readNode(user, context))) === undefined);
}

/** No live Pod could mount the volume. */
export async function noPodMayMountIt(context: LiveContext, { volume }: StepOf<'deleteVolume'>): Promise<FenceOutcome> {
  if (volume.nodeId === undefined) return STALE;
  const user = nodeName(context.cluster.metadata.name, volume.nodeId);
  if ((await ifFound(readPod(user, context))) === undefined) return CONFIRMED;
  const message = `PersistentVolumeClaim ${volume.name} is not deleted: Pod ${user} may mount it`;
  return blocked(hold('VolumeStuckTerminating', message));
}

/** If the cache shows no volume of the target, there is none: from its volume the target could come back. */
export async function targetVolumeIsGone(
  context: LiveContext,
  { ended: { target } }: RecordChangeOf<'end'>,
): Promise<FenceOutcome> {
  const isMissing = target?.pvcUID !== undefined && !context.volumes.some(({ uid }) => uid === target.pvcUID);
  return isMissing ? confirmedIf(!(await isVolumeThere(target.nodeId, target.pvcUID, context))) : CONFIRMED;
}

/** After a resize in place, and after a removal whose target stays: the live node is the version that was decided
 *  on. */
export async function nodeThatStaysIsAsSeen(
  context: LiveContext,
  { ended }: RecordChangeOf<'end'>,
): Promise<FenceOutcome> {
  const { cluster, nodes } = context;
  const operation = cluster.status?.operation;
  const resized = operation?.phase === 'Resizing' ? operation.roll?.uid : undefined;
  const seen = nodes.find(({ uid }) => uid === resized || uid === ended.target?.uid);
  if (seen === undefined) return CONFIRMED;
  const live = await ifFound(readNode(seen.name, context));
  return confirmedIf(live?.metadata.uid === seen.uid && live.metadata.resourceVersion === seen.resourceVersion);
}

/** The live Pod of the node is the one that was decided on, in the same state. */
export async function podIsAsSeen(context: LiveContext, { nodeUid }: RecordChangeOf<'stop'>): Promise<FenceOutcome> {
  const node = context.nodes.find(({ uid }) => uid === nodeUid);
  if (node === undefined) return STALE;
  return confirmedIf(stateOf(await livePod(node.name, context)) === stateOf(node.pod));
}

/** The cache is right about whether the live Pod was told to leave: otherwise its removal would count as taken back
 *  before anybody has compared what only this Pod has. */
export async function toldPodIsAsSeen(context: LiveContext, { node }: StepOf<'reinstate'>): Promise<FenceOutcome> {
  const live = await livePod(node.name, context);
  return confirmedIf(live?.uid === node.pod?.uid && live?.isLeaving === node.pod?.isLeaving);
}

/** The live Pod whose door is to be closed is the one that was decided on, and runs. */
export async function openPodIsAsSeen(
  context: LiveContext,
  { pod: { name, uid } }: StepOf<'sealNode'>,
): Promise<FenceOutcome> {
  const pod = await ifFound(readPod(name, context));
  const isSame = pod?.metadata.uid === uid && pod.metadata.deletionTimestamp === undefined;
  return isSame && pod.status?.phase === 'Running' ? { kind: 'confirmed', live: { pod } } : STALE;
}

/** A text that stays equal while the state of the Pod is the same. */
function stateOf(pod: PodRecord | undefined): string {
  if (pod === undefined) return 'none';
  const { uid, phase, hostName, isReady, isTerminating, waiting, unschedulable } = pod;
  return [uid, phase, hostName, isReady, isTerminating, waiting?.reason, unschedulable === undefined].join();
}

/** The live node is gone where the phase counts it as gone, which is stored only while that is true, and there where
 *  the phase counts it as back. A stale cache may be from before the target was created, or from before it was
 *  deleted. */
export async function targetIsWhereThePhaseSays(
  context: LiveContext,
  { operation }: RecordChangeOf<'phase'>,
): Promise<FenceOutcome> {
  const { cluster, ports } = context;
  const { target, phase } = operation;
  const before = cluster.status?.operation;
  const wasAway = before?.id === operation.id && stageOf(before) === 'after';
  const isBack = wasAway && phase === 'Deleting';
  if (target === undefined || !(isBack || stageOf(operation) === 'after')) return CONFIRMED;
  const isThere = (await readTarget(target.name, operation, context)) !== undefined;
  if (!isThere) ports.caches.nodes.observeDelete({ ...target, namespace: cluster.metadata.namespace });
  return confirmedIf(isThere === isBack);
}

/** All members stop or start together: these must be exactly the live nodes. None of their Pods may be left once they
 *  count as stopped. */
export async function allThatStopAreKnown(
  context: LiveContext,
  { operation }: RecordChangeOf<'phase'>,
): Promise<FenceOutcome> {
  const { type, phase } = operation;
  if (type === 'Suspend' && phase === 'Stopping') return nodesAreTheSame(context);
  if (type !== 'Hibernate' || phase === context.cluster.status?.operation?.phase) return CONFIRMED;
  if (phase === 'Stopping' || phase === 'Waking') return nodesAreTheSame(context);
  if (phase !== 'Hibernated') return CONFIRMED;
  const live = await readPods(context.cluster.metadata.name, context);
  const uids = new Set(context.nodes.map(({ uid }) => uid));
  return confirmedIf(live.every((pod) => !uids.has(controllerOf(pod.metadata)?.uid ?? '')));
}

/** Before the nodes are deleted: the StatefulSet exists, and every live Pod of these nodes belongs to it and is
 *  ready. */
export async function setHasAllPods(context: LiveContext, { next }: RecordChangeOf<'release'>): Promise<FenceOutcome> {
  if (next.stored?.phase !== 'Closing') return CONFIRMED;
  const { cluster, nodes, ports, signal } = context;
  const set = await readSet(cluster, nodes.length, ports, signal);
  if (set.kind !== 'there' || set.problem !== undefined || set.uid !== next.stored.setUid) return STALE;
  const views = await Promise.all(nodes.map((node) => livePod(node.name, context)));
  return confirmedIf(views.every((pod) => pod?.ownerUid === set.uid && pod.isReady && !pod.isTerminating));
}

/** Before a release counts as undone: every live Pod belongs to its node, and no StatefulSet of ours could take one. */
export async function podsAreTakenBack(
  context: LiveContext,
  { next }: RecordChangeOf<'release'>,
): Promise<FenceOutcome> {
  if (next.isOver || next.stored !== undefined) return CONFIRMED;
  const { cluster, nodes, ports, signal } = context;
  const set = await readSet(cluster, nodes.length, ports, signal);
  if (set.kind === 'unread' || (set.kind === 'there' && set.isOurs)) return STALE;
  const views = await Promise.all(nodes.map(async (node) => ({ node, pod: await livePod(node.name, context) })));
  return confirmedIf(views.every(({ node, pod }) => pod === undefined || pod.ownerUid === node.uid));
}

/** No live Pod belongs to the node. */
export async function podIsInOtherHands(context: LiveContext, { node }: StepOf<'dropNode'>): Promise<FenceOutcome> {
  const pod = await livePod(node.name, context);
  return confirmedIf(pod?.ownerUid !== node.uid);
}

async function livePod(name: string, context: LiveContext): Promise<PodRecord | undefined> {
  const live = await ifFound(readPod(name, context));
  return live === undefined ? undefined : toPodView(live);
}

/** The live node of that name; undefined unless it is the target of the operation. */
async function readTarget(name: string, { target }: Operation, context: LiveContext) {
  const live = await ifFound(readNode(name, context));
  return live?.metadata.uid === target?.uid ? live : undefined;
}

/** True when the live claim of this id has this UID. */
async function isVolumeThere(nodeId: number, claimUid: string, context: LiveContext): Promise<boolean> {
  const name = pvcName(context.cluster.metadata.name, nodeId);
  return (await ifFound(readClaim(name, context)))?.metadata.uid === claimUid;
}
