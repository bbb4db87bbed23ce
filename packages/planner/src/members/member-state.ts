// Answers: what is known of one member? Each question about one member has one name here, and one sentence that says
// when it is true. Where two questions differ only a little, the sentence says in what. What depends on the others,
// too, is in membership.ts and replacement.ts. Pure.

import { LABELS } from '@marekvs/api';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import { leadingLess, type ViewLine } from '../values/view-line.ts';
import { isOlderThanNode } from './volume-age.ts';

// Does a process run in its Pod?
/** A Pod of its name is there and not about to end, whoever owns it. */
export function hasLastingPod({ pod }: Pick<NodeRecord, 'pod'>): boolean {
  return pod?.isTerminating === false;
}

/** That Pod is ready, too. */
export function hasReadyPod({ pod }: Pick<NodeRecord, 'pod'>): boolean {
  return pod?.isReady === true && !pod.isTerminating;
}

/** Its own Pod is ready and not about to end. */
export function isUp(node: NodeRecord): boolean {
  return hasReadyPod(node) && node.pod?.ownerUid === node.uid;
}

/** Its own Pod is there and not about to end: a process of it may run. */
export function hasProcess(node: NodeRecord): boolean {
  return hasLastingPod(node) && node.pod?.ownerUid === node.uid;
}

/** True when a process runs in the node's own Pod: the container has started, and does not wait to be restarted after a
 *  crash. */
export function runsInPod({ uid, pod }: NodeRecord): boolean {
  return pod?.ownerUid === uid && pod.phase === 'Running' && pod.waiting === undefined;
}

/** Waiting reasons of a container that is about to start. */
const ON_ITS_WAY: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** True when the kubelet reports what keeps the container from running. Otherwise a process runs, or may any moment. */
export function isHeldBack({ waiting }: PodRecord): boolean {
  return waiting !== undefined && !ON_ITS_WAY.has(waiting.reason);
}

/** Also for a silent member, which may be frozen and answer again, and for one that has just ended: before its restart
 *  is carried out, its container has started again. */
export function mayHaveProcess({ pod, uid }: NodeRecord): boolean {
  return pod?.ownerUid === uid && pod.phase === 'Running' && !isHeldBack(pod);
}

/** No Pod, or one whose container does not run: ended, not started, or between two crashes. */
export function hasNoProcess({ pod, uid, answer }: NodeRecord): boolean {
  if (pod === undefined) return true;
  if (pod.isTerminating || pod.isReady || pod.ownerUid !== uid || isHeard({ answer })) return false;
  if (pod.phase === 'Running') return pod.waiting !== undefined;
  return pod.phase === 'Pending' || pod.phase === 'Failed' || pod.phase === 'Succeeded';
}

// What did it answer? From the members' own answers only; never a stored phase.
/** A process of it answered when it was last asked, whether or not it has joined. */
export function isHeard({ answer }: Pick<NodeRecord, 'answer'>): boolean {
  return answer.kind === 'serving' || answer.kind === 'sealed' || answer.kind === 'joining';
}

/** A process of it is there and has joined: it shows its list, or its figures behind a closed door. */
export function isAnswering({ answer }: NodeRecord): boolean {
  return answer.kind === 'serving' || answer.kind === 'sealed';
}

/** True when it is known that no process of this member serves: it did not answer, it has no address to be asked at, or
 *  its container has never started (a Pod has its address before its image). A member that was not asked yet may
 *  serve. */
export function isKnownSilent({ answer, pod }: NodeRecord): boolean {
  return answer.kind === 'silent' || (answer.kind === 'notAsked' && (pod?.ip === undefined || pod.phase === 'Pending'));
}

/** True when the member is ready but accepts none of the known passwords. Its metrics and contents need none. */
export function isLockedOut(node: NodeRecord): boolean {
  return isUp(node) && node.answer.kind === 'silent' && node.answer.isLocked === true;
}

/** Active as it reports itself: it serves commands and shows itself with primaries
 *  (docs/design/server.md#phases-seen-from-outside). */
export function isActiveMember(node: NodeRecord): boolean {
  return showsActive(node, node.id);
}

/** True when the node's list shows the member of this id with primaries: cluster-aware clients write to it. */
export function showsActive(node: NodeRecord, id: number): boolean {
  return shows(node, id, (line) => line.hasPrimaries);
}

/** True when the node's list has a line about the member of this id that counts; by default each does. */
export function shows({ answer }: NodeRecord, id: number, isCounted: (line: ViewLine) => boolean = ANY_LINE): boolean {
  return answer.kind === 'serving' && answer.view.some((line) => line.id === id && isCounted(line));
}

const ANY_LINE = () => true;

// Do clients reach it, and is it to stay?
/** True when its Pod is an endpoint of the client Service as soon as it is ready. The Pod gets this label a moment
 *  after its node gets `serving`. */
export function isBehindService({ pod }: NodeRecord): boolean {
  return pod?.labels[LABELS.serving] === 'true';
}

/** Active, serving clients, and not about to end: it carries its share. */
export function isCarrying(node: NodeRecord): boolean {
  return node.serving && hasLastingPod(node) && isActiveMember(node);
}

/** Its node says that it leaves: by its intent, or by the mark of an operation. Its Pod may not have been told. */
export function isAskedToLeave({ intent, removalMark }: NodeRecord): boolean {
  return intent !== 'Active' || removalMark !== undefined;
}

/** Nothing here has asked it to leave, to stop or to go. */
function isLeftAlone(node: NodeRecord): boolean {
  return !isAskedToLeave(node) && node.stopped === undefined && !node.isDeleting;
}

/** True when the node is to leave, or its Pod was told to: only a restart takes that back. */
export function isToldToLeave({ intent, pod }: NodeRecord): boolean {
  return intent !== 'Active' || pod?.isLeaving === true;
}

/** Asked to leave, or told to: it may not be there for long, or has to be restarted before it stays. */
export function isOnItsWayOut(node: NodeRecord): boolean {
  return isAskedToLeave(node) || isToldToLeave(node);
}

/** True when the member serves commands and leads nothing, or less than it should, and nobody here has told it to
 *  leave: somebody else has drained it (operations/mending/drained.ts). It stays a full home. The port for commands
 *  opens once a member has primaries. */
export function isDrainedOutside(node: NodeRecord): boolean {
  const { pod, answer } = node;
  if (answer.kind !== 'serving' || !leadingLess(answer.view).has(node.id)) return false;
  return isUp(node) && pod?.isLeaving === false && !pod.isSealed && isLeftAlone(node);
}

/** Clients were let in to the member once and are not now, and no operation would let them in again: a failed turn has
 *  left it with a template that is not asked for any more, and only its next turn brings it back. It may lack a mesh
 *  connection, or join for ever: that blocks every other turn but not its own, since a restart on its own volume loses
 *  nothing. */
export function isHeldOut(node: NodeRecord): boolean {
  return !node.serving && node.wasActive && isLeftAlone(node);
}

/** It has not joined again: it is the home of nothing, and may be what another one waits for to be replaced. */
export function isJoiningOut(node: NodeRecord): boolean {
  return isHeldOut(node) && node.answer.kind === 'joining';
}

// May the process of a member that was told to leave be ended, so that the next one stays? What only a running one has
// is compared before, and then the node names its Pod. Its node controller, on an older node, may have told or made
// another Pod meanwhile.
/** True for a member that stays, with a running Pod that was told to leave after it was decided that it stays. */
export function isUnforeseen(node: NodeRecord): boolean {
  const { pod } = node;
  if (pod?.isLeaving !== true || isAskedToLeave(node)) return false;
  return !pod.isTerminating && pod.uid !== node.mayRestartPod && mayHaveProcess(node);
}

/** UID of the Pod that may be restarted once its node is told to stay; undefined when none runs that was told to
 *  leave. */
export function permitFor(node: NodeRecord): string | undefined {
  return node.pod?.isLeaving === true && mayHaveProcess(node) ? node.pod.uid : undefined;
}

// What may be on its volume, and nowhere else?
/** Clients were let in to it, or it is known to have been Active: it may hold what no other member has. */
export function hasPast({ serving, wasActive }: NodeRecord): boolean {
  return serving || wasActive;
}

/** True when the node's volume is gone for good: it was recorded, and now none or another one is there
 *  (docs/design/server.md#h2). */
export function hasLostVolume(node: NodeRecord): boolean {
  if (node.recordedVolumeUid === undefined) return false;
  return node.volume === undefined || node.volume.uid !== node.recordedVolumeUid;
}

/** What the member has is lost when its process ends: its volume is gone, or goes with its Pod. */
export function isWithoutVolume(node: NodeRecord): boolean {
  return hasLostVolume(node) || node.volume?.isTerminating === true;
}

/** The member served clients, its volume is gone, and its process goes on: data in memory and in unlinked files can be
 *  copied. */
export function hasOutlivedVolume(node: NodeRecord): boolean {
  return hasLostVolume(node) && node.serving && node.answer.kind === 'serving';
}

/** The node's volume, if it has one, was made for it and carries nothing older. */
export function hasOwnVolume({ volume, recordedVolumeUid, createdAtMs }: NodeRecord): boolean {
  if (volume === undefined) return recordedVolumeUid === undefined;
  if (volume.lastActiveAtMs !== undefined || volume.detachedAtMs !== undefined) return false;
  return !isOlderThanNode(volume, createdAtMs);
}

/** Its volume holds nothing but copies: it has no past, and neither has its volume. */
export function isNewcomer(node: NodeRecord): boolean {
  return !hasPast(node) && hasOwnVolume(node);
}
