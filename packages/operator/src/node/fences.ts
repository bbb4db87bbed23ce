// What the node controller reads live before a process begins or ends, or a node goes, and why: one row for each kind
// of step (docs/decisions/0008, 0014). A Pod's own version says nothing about the volume it will mount, or about
// whether its node may still go. The checks stand below the table.

import { controllerOf, FINALIZERS, isReleaseAsked, pvcName } from '@marekvs/api';
import { goesByProof, type Hold, hold, type NodeStep, passwordSource } from '@marekvs/planner';
import { ifFound, type PersistentVolumeClaim, persistentVolumeClaims, pods, type Stored } from '@marekvs/runtime';
import { readSet } from '../cluster/read-release.ts';
import { blocked, confirm, DONE, type Fence, HOLDS, holdsIf, STALE, type Verdict } from '../fence.ts';
import { MAREKVS_NODE } from '../kinds.ts';
import { areOthersUnchanged, type Reading, readCluster, readNode, readPods } from '../live-reads.ts';
import { hostQuestion } from '../observation/host-question.ts';
import { toPodView } from '../observation/views.ts';
import type { NodeExecuteContext } from './execute-context.ts';
import { isLabelledOurs } from './execute-volume.ts';
import type { NodeScope } from './observe.ts';

type LiveContext = Pick<NodeExecuteContext, 'scope' | 'ports' | 'signal'>;

interface StepRow {
  /** Read right before the write, in this order. */
  readonly rightBefore: readonly Fence<LiveContext>[];
  readonly why: string;
}

/** The kinds of steps. The end of a process and that of a node are several: what has to be read depends on why they
 *  end. */
export type FencedKind =
  | Exclude<NodeStep['kind'], 'deletePod' | 'releaseNode'>
  | 'deletePod'
  | 'deletePodThatEnded'
  | 'restartPod'
  | 'restartPodRolled'
  | 'stopPod'
  | 'stopPodAlone'
  | 'releaseNode'
  | 'releaseNodeHanded'
  | 'releaseNodeWithCluster';

/** No kind of step is without a row: each says what it is fenced by, or why by nothing. */
export const STEP_FENCES: Readonly<Record<FencedKind, StepRow>> = {
  addFinalizer: unfenced('The patch carries the version of the node, and holds it rather than lets it go.'),
  createVolume: {
    rightBefore: [nodeMayHaveNewVolume],
    why: 'A volume made for a node that is gone stays behind, empty, under a used id.',
  },
  adoptVolume: {
    rightBefore: [claimIsTheOneHandedOver],
    why: 'Another claim of that name is an empty member under a used id. The patch carries the version read.',
  },
  adoptPod: unfenced(
    'The Pod is read live by the step itself, which adds to its owners. The patch carries the version just read.',
  ),
  letPodGo: {
    rightBefore: [podIsToBeLetGo, setIsThere],
    why: 'A Pod without an owner is nobody’s: that a StatefulSet which does not restart it waits for it is read now.',
  },
  takePodBack: {
    rightBefore: [podIsToBeTakenBack],
    why: 'The StatefulSet may just be taking it, and then it is there. The Pod is read live by the step, which carries the version just read.',
  },
  attachVolume: unfenced(
    'The patch carries the version of the volume, and only takes times off that are written anew.',
  ),
  detachVolume: unfenced('The patch carries the version of the volume, and only adds the times of its last use.'),
  changeClaim: {
    rightBefore: [volumeIsToChange],
    why: 'A volume never gets smaller again: what it shall be is the live node’s to say. The patch carries the version of the claim.',
  },
  createPod: {
    rightBefore: [volumeIsItsOwn],
    why: 'A Pod mounts by name: on another claim it is another, empty member under a used id.',
  },
  deletePod: {
    rightBefore: [targetNeverJoined, decisionIsUnchanged, othersAreUnchanged],
    why: 'The UID of a Pod says nothing about whether its node may still go, or must still be started anew.',
  },
  deletePodThatEnded: {
    rightBefore: [targetNeverJoined],
    why: 'What has ended by itself stays so, and that a cluster is gone was read live.',
  },
  forgetPod: {
    rightBefore: [hostIsOff],
    why: 'Its process may run and write where nobody sees it: that its host is gone, or called off by taint, is read now.',
  },
  restartPod: {
    rightBefore: [nodeStays, volumeStays, othersAreUp],
    why: 'It rests on an absence: that the node is not to leave. It may be again, or another may just have ended.',
  },
  restartPodRolled: {
    rightBefore: [decisionIsUnchanged, volumeStays, othersAreUp],
    why: 'That it is its turn, and with which template, is the cluster’s to say; and another may just have ended.',
  },
  stopPod: {
    rightBefore: [decisionIsUnchanged, volumeStays],
    why: 'That all members stop is the cluster’s to say, and may have been taken back; and a claim that is being deleted goes with its Pod.',
  },
  stopPodAlone: {
    rightBefore: [decisionIsUnchanged, volumeStays, othersAreUp],
    why: 'That it is to stop is the cluster’s and the node’s to say; its volume has to stay; and another may just have ended.',
  },
  labelPod: unfenced('The patch carries the version of the Pod, and labels are put right as easily.'),
  resizePod: {
    rightBefore: [decisionIsUnchanged],
    why: 'Whose turn it is, and which resources are asked for, is the cluster’s to say. The patch carries the version of the Pod.',
  },
  noteResized: unfenced('It says what this very version of the Pod shows, and the patch carries that version.'),
  drain: unfenced(
    'It writes nothing to the API server: whether the member leaves is seen in its list, and it can be taken back.',
  ),
  notePassword: unfenced('The patch carries the version of the node, and one more password is tried at most.'),
  setPassword: {
    rightBefore: [clusterAsksForPassword],
    why: 'A paused cluster is left as it is, and so is a member that is to want something else by now. What the Secret has is read by the step itself, right before it is sent.',
  },
  confirmParent: unfenced('It is a live read itself.'),
  releaseNode: {
    rightBefore: [hasOurFinalizer, podIsGone, decisionIsUnchanged, othersAreAsSeen],
    why: 'With the node the garbage collector ends its Pod, and members that were never asked may still list it.',
  },
  releaseNodeHanded: {
    rightBefore: [hasOurFinalizer, podIsGone, isClosing],
    why: 'With the node the garbage collector ends a Pod of it: it has none, and that a StatefulSet has it was confirmed.',
  },
  releaseNodeWithCluster: {
    rightBefore: [hasOurFinalizer, podIsGone],
    why: 'All of them go with their cluster, which was read live: nobody is left to list it.',
  },
};

/** The fences of a step, right before its write. */
export function confirmStep(step: NodeStep, context: LiveContext): Promise<Verdict> {
  return confirm(STEP_FENCES[kindOf(step, context.scope)].rightBefore, context, step);
}

function kindOf(step: NodeStep, { observation }: NodeScope): FencedKind {
  if (step.kind === 'releaseNode') {
    if (observation.parent === 'gone') return 'releaseNodeWithCluster';
    return observation.releasePhase === 'Closing' ? 'releaseNodeHanded' : 'releaseNode';
  }
  if (step.kind !== 'deletePod') return step.kind;
  if (step.why === 'CancelledByUser') return 'restartPod';
  if (step.why === 'RollingOut' || step.why === 'HostDraining') return 'restartPodRolled';
  if (step.why === 'Hibernated') return 'stopPod';
  if (step.why === 'Suspended') return 'stopPodAlone';
  return step.why === 'PodTerminal' || step.why === 'Deleting' ? 'deletePodThatEnded' : 'deletePod';
}

function unfenced(why: string): StepRow {
  return { rightBefore: [], why };
}

/** The live node is there to stay and was never recorded with a volume: one that was, gets no other
 *  (docs/design/server.md#h2). */
async function nodeMayHaveNewVolume(context: LiveContext): Promise<Verdict> {
  const { metadata } = context.scope.node;
  const live = await ifFound(readNode(metadata.name, readingOf(context)));
  if (live?.metadata.uid !== metadata.uid) {
    context.ports.caches.nodes.observeDelete(metadata);
    return STALE;
  }
  return holdsIf(live.metadata.deletionTimestamp === undefined && live.status?.pvcUID === undefined);
}

/** The live node stays, lives on this volume, and asks for the very storage that was decided on. */
async function volumeIsToChange(context: LiveContext): Promise<Verdict> {
  const { node, record } = context.scope;
  const { metadata, spec } = node;
  const live = await ifFound(readNode(metadata.name, readingOf(context)));
  if (live?.metadata.uid !== metadata.uid || live.metadata.deletionTimestamp !== undefined) return STALE;
  const { size, volumeAttributesClassName } = live.spec.storage;
  const isItsVolume = (live.status?.pvcUID ?? record.volume?.uid) === record.volume?.uid;
  const isAsked = size === spec.storage.size && volumeAttributesClassName === spec.storage.volumeAttributesClassName;
  return holdsIf(isItsVolume && isAsked);
}

/** The live claim is the one that was handed over, and stays. */
async function claimIsTheOneHandedOver(context: LiveContext): Promise<Verdict> {
  const { node, record } = context.scope;
  const name = pvcName(node.spec.clusterName, node.spec.nodeId);
  const needed = (reason: Hold['reason'], what: string): Verdict =>
    blocked(hold(reason, `PersistentVolumeClaim ${name} ${what}: nothing is started in its place`, true));
  const claim = await ifFound(readClaim(context));
  if (claim === undefined) return needed('VolumeLost', 'was handed over and is gone');
  if (claim.metadata.uid !== record.adopts?.volumeUid)
    return needed('VolumeForeign', 'is not the one that was handed over');
  if (claim.metadata.deletionTimestamp !== undefined) return needed('VolumeLost', 'is being deleted');
  return { kind: 'holds', live: { claim } };
}

/** The live claim that a Pod of this node would mount is the one the decision was made on, stays, and is no other
 *  than the live node was recorded with: the same name on another claim is another, empty member under a used id
 *  (docs/design/server.md#h2). */
async function volumeIsItsOwn(context: LiveContext): Promise<Verdict> {
  const { scope, ports } = context;
  const { metadata, spec } = scope.node;
  const wanted = scope.record.volume?.uid;
  if (wanted === undefined) return STALE;
  const node = await ifFound(readNode(metadata.name, readingOf(context)));
  if (node?.metadata.uid !== metadata.uid || (node.status?.pvcUID ?? wanted) !== wanted) return STALE;
  const claim = await ifFound(readClaim(context));
  if (claim === undefined) {
    const name = pvcName(spec.clusterName, spec.nodeId);
    ports.caches.volumes.observeDelete({ namespace: metadata.namespace, name, uid: wanted });
    return STALE;
  }
  observeClaim(claim, context);
  return holdsIf(claim.metadata.uid === wanted && claim.metadata.deletionTimestamp === undefined);
}

/** A member that goes without proof because it never joined may have joined since it was last probed, and taken
 *  writes: it is asked. */
async function targetNeverJoined({ scope, ports, signal }: LiveContext): Promise<Verdict> {
  const { node, operation } = scope.observation;
  const isUnproven = operation?.basis === 'NeverJoined' && operation.target?.uid === node.uid && node.isDeleting;
  const ip = node.pod?.ip;
  if (!isUnproven || ip === undefined || !(await ports.members.hasJoined(ip, signal))) return HOLDS;
  const message = `${node.pod?.name} counts as never joined, but its member says that it has: it stays`;
  return blocked(hold('WaitingForProof', message));
}

/** The live cluster lets its Pods go: what was stored of that, by the spec that is in force. */
async function podIsToBeLetGo(context: LiveContext): Promise<Verdict> {
  const { cluster, phase } = await liveRelease(context);
  const isUnchanged = cluster !== undefined && cluster.spec.paused !== true;
  const isMeant = phase === 'Closing' || (phase === 'LettingGo' && cluster !== undefined && isReleaseAsked(cluster));
  return holdsIf(isUnchanged && isMeant);
}

/** The live StatefulSet is the one that was found fit, and still is. */
async function setIsThere(context: LiveContext): Promise<Verdict> {
  const { scope, ports, signal } = context;
  const { cluster } = await liveRelease(context);
  if (cluster === undefined) return STALE;
  const set = await readSet(cluster, scope.observation.siblings.length, ports, signal);
  return holdsIf(
    set.kind === 'there' && set.problem === undefined && set.uid === cluster.status?.release?.statefulSetUID,
  );
}

/** The live cluster takes them back. */
async function podIsToBeTakenBack(context: LiveContext): Promise<Verdict> {
  const { cluster, phase } = await liveRelease(context);
  return holdsIf(cluster !== undefined && cluster.spec.paused !== true && phase === 'TakingBack');
}

/** The live cluster says that the StatefulSet has all Pods. */
async function isClosing(context: LiveContext): Promise<Verdict> {
  return holdsIf((await liveRelease(context)).phase === 'Closing');
}

/** How far the live cluster is, if it is the same, and stays. */
async function liveRelease(context: LiveContext) {
  const { node, clusterUid } = context.scope;
  const live = await ifFound(readCluster(node.spec.clusterName, readingOf(context)));
  const isSame = live?.metadata.uid === clusterUid && live.metadata.deletionTimestamp === undefined;
  return isSame ? { cluster: live, phase: live.status?.release?.phase } : { cluster: undefined, phase: undefined };
}

/** The live node, and its live cluster, are the very versions that were decided on. */
async function decisionIsUnchanged(context: LiveContext): Promise<Verdict> {
  const { node, clusterVersion } = context.scope;
  const live = await ifFound(readNode(node.metadata.name, readingOf(context)));
  if (live === undefined) return STALE;
  const cluster = await ifFound(readCluster(node.spec.clusterName, readingOf(context)));
  const { uid, resourceVersion } = node.metadata;
  const isSameNode = live.metadata.uid === uid && live.metadata.resourceVersion === resourceVersion;
  return holdsIf(cluster !== undefined && isSameNode && cluster.metadata.resourceVersion === clusterVersion);
}

/** Nobody else has gone, or is going, since the decision: with this one it would be one too many. A removal that
 *  does not go by proof does not count on the others. */
async function othersAreUnchanged(context: LiveContext): Promise<Verdict> {
  const { node, siblings, operation } = context.scope.observation;
  if (!node.isDeleting || operation === undefined || !goesByProof(operation)) return HOLDS;
  return holdsIf(areOthersUnchanged(node, siblings, await readAllPods(context)));
}

/** The host is gone, or not ready and called off, by a look of this moment. */
async function hostIsOff(context: LiveContext): Promise<Verdict> {
  const { scope, ports, signal } = context;
  const { namespace } = scope.node.metadata;
  const probe = await ports.hostFindings.probe(hostQuestion(scope.record, namespace, ports.caches), signal);
  return holdsIf(probe.state === 'gone' || probe.state === 'outOfService');
}

/** The live cluster is there, stays, is not paused, and names the Secret that was decided on. */
async function clusterAsksForPassword(context: LiveContext): Promise<Verdict> {
  const { node, clusterUid, observation } = context.scope;
  const live = await ifFound(readCluster(node.spec.clusterName, readingOf(context)));
  if (live?.metadata.uid !== clusterUid) return STALE;
  const isSame = passwordSource(live.spec.auth?.secretRef) === observation.password?.asked;
  return holdsIf(isSame && live.metadata.deletionTimestamp === undefined && live.spec.paused !== true);
}

/** The live node is not to leave. */
async function nodeStays(context: LiveContext): Promise<Verdict> {
  const { metadata } = context.scope.node;
  const live = await readNode(metadata.name, readingOf(context));
  return holdsIf(live.metadata.uid === metadata.uid && (live.spec.intent ?? 'Active') === 'Active');
}

/** The live claim is not being deleted: it would go with the Pod. */
async function volumeStays(context: LiveContext): Promise<Verdict> {
  const claim = await readClaim(context);
  observeClaim(claim, context);
  return holdsIf(claim.metadata.deletionTimestamp === undefined);
}

/** Every other Pod that was ready then still is, and none of them is ending: a member that only comes back stays
 *  where it is beside one that goes. Stricter than `othersAreUnchanged` about a Pod that was ending already, since
 *  nothing counts copies before a restart; who was not up then does not matter, with proofs it would. */
async function othersAreUp(context: LiveContext): Promise<Verdict> {
  const { node, siblings } = context.scope.observation;
  const live = (await readAllPods(context)).map(toPodView);
  const up = new Set(live.filter(({ isReady, isTerminating }) => isReady && !isTerminating).map(({ uid }) => uid));
  const others = siblings.filter(({ uid }) => uid !== node.uid);
  return holdsIf(others.every(({ pod }) => pod?.isReady !== true || up.has(pod.uid)));
}

/** Our finalizer is on the node. Without it there is nothing to do. */
async function hasOurFinalizer({ scope }: LiveContext): Promise<Verdict> {
  return scope.node.metadata.finalizers?.includes(FINALIZERS.memberSafeRemoval) === true ? HOLDS : DONE;
}

/** The node has no live Pod of its own. */
async function podIsGone({ scope, ports, signal }: LiveContext): Promise<Verdict> {
  const { metadata } = scope.node;
  const pod = await ifFound(ports.client.get(pods, metadata, { signal }));
  const isOwn = pod?.metadata.ownerReferences?.some((owner) => owner.uid === metadata.uid) === true;
  if (isOwn && isLabelledOurs(pod)) ports.caches.pods.observe(pod);
  return holdsIf(!isOwn);
}

/** Every other live Pod that runs is at the address, and as ready, as it was decided on: whether a member is
 *  forgotten is known from those that were asked, and a cache that shows the past has asked nobody who came since. */
async function othersAreAsSeen(context: LiveContext): Promise<Verdict> {
  const { node, observation } = context.scope;
  const seen = new Map(observation.siblings.map(({ pod }) => [pod?.uid, pod]));
  const live = await readAllPods(context);
  const members = live.filter((pod) => controllerOf(pod.metadata)?.kind === MAREKVS_NODE.kind);
  const areSeen = members.map(toPodView).every(({ name, uid, ip, isReady, isTerminating }) => {
    if (name === node.metadata.name || isTerminating) return true;
    const before = seen.get(uid);
    return before !== undefined && before.ip === ip && (before.isReady || !isReady);
  });
  return holdsIf(areSeen);
}

function readingOf({ scope, ports, signal }: LiveContext): Reading {
  return { namespace: scope.node.metadata.namespace, ports, signal };
}

function readAllPods(context: LiveContext) {
  return readPods(context.scope.node.spec.clusterName, readingOf(context));
}

/** The claim of the node's name, whoever's it is. */
function readClaim({ scope, ports, signal }: LiveContext): Promise<Stored<PersistentVolumeClaim>> {
  const { metadata, spec } = scope.node;
  const ref = { namespace: metadata.namespace, name: pvcName(spec.clusterName, spec.nodeId) };
  return ports.client.get(persistentVolumeClaims, ref, { signal });
}

/** The cache learns of a claim that is ours: of any other it would never hear that it is gone. */
function observeClaim(claim: Stored<PersistentVolumeClaim>, { ports }: LiveContext): void {
  if (isLabelledOurs(claim)) ports.caches.volumes.observe(claim);
}
