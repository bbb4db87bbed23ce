// Answers: which one node is removed next, and why? First those that have to go whatever the size is, then the surplus.
// A node that needs replacement waits for the new one. What lets it go is in replacement.ts, whether it may go now in
// preflight.ts.

import { minimumNodes, type Operation } from '@marekvs/api';
import { isToCountAgain } from '../members/drain-mark.ts';
import { hasLostVolume, hasNoProcess, isCarrying } from '../members/member-state.ts';
import {
  cannotComeBack,
  forcedReason,
  goesUnjoined,
  isLostForGood,
  isOnLostHost,
  isReplacementFinal,
  needsReplacement,
  type RemovalBasis,
  removalBasis,
  stayingNodes,
} from '../members/replacement.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { type Hold, hold, namesOf, timeText } from '../values/hold.ts';
import { growthLimit, misplacedMembers, misplacedText } from './one-per-host.ts';

export interface Candidate {
  readonly node: NodeRecord;
  readonly type: 'Remove' | 'Replace';
  readonly basis: RemovalBasis;
  /** One sentence: why this node. */
  readonly chosen: string;
}

export interface CandidateChoice {
  /** Undefined: no node has to go, or none may yet. */
  readonly candidate: Candidate | undefined;
  /** About nodes that wait. */
  readonly holds: readonly Hold[];
}

/** The node to be removed next. Pure. Reads no operation: callers know that none is under way.
 *  @param desired the size to reach; never taken below replicationFactor + 1 */
export function chooseCandidate(o: ClusterObservation, desired: number): CandidateChoice {
  if (!o.cluster.isFormed || o.cluster.isDeleting) return { candidate: undefined, holds: [] };
  const queue = replacementsInOrder(o).filter((node) => !mayRunUnseen(o, node) && !isToCountAgain(o, node));
  const [first, ...later] = queue;
  if (first === undefined) return { candidate: chooseSurplus(o, desired), holds: [] };
  // Others that have to go carry their share until it is their turn: two nodes deleted at once need one new node each
  // in turn, not two at once.
  const carrying = o.nodes.filter((node) => node.uid !== first.uid && !hasLostVolume(node) && isCarrying(node)).length;
  const wanted = wantedNodes(o, growthLimit(o, desired));
  const turns = later.length === 0 ? [] : [waitingForTurn(first, later)];
  if (carrying < wanted)
    return { candidate: undefined, holds: [waitingForReplacement(first, carrying, wanted), ...turns] };
  const candidate: Candidate = {
    node: first,
    // A new node has joined for it, and only one of the two is wanted, even if its host takes Pods again.
    type: isReplacementFinal(first) ? 'Replace' : 'Remove',
    basis: removalBasis(o, first),
    chosen: whyChosen(o, first),
  };
  return { candidate, holds: turns };
}

/** Names of the hosts that the next choice depends on: those of all nodes while there is a surplus and no operation.
 *  The observation has to carry every one of them, as `notAsked` until its answer is there. */
export function hostsToAsk(o: ClusterObservation, desired: number): readonly string[] {
  if (o.cluster.operation !== undefined || !hasSurplus(o, desired)) return [];
  const names = o.nodes.flatMap(({ pod }) => (pod?.hostName === undefined ? [] : [pod.hostName]));
  return [...new Set(names)].sort();
}

/** True while the removal on record is still asked for: the node has to go anyway, or enough others stay without it. A
 *  forced one still needs its annotation. */
export function isStillWanted(o: ClusterObservation, node: NodeRecord, record: Operation, desired: number): boolean {
  if (record.basis === 'Forced' && forcedReason(node) === undefined) return false;
  if (needsReplacement(node)) return true;
  return stayingNodes(o).filter((other) => other.uid !== node.uid).length >= wantedNodes(o, desired);
}

/** More nodes stay than are wanted. */
function hasSurplus(o: ClusterObservation, desired: number): boolean {
  return o.cluster.isFormed && !o.cluster.isDeleting && stayingNodes(o).length > wantedNodes(o, desired);
}

/** True while a node is to be removed and the states of the hosts, on which the choice depends, are not known yet. */
export function isChoiceOpen(o: ClusterObservation, desired: number): boolean {
  return hasSurplus(o, desired) && areHostsUnasked(o);
}

function areHostsUnasked({ hosts }: ClusterObservation): boolean {
  return [...hosts.values()].includes('notAsked');
}

function wantedNodes(o: ClusterObservation, desired: number): number {
  return Math.max(desired, minimumNodes(o.cluster.spec));
}

/** Nodes that have to go, in this order: one that was told to leave and cannot come back (no other may leave beside
 *  it), those that never joined (every proof waits for a joining member), those lost for good, forced ones, lost ones
 *  that still answer (nothing else is proven while a volume is missing), those deleted by hand by time of deletion, the
 *  rest. */
function replacementsInOrder(o: ClusterObservation): readonly NodeRecord[] {
  const rank = (node: NodeRecord): number => {
    if (isLostForGood(o, node)) return 2;
    if (cannotComeBack(node)) return 0;
    if (forcedReason(node) !== undefined) return 3;
    if (goesUnjoined(o, node)) return 1;
    if (hasLostVolume(node)) return 4;
    return node.isDeleting ? 5 : 6;
  };
  const deletedMs = (node: NodeRecord) => (rank(node) === 5 ? (node.deletedAtMs ?? 0) : 0);
  return o.nodes
    .filter(needsReplacement)
    .sort((a, b) => rank(a) - rank(b) || deletedMs(a) - deletedMs(b) || a.id - b.id);
}

/** Its Pod is on a host that does not report. lost-hosts.ts says what it waits for; no other node waits for it. */
function mayRunUnseen(o: ClusterObservation, node: NodeRecord): boolean {
  return isOnLostHost(o, node) && !hasNoProcess(node) && forcedReason(node) === undefined;
}

function whyChosen(o: ClusterObservation, node: NodeRecord): string {
  if (isLostForGood(o, node)) return 'its volume is gone and no member knows it any more';
  const reason = forcedReason(node);
  if (reason !== undefined) return `a person forced it out: ${reason}`;
  if (hasLostVolume(node)) return 'its volume is gone';
  if (node.hostLost !== undefined) return `its host ${node.hostLost} is lost, and its volume with it`;
  if (!isReplacementFinal(node))
    return `its host ${node.hostDrained} is being drained, its volume can be on no other, and a new node has joined for it`;
  if (!node.isDeleting) return 'its volume claim is being deleted';
  return `a person deleted it${node.deletedAtMs === undefined ? '' : ` at ${timeText(node.deletedAtMs)}`}`;
}

/** The surplus node that goes first: one that never joined and has no host, one whose host is not selected or another
 *  member's, one that never joined, one that is not well or whose host is drained, one a person marked, the highest id.
 *  Undefined while it is not known which hosts are being drained. */
function chooseSurplus(o: ClusterObservation, desired: number): Candidate | undefined {
  if (!hasSurplus(o, desired) || areHostsUnasked(o)) return undefined;
  const nodes = stayingNodes(o);
  const remove = (node: NodeRecord, basis: RemovalBasis, chosen: string): Candidate => ({
    node,
    type: 'Remove',
    basis,
    chosen,
  });
  const homeless = preferred(nodes.filter((node) => goesUnjoined(o, node) && node.pod?.hostName === undefined));
  if (homeless !== undefined) return remove(homeless, 'NeverJoined', 'it never joined');
  const [misplaced] = misplacedMembers(o);
  if (misplaced !== undefined) return remove(misplaced, removalBasis(o, misplaced), misplacedText(o, misplaced));
  const unjoined = preferred(nodes.filter((node) => goesUnjoined(o, node)));
  if (unjoined !== undefined) return remove(unjoined, 'NeverJoined', 'it never joined');
  const weak = preferred(nodes.filter((node) => weakness(o, node) !== undefined));
  if (weak !== undefined) return remove(weak, 'Proof', weakness(o, weak) ?? '');
  const last = preferred(nodes);
  if (last === undefined) return undefined;
  return remove(
    last,
    'Proof',
    isMarked(last) ? 'it is marked to be removed first' : `it has the highest id of ${nodes.length}`,
  );
}

/** Marked nodes before others, then the highest id, as a number. */
function preferred(nodes: readonly NodeRecord[]): NodeRecord | undefined {
  return [...nodes].sort((a, b) => Number(isMarked(b)) - Number(isMarked(a)) || b.id - a.id)[0];
}

function isMarked(node: NodeRecord): boolean {
  return node.removeFirst === 'true';
}

/** Why the cluster misses this node least, as half a sentence; undefined for a healthy one. */
function weakness(o: ClusterObservation, { pod, answer }: NodeRecord): string | undefined {
  if (pod === undefined) return 'it has no Pod';
  if (pod.isTerminating) return 'its Pod is ending';
  if (!pod.isReady) return 'its Pod is not ready';
  if (answer.kind === 'silent') return 'its member does not answer';
  const host = pod.hostName === undefined ? undefined : o.hosts.get(pod.hostName);
  if (host === 'gone') return `its host ${pod.hostName} is gone`;
  if (host === 'draining') return `its host ${pod.hostName} is being drained`;
  return pod.isDisrupted ? 'its Pod is about to be evicted' : undefined;
}

/** About annotations that are ignored. */
export function annotationHolds(node: NodeRecord): readonly Hold[] {
  const holds: Hold[] = [];
  if (node.forceRemove !== undefined && forcedReason(node) === undefined) {
    const message = `marekvs.io/force-remove of ${node.name} is ignored: to force this very node out, write ${node.uid}/<reason>`;
    holds.push(hold('ForceIgnored', message));
  }
  if (node.removeFirst !== undefined && !isMarked(node)) {
    const message = `marekvs.io/remove-first of ${node.name} is ignored: only "true" means something`;
    holds.push(hold('AnnotationIgnored', message));
  }
  return holds;
}

function waitingForReplacement(node: NodeRecord, carrying: number, wanted: number): Hold {
  const message = `${node.name} stays until ${wanted} other members are Active: ${carrying} are`;
  return hold('WaitingForReplacement', message);
}

function waitingForTurn(first: NodeRecord, later: readonly NodeRecord[]): Hold {
  const names = namesOf(later);
  return hold('WaitingForTurn', `${names} wait until ${first.name} is gone`);
}
