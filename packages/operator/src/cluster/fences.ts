// What the cluster controller reads live before it does something, and why.
// There is a row for each kind of step, and for each turn of the record of an operation (docs/decisions/0008, 0014).
// When a fence does not hold, its step or turn is left to the next pass. The checks stand below the tables.

import {
  ANNOTATIONS,
  controllerOf,
  type LastOperation,
  nodeName,
  type Operation,
  type OperationPhase,
  withDefaults,
} from '@marekvs/api';
import {
  type ClusterStep,
  goesByProof,
  hasLostVolume,
  hold,
  isAway,
  isReplacedOnDrain,
  type PodRecord,
  type ReleaseTurn,
} from '@marekvs/planner';
import { ifFound, persistentVolumeClaims, pods } from '@marekvs/runtime';
import { blocked, confirm, type Fence, HOLDS, holdsIf, STALE, type Verdict } from '../fence.ts';
import { areOthersUnchanged, readCluster, readNode, readPods } from '../live-reads.ts';
import { hostQuestion } from '../observation/host-question.ts';
import { toPodView } from '../observation/views.ts';
import { type LiveContext, readClaim, readingOf, readNodes, readVolumes } from './live-context.ts';
import { readSet } from './read-release.ts';

type StepKind = ClusterStep['kind'];
type StepOf<K extends StepKind> = Extract<ClusterStep, { readonly kind: K }>;

interface StepRow<S> {
  /** Read once for all steps of a pass that rest on it, before the first of them. */
  readonly oncePerPass: readonly Fence<LiveContext>[];
  /** Read for this step alone, right before its write. */
  readonly rightBefore: readonly Fence<LiveContext, S>[];
  readonly why: string;
}

/** No kind of step is without a row: each says what it is fenced by, or why by nothing. */
export const STEP_FENCES: { readonly [K in StepKind]: StepRow<StepOf<K>> } = {
  createNode: {
    oncePerPass: [clusterIsUnchanged, nodesAreTheSame, volumesAreUnchanged],
    rightBefore: [replacedVolumeIsLost],
    why: 'An absence has no version: what the cache does not show would be made twice, or under a used id.',
  },
  setServing: unfenced('The patch carries the version of the node, and a Service is changed back as easily.'),
  setSeeds: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'New seeds restart a member while its cluster is not formed: the version of the node does not tell.',
  },
  isolate: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'It marks a node for the operation of the record: the version of the node does not say that it ended.',
  },
  reinstate: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'It takes a mark off because no operation is on the node: one may have begun since.',
  },
  markHostLost: {
    oncePerPass: [clusterIsUnchanged, nodesAreTheSame],
    rightBefore: [hostIsStillLost],
    why: 'That a host is lost rests on an absence: it may be back, or another node may just be going.',
  },
  unmarkHostLost: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'It takes the mark off because no removal is on the node: one may have begun since.',
  },
  markHostDrained: {
    oncePerPass: [clusterIsUnchanged, nodesAreTheSame],
    rightBefore: [hostIsStillDrained],
    why: 'It makes a node and gives one up: the host may be let in again, or another node may just be going.',
  },
  unmarkHostDrained: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [hostIsLetInAgain],
    why: 'That nobody drains a host rests on an absence: it may be gone, and its member with it.',
  },
  stampNode: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'The template is made of the spec: that of an earlier one would end members.',
  },
  stampPassword: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'Which Secret is asked for is the live cluster’s to say. The patch carries the version of the node.',
  },
  forgetPasswords: unfenced(
    'The patch carries the version of the node: whoever notes another one before a member is told changes that.',
  ),
  restartNode: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'The permit to end a process: the template, and that its turn goes on, are the cluster’s to say.',
  },
  resizeNode: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'The permit to resize a running Pod: that only resources differ, and that it is its turn, are the cluster’s to say.',
  },
  endRestart: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'It takes the mark of a turn off: the version of the node does not say that the turn is as far.',
  },
  stopNode: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'The permit to end a process and to make none: that its members are to stop is the live cluster’s to say.',
  },
  resumeNode: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'A process begins, on a volume somebody may be at work on: that it is to is the live cluster’s to say.',
  },
  startNode: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'A process begins: that it is to, and is not too old for it, is the live cluster’s to say.',
  },
  storeRevision: unfenced('A revision is named after what it holds: the same one is stored once.'),
  dropRevision: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'It may be what an update goes back to. The DELETE carries the version it was decided on.',
  },
  protectNode: unfenced(
    'The patch carries the version of the node, and the label follows the spec again in the next pass.',
  ),
  deleteNode: {
    oncePerPass: [],
    rightBefore: [targetIsMarked, removalIsDeleting, nodesAreTheSame, lostVolumesAreLost, othersAreUnchanged],
    why: 'The point of no return. The DELETE carries the version just read, and bounces off a node taken back.',
  },
  setStorage: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'A volume never gets smaller again: that a larger one is wanted is the live cluster’s to say.',
  },
  handChild: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [],
    why: 'That the Pods change hands is the cluster’s to say. The patch carries the version it was decided on.',
  },
  dropNode: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [podIsInOtherHands],
    why: 'With the node the garbage collector would end a Pod of it. The DELETE carries the version it was decided on.',
  },
  ownVolume: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [volumeIsTheSame],
    why: 'It says whether the volume goes with its cluster. The patch replaces all owners: they are read.',
  },
  protectVolume: unfenced(
    'The patch carries the version of the volume, and the label follows the spec again in the next pass.',
  ),
  rememberId: unfenced('The patch carries the version of the volume, and an id that was used stays used.'),
  deleteVolume: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [noNodeHasItsId, noPodMayMountIt],
    why: 'The only copy of some records could be on it. The DELETE carries the version it was decided on.',
  },
};

/** A turn of the record of an operation, or none. */
export type Turn =
  | { readonly kind: 'end'; readonly ended: Pick<LastOperation, 'target'> }
  | { readonly kind: 'phase'; readonly operation: Operation }
  | { readonly kind: 'claim' }
  /** The members are handed to a StatefulSet, or taken back: it goes on by one phase, or is over. */
  | { readonly kind: 'release'; readonly next: ReleaseTurn }
  /** An update stops at a member. */
  | { readonly kind: 'stop'; readonly nodeUid: string }
  | { readonly kind: 'news' };
type TurnOf<K extends Turn['kind']> = Extract<Turn, { readonly kind: K }>;

interface TurnRow<T> {
  readonly rightBefore: readonly Fence<LiveContext, T>[];
  readonly why: string;
}

/** Every write of the status carries the version of the cluster that was decided on, or that its claim has just
 *  read. */
export const TURN_FENCES: { readonly [K in Turn['kind']]: TurnRow<TurnOf<K>> } = {
  end: {
    rightBefore: [nodesAreTheSame, targetVolumeIsGone, resizedNodeIsAsSeen],
    why: 'An end mostly rests on an absence: one that only a cache shows would give up a removal under way. That of a resize says which resources a Pod has: the live node may let it have others.',
  },
  phase: {
    rightBefore: [targetIsWhereThePhaseSays, allThatStopAreKnown],
    why: 'What follows once the target counts as gone, such as the end of its volume, cannot be taken back. And a member that only a cache does not show would run on while the others stop, or stay while they start.',
  },
  claim: {
    rightBefore: [clusterIsUnclaimed, nodesAreTheSame, lostVolumesAreLost],
    why: 'Which node is one too many rests on all the others, and on volumes that only a cache may call lost.',
  },
  release: {
    rightBefore: [nodesAreTheSame, setHasAllPods, podsAreTakenBack],
    why: 'The StatefulSet having every Pod, no node being left, and every Pod being ours again: a cache may be of the past.',
  },
  stop: {
    rightBefore: [podIsAsSeen],
    why: 'A Pod that cannot run is known from what its host has said: a cache of the past shows one that has since.',
  },
  news: { rightBefore: [], why: 'It turns nothing: what it tells is told anew by the next pass.' },
};

/** The fences of one kind of step, right before its write. */
export function confirmStep<K extends StepKind>(
  kind: K,
  step: { readonly [Each in StepKind]: StepOf<Each> }[K],
  context: LiveContext,
): Promise<Verdict> {
  return confirm(STEP_FENCES[kind].rightBefore, context, step);
}

/** The fences of one turn, right before its write. */
export function confirmTurn<K extends Turn['kind']>(
  kind: K,
  turn: { readonly [Each in Turn['kind']]: TurnOf<Each> }[K],
  context: LiveContext,
): Promise<Verdict> {
  return confirm(TURN_FENCES[kind].rightBefore, context, turn);
}

/** The steps of a pass without those that rest on the past. Each live read that several rest on is made once, for
 *  the first of them. */
export async function withoutStale(
  steps: readonly ClusterStep[],
  context: LiveContext,
): Promise<readonly ClusterStep[]> {
  const verdicts = new Map<Fence<LiveContext>, Verdict>();
  const valid: ClusterStep[] = [];
  for (const step of steps) {
    const fences = STEP_FENCES[step.kind].oncePerPass;
    if (fences.length === 0 || (await doHold(fences, verdicts, context))) valid.push(step);
  }
  return valid;
}

async function doHold(
  fences: readonly Fence<LiveContext>[],
  verdicts: Map<Fence<LiveContext>, Verdict>,
  context: LiveContext,
): Promise<boolean> {
  for (const fence of fences) {
    const verdict = verdicts.get(fence) ?? (await fence(context, undefined));
    verdicts.set(fence, verdict);
    if (verdict.kind !== 'holds') return false;
  }
  return true;
}

function unfenced(why: string): StepRow<ClusterStep> {
  return { oncePerPass: [], rightBefore: [], why };
}

/** The live cluster is the very version that was decided on. Whatever has become of it since then, the next pass
 *  decides on. */
async function clusterIsUnchanged(context: LiveContext): Promise<Verdict> {
  const { name, uid, resourceVersion } = context.cluster.metadata;
  const live = await ifFound(readCluster(name, readingOf(context)));
  return holdsIf(live?.metadata.uid === uid && live.metadata.resourceVersion === resourceVersion);
}

/** The live cluster is the same object with the same spec, stays, and has no operation under way. */
async function clusterIsUnclaimed(context: LiveContext): Promise<Verdict> {
  const { name, uid, generation } = context.cluster.metadata;
  const cluster = await readCluster(name, readingOf(context));
  const { metadata, status } = cluster;
  const isSame = metadata.uid === uid && metadata.generation === generation;
  const isKept = metadata.deletionTimestamp === undefined && status?.release === undefined;
  const isFree = isKept && status?.operation === undefined;
  return isSame && isFree ? { kind: 'holds', live: { cluster } } : STALE;
}

/** The live nodes of the cluster are those that were decided on, and none is being deleted that was not. */
async function nodesAreTheSame(context: LiveContext): Promise<Verdict> {
  const live = await readNodes(context);
  const known = new Map(context.nodes.map(({ uid, isDeleting }) => [uid, isDeleting]));
  const areKnown = live.every(({ metadata }) => known.get(metadata.uid) === (metadata.deletionTimestamp !== undefined));
  return holdsIf(live.length === known.size && areKnown);
}

/** The live volumes of the cluster are the very versions that were decided on. An id that was used before comes
 *  back on its volume or not at all (docs/design/server.md#h2), and a cluster that forms takes up all that are
 *  there. */
async function volumesAreUnchanged(context: LiveContext): Promise<Verdict> {
  const live = await readVolumes(context);
  const known = new Map(context.volumes.map(({ uid, resourceVersion }) => [uid, resourceVersion]));
  const areKnown = live.every(({ metadata }) => known.get(metadata.uid) === metadata.resourceVersion);
  return holdsIf(live.length === known.size && areKnown);
}

/** Of a node that is made because a volume is lost: the volume is. */
async function replacedVolumeIsLost(context: LiveContext, { why }: StepOf<'createNode'>): Promise<Verdict> {
  return why === 'VolumeLost' ? lostVolumesAreLost(context) : HOLDS;
}

/** No volume is there that only the cache calls lost: how many nodes there have to be rests on that. */
async function lostVolumesAreLost(context: LiveContext): Promise<Verdict> {
  for (const node of context.nodes) {
    const { id, recordedVolumeUid } = node;
    if (recordedVolumeUid === undefined || !hasLostVolume(node)) continue;
    if (await isVolumeThere(id, recordedVolumeUid, context)) return STALE;
  }
  return HOLDS;
}

/** The host is away now, by a live probe, and no other one could mount the volume. */
async function hostIsStillLost(context: LiveContext, { node }: StepOf<'markHostLost'>): Promise<Verdict> {
  const { cluster, ports, signal } = context;
  const probe = await ports.hostFindings.probe(hostQuestion(node, cluster.metadata.namespace, ports.caches), signal);
  return holdsIf(isAway(probe) && probe.volume === 'bound');
}

/** The host is well and being drained now, by a live probe, and no other one could mount the volume. */
async function hostIsStillDrained(context: LiveContext, { node }: StepOf<'markHostDrained'>): Promise<Verdict> {
  const { cluster, ports, signal } = context;
  const question = hostQuestion(node, cluster.metadata.namespace, ports.caches, true);
  const probe = await ports.hostFindings.probe(question, signal);
  return holdsIf(probe.state === 'ready' && probe.isDrained && probe.volume === 'bound');
}

/** The host takes Pods now, or the member is on another one. Where nobody wants it any more, or hosts may not be watched, no probe is needed. */
async function hostIsLetInAgain(context: LiveContext, { node, host }: StepOf<'unmarkHostDrained'>): Promise<Verdict> {
  const { cluster, ports, signal } = context;
  if (!isReplacedOnDrain({ spec: withDefaults(cluster.spec) }) || ports.drainedHosts.seen() === 'forbidden')
    return HOLDS;
  const probe = await ports.hostFindings.probe(hostQuestion(node, cluster.metadata.namespace, ports.caches), signal);
  return holdsIf(probe.isForbidden || probe.host !== host || (probe.state === 'ready' && !probe.isDrained));
}

/** The live node is the one that the operation has marked, and is not being deleted yet. */
async function targetIsMarked(context: LiveContext, step: StepOf<'deleteNode'>): Promise<Verdict> {
  const operation = context.cluster.status?.operation;
  if (operation === undefined || operation.id !== step.operationId) return STALE;
  const node = await readTarget(step.node.name, operation, context);
  const isMarked = node?.metadata.annotations?.[ANNOTATIONS.removal] === operation.id;
  if (node === undefined || !isMarked || node.metadata.deletionTimestamp !== undefined) return STALE;
  return { kind: 'holds', live: { node } };
}

/** The live cluster still holds the operation in the phase in which its target is deleted, and has the spec the
 *  decision rests on. */
async function removalIsDeleting(context: LiveContext, { operationId }: StepOf<'deleteNode'>): Promise<Verdict> {
  const { name, uid, generation } = context.cluster.metadata;
  const { metadata, status, spec } = await readCluster(name, readingOf(context));
  const isUnchanged = metadata.uid === uid && metadata.deletionTimestamp === undefined && spec.paused !== true;
  if (!isUnchanged || metadata.generation !== generation) return STALE;
  return holdsIf(status?.operation?.id === operationId && status.operation.phase === 'Deleting');
}

/** A removal that goes by proof counts on the others: their live Pods are those that were decided on, and none is
 *  ending. */
async function othersAreUnchanged(context: LiveContext, { node }: StepOf<'deleteNode'>): Promise<Verdict> {
  const { cluster, nodes } = context;
  const operation = cluster.status?.operation;
  if (operation === undefined || !goesByProof(operation)) return HOLDS;
  return holdsIf(areOthersUnchanged(node, nodes, await readPods(cluster.metadata.name, readingOf(context))));
}

/** The live claim of that name is the volume that was decided on. */
async function volumeIsTheSame(context: LiveContext, { volume }: StepOf<'ownVolume'>): Promise<Verdict> {
  const { cluster, ports, signal } = context;
  const ref = { namespace: cluster.metadata.namespace, name: volume.name };
  const claim = await ports.client.get(persistentVolumeClaims, ref, { signal });
  return claim.metadata.uid === volume.uid ? { kind: 'holds', live: { claim } } : STALE;
}

/** No live node has the id of the volume. */
async function noNodeHasItsId(context: LiveContext, { volume }: StepOf<'deleteVolume'>): Promise<Verdict> {
  if (volume.nodeId === undefined) return STALE;
  const user = nodeName(context.cluster.metadata.name, volume.nodeId);
  return holdsIf((await ifFound(readNode(user, readingOf(context)))) === undefined);
}

/** No live Pod could mount the volume. */
async function noPodMayMountIt(context: LiveContext, { volume }: StepOf<'deleteVolume'>): Promise<Verdict> {
  const { cluster, ports, signal } = context;
  const { namespace, name } = cluster.metadata;
  if (volume.nodeId === undefined) return STALE;
  const user = nodeName(name, volume.nodeId);
  if ((await ifFound(ports.client.get(pods, { namespace, name: user }, { signal }))) === undefined) return HOLDS;
  const message = `PersistentVolumeClaim ${volume.name} is not deleted: Pod ${user} may mount it`;
  return blocked(hold('VolumeStuckTerminating', message));
}

/** The volume of the target is not there if it was missing too: from it the target could come back. */
async function targetVolumeIsGone(context: LiveContext, { ended: { target } }: TurnOf<'end'>): Promise<Verdict> {
  const isMissing = target?.pvcUID !== undefined && !context.volumes.some(({ uid }) => uid === target.pvcUID);
  return isMissing ? holdsIf(!(await isVolumeThere(target.nodeId, target.pvcUID, context))) : HOLDS;
}

/** After a turn in place: the live node of the member is the very version that was decided on. */
async function resizedNodeIsAsSeen(context: LiveContext): Promise<Verdict> {
  const { cluster, nodes } = context;
  const operation = cluster.status?.operation;
  const seen = nodes.find(({ uid }) => uid === operation?.roll?.uid);
  if (operation?.phase !== 'Resizing' || seen === undefined) return HOLDS;
  const live = await ifFound(readNode(seen.name, readingOf(context)));
  return holdsIf(live?.metadata.uid === seen.uid && live.metadata.resourceVersion === seen.resourceVersion);
}

/** The live Pod of that node is the one that was decided on, in the state it was seen in. */
async function podIsAsSeen(context: LiveContext, { nodeUid }: TurnOf<'stop'>): Promise<Verdict> {
  const { cluster, nodes, ports, signal } = context;
  const node = nodes.find(({ uid }) => uid === nodeUid);
  if (node === undefined) return STALE;
  const ref = { namespace: cluster.metadata.namespace, name: node.name };
  const live = await ifFound(ports.client.get(pods, ref, { signal }));
  if (live !== undefined) ports.caches.pods.observe(live);
  return holdsIf(stateOf(live === undefined ? undefined : toPodView(live)) === stateOf(node.pod));
}

/** A text that is equal for a Pod that has come no further. */
function stateOf(pod: PodRecord | undefined): string {
  if (pod === undefined) return 'none';
  const { uid, phase, hostName, isReady, isTerminating, waiting, unschedulable } = pod;
  return [uid, phase, hostName, isReady, isTerminating, waiting?.reason, unschedulable === undefined].join();
}

/** Phases that say that the target of a removal is gone: they are stored only while that is so. */
const AFTER: ReadonlySet<OperationPhase> = new Set(['Settling', 'Reclaiming']);

/** The live node is gone where the operation counts it as gone, and there where it counts it as there again: a
 *  cache of the past shows the one before the target was made, and the other before it went. */
async function targetIsWhereThePhaseSays(context: LiveContext, { operation }: TurnOf<'phase'>): Promise<Verdict> {
  const { cluster, ports } = context;
  const { target, phase } = operation;
  const before = cluster.status?.operation;
  const wasAway = before?.id === operation.id && AFTER.has(before.phase);
  const isBack = wasAway && phase === 'Deleting';
  if (target === undefined || !(isBack || AFTER.has(phase))) return HOLDS;
  const isThere = (await readTarget(target.name, operation, context)) !== undefined;
  if (!isThere) ports.caches.nodes.observeDelete({ ...target, namespace: cluster.metadata.namespace });
  return holdsIf(isThere === isBack);
}

/** All members stop, or start, together: those that the live API server has, and no Pod of theirs is there any more once they count as
 *  stopped. */
async function allThatStopAreKnown(context: LiveContext, { operation }: TurnOf<'phase'>): Promise<Verdict> {
  const { type, phase } = operation;
  if (type === 'Suspend' && phase === 'Stopping') return nodesAreTheSame(context);
  if (type !== 'Hibernate' || phase === context.cluster.status?.operation?.phase) return HOLDS;
  if (phase === 'Stopping' || phase === 'Waking') return nodesAreTheSame(context);
  if (phase !== 'Hibernated') return HOLDS;
  const live = await readPods(context.cluster.metadata.name, readingOf(context));
  for (const pod of live) context.ports.caches.pods.observe(pod);
  const uids = new Set(context.nodes.map(({ uid }) => uid));
  return holdsIf(live.every((pod) => !uids.has(controllerOf(pod.metadata)?.uid ?? '')));
}

/** Before the nodes go: every live Pod of them is the StatefulSet's, which is there, and is ready. */
async function setHasAllPods(context: LiveContext, { next }: TurnOf<'release'>): Promise<Verdict> {
  if (next.stored?.phase !== 'Closing') return HOLDS;
  const { cluster, nodes, ports, signal } = context;
  const set = await readSet(cluster, nodes.length, ports, signal);
  if (set.kind !== 'there' || set.problem !== undefined || set.uid !== next.stored.setUid) return STALE;
  const views = await Promise.all(nodes.map((node) => livePod(node.name, context)));
  return holdsIf(views.every((pod) => pod?.ownerUid === set.uid && pod.isReady && !pod.isTerminating));
}

/** Before all is as it was: no live Pod is in other hands, and no StatefulSet of ours could take one. */
async function podsAreTakenBack(context: LiveContext, { next }: TurnOf<'release'>): Promise<Verdict> {
  if (next.isOver || next.stored !== undefined) return HOLDS;
  const { cluster, nodes, ports, signal } = context;
  const set = await readSet(cluster, nodes.length, ports, signal);
  if (set.kind === 'unread' || (set.kind === 'there' && set.isOurs)) return STALE;
  const views = await Promise.all(nodes.map(async (node) => ({ node, pod: await livePod(node.name, context) })));
  return holdsIf(views.every(({ node, pod }) => pod === undefined || pod.ownerUid === node.uid));
}

/** The live Pod of the node is not its own. */
async function podIsInOtherHands(context: LiveContext, { node }: StepOf<'dropNode'>): Promise<Verdict> {
  const pod = await livePod(node.name, context);
  return holdsIf(pod?.ownerUid !== node.uid);
}

/** The Pod of that name; the cache learns of it. */
async function livePod(name: string, { cluster, ports, signal }: LiveContext): Promise<PodRecord | undefined> {
  const ref = { namespace: cluster.metadata.namespace, name };
  const live = await ifFound(ports.client.get(pods, ref, { signal }));
  if (live === undefined) return undefined;
  ports.caches.pods.observe(live);
  return toPodView(live);
}

/** The live node of that name if it is still the one the operation has chosen. */
async function readTarget(name: string, { target }: Operation, context: LiveContext) {
  const live = await ifFound(readNode(name, readingOf(context)));
  return live?.metadata.uid === target?.uid ? live : undefined;
}

/** True when the live claim of that id is the very one. */
async function isVolumeThere(nodeId: number, claimUid: string, context: LiveContext): Promise<boolean> {
  return (await ifFound(readClaim(nodeId, context)))?.metadata.uid === claimUid;
}
