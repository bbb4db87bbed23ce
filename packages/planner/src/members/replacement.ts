// Answers: which nodes have to go whatever the size is, what may let a node go, and which answers count when another
// one goes? A node counts as dead, or as never having held data, only on positive evidence; everything else needs the
// full proof.

import { cutText } from '@marekvs/api';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import {
  hasLostVolume,
  hasNoProcess,
  hasOwnVolume,
  hasPast,
  hasReadyPod,
  isKnownSilent,
  isToldToLeave,
  isWithoutVolume,
} from './member-state.ts';
import { isShownByNobodyActive, isUnlisted } from './membership.ts';

/** What lets a node go (the record's `basis`). */
export type RemovalBasis = 'Proof' | 'NeverJoined' | 'Dead' | 'Forced';

/** Longest part of a person's reason that is repeated in a message. */
const MAX_REASON = 200;

/** The reason a person gave for forcing this very node out, one line, ready to be shown; undefined without a valid
 *  annotation. */
export function forcedReason(node: NodeRecord): string | undefined {
  return reasonAbout(node, node.forceRemove);
}

/** The reason a person gave for removing this very node although no other home has all of its HyperLogLog
 *  registers. */
export function acceptedDivergence(node: NodeRecord): string | undefined {
  return reasonAbout(node, node.acceptDiverging);
}

/** The form is `<uid of the node>/<reason>`, so that an annotation never counts for a successor of the same name
 *  (F58). */
function reasonAbout({ uid }: NodeRecord, annotation: string | undefined): string | undefined {
  if (annotation?.startsWith(`${uid}/`) !== true) return undefined;
  const reason = annotation.slice(uid.length + 1).replace(/[\p{Cc}\s]+/gu, ' ');
  return cutText(reason.trim(), MAX_REASON) || undefined;
}

/** The node leaves whatever the size is: deleted by hand, forced out, or its volume is lost, being deleted, or on a
 *  host that is lost or drained. A new one joins first. */
export function needsReplacement(node: NodeRecord): boolean {
  return node.hostDrained !== undefined || isReplacementFinal(node);
}

/** True when the node leaves, and not only for a drained host: nothing brings it back. */
export function isReplacementFinal(node: NodeRecord): boolean {
  return node.isDeleting || isWithoutVolume(node) || node.hostLost !== undefined || forcedReason(node) !== undefined;
}

/** Its Pod is not ready, and it is expected back: a member that is to be replaced may not come back before others are
 *  restarted. */
export function isAwayForNow(node: NodeRecord): boolean {
  return !hasReadyPod(node) && !needsReplacement(node);
}

/** The nodes that count towards the size: all but those that have to go. */
export function stayingNodes({ nodes }: Pick<ClusterObservation, 'nodes'>): readonly NodeRecord[] {
  return nodes.filter((node) => !needsReplacement(node));
}

/** The nodes whose members have to answer for a removal of `target`: all others but those that never held anything and
 *  those that will never answer again. Waiting for these would last for ever, or two of them would wait for each
 *  other. */
export function survivorsOf(o: ClusterObservation, target: Pick<NodeRecord, 'uid'>): readonly NodeRecord[] {
  return o.nodes.filter(
    (node) => node.uid !== target.uid && !hasNeverJoined(o, node) && !isDead(o, node) && !isOnLostHost(o, node),
  );
}

/** What may let this node go now. It holds for this moment only: what acts on `Dead` or `NeverJoined` asks again just
 *  before. */
export function removalBasis(o: ClusterObservation, node: NodeRecord): RemovalBasis {
  if (isLostForGood(o, node)) return 'Dead';
  if (forcedReason(node) !== undefined) return 'Forced';
  if (goesUnjoined(o, node)) return 'NeverJoined';
  return isDead(o, node) ? 'Dead' : 'Proof';
}

/** True when it will never answer again: its volume is lost and no member lists it, or it was given up (deleted, or its
 *  host is lost) and no process of it is left. A Pod that is terminating or lost from sight may still run one. */
export function isDead(o: ClusterObservation, node: NodeRecord): boolean {
  if (isLostForGood(o, node)) return true;
  const isGivenUp = node.isDeleting || node.volume?.isTerminating === true || node.hostLost !== undefined;
  return isGivenUp && hasNoProcess(node) && isUnlisted(o, node) && !mayBeMadeAgain(node, o.nowMs);
}

/** True when it is replaced because its host is lost, and no member lists it. Its process may still run there: the
 *  others go on without it, and it is not let go before its Pod is gone. */
export function isOnLostHost(o: ClusterObservation, node: NodeRecord): boolean {
  return node.hostLost !== undefined && node.answer.kind !== 'serving' && isUnlisted(o, node);
}

/** The nodes whose members are there or may be soon: all but those on a lost host. */
export function presentNodes(o: ClusterObservation): readonly NodeRecord[] {
  return o.nodes.filter((node) => !isOnLostHost(o, node));
}

/** A Pod is recreated within this time, even when another one is made first. */
const MADE_AGAIN_MS = 60_000;

/** True when it was Active a moment ago on a volume that stays: what only that has can still be proven to be
 *  elsewhere. */
export function mayBeMadeAgain({ volume, lastActiveAtMs }: NodeRecord, nowMs: number): boolean {
  return volume?.isTerminating === false && lastActiveAtMs !== undefined && nowMs - lastActiveAtMs <= MADE_AGAIN_MS;
}

/** Its volume is lost, it does not answer, and no member lists it. */
export function isLostForGood(o: ClusterObservation, node: NodeRecord): boolean {
  return hasLostVolume(node) && isKnownSilent(node) && isUnlisted(o, node);
}

/** Told to leave, which only a restart would take back, and not restartable: its volume is gone, goes with its Pod, or
 *  is on a host that takes no Pod. What its process has must be found elsewhere before anything else may leave. */
export function cannotComeBack(node: NodeRecord): boolean {
  const isWithoutPlace = isWithoutVolume(node) || node.hostDrained !== undefined;
  return node.pod?.isLeaving === true && isWithoutPlace;
}

/** It was never a home of anything, and no member lists it. */
export function hasNeverJoined(o: ClusterObservation, node: NodeRecord): boolean {
  return isUnused(o, node) && isUnlisted(o, node);
}

/** True while it copies its share for the first time, as it reports itself, and every list that has it shows it without
 *  primaries. A joining member is a home of nothing and takes no commands: all it has are copies of what the others go
 *  on holding (docs/decisions/members-without-proof.md). */
export function isStillJoining(o: ClusterObservation, node: NodeRecord): boolean {
  return node.answer.kind === 'joining' && isUnused(o, node) && isShownByNobodyActive(o, node);
}

/** True when it may go without proof, since all it can have are copies. */
export function goesUnjoined(o: ClusterObservation, node: NodeRecord): boolean {
  return hasNeverJoined(o, node) || isStillJoining(o, node);
}

/** Never served clients or known to be Active, not serving, in no list with primaries lately, on a volume made for it.
 *  A node that was recreated for a kept volume, or that was told to leave, has a past. */
function isUnused(o: ClusterObservation, node: NodeRecord): boolean {
  if (hasPast(node) || node.pod?.isReady === true) return false;
  const isLeaving = isToldToLeave(node);
  if (isLeaving && !isRemovedUnjoined(o, node)) return false;
  if (node.answer.kind !== 'joining' && !isKnownSilent(node)) return false;
  return hasOwnVolume(node) && !wasSeenLately(o, node);
}

/** The operation under way removes it as one that never joined, and has told it to leave. */
function isRemovedUnjoined({ cluster: { operation } }: ClusterObservation, { uid, removalMark }: NodeRecord): boolean {
  return operation?.basis === 'NeverJoined' && operation.target?.uid === uid && removalMark === operation.id;
}

/** A list shown by a present member had it with primaries: it may have taken writes. */
export function wasSeenLately({ facts }: Pick<ClusterObservation, 'facts'>, { id }: NodeRecord): boolean {
  return facts.some(({ shownActive }) => shownActive.has(id));
}
