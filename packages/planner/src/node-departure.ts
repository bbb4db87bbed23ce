// Answers: may a MarekvsNode that is being deleted go now, and what is next on its way out?
// The cluster's record alone opens nothing: by its basis the node carries the same proof, has no process, never joined,
// or was forced by name. Pod, then everybody's list, then volume, then the node itself: that order is never skipped.

import type { Operation, Reason, RemovalProof } from '@marekvs/api';
import { isReason } from '@marekvs/api';
import { type NodeObservation, ownPod } from './node-observation.ts';
import { act, endPod, type NodePlan, wait } from './node-step.ts';
import type { Hold, NodeRecord, PodRecord } from './observation.ts';
import { type ProofFacts, proofProblem } from './removal/proof.ts';
import { boundsOf } from './removal/record.ts';
import { presentTopology } from './removal/topology.ts';
import { sameValue } from './same-value.ts';
import { hasLostVolume } from './sizing.ts';

/** Why a node that is being deleted has to stay for now; undefined when it may go. Its member runs on meanwhile. Pure. */
export function departureHold(o: NodeObservation): Hold | undefined {
  const { node, operation } = o;
  if (operation?.target === undefined)
    return held('WaitingForReplacement', `${node.name} was deleted: it goes once a new node has joined`);
  if (operation.target.uid !== node.uid)
    return held('WaitingForTurn', `${node.name} was deleted: ${operation.target.name} is removed first`);
  if (operation.phase !== 'Deleting' && operation.phase !== 'Departing') return gathering(node, operation);
  if (!isMarked(node, operation))
    return held('WaitingForProof', `${node.name} is not marked with operation ${operation.id}: it stays`, true);
  switch (operation.basis ?? 'Proof') {
    case 'Proof':
      return proofHold(o, operation);
    case 'Dead':
      return deadHold(o);
    case 'NeverJoined':
      return joinedHold(o);
    case 'Forced':
      return isForced(node)
        ? undefined
        : held('ForceIgnored', `${node.name}: marekvs.io/force-remove has to be ${node.uid}/<reason>`, true);
  }
}

/** The process was let go before and there is no way back: this is finished even while the cluster is paused (F62). */
export function isDeparting(o: NodeObservation): boolean {
  return isEnding(o) && (o.operation?.phase === 'Departing' || (o.operation?.basis ?? 'Proof') === 'Proof');
}

/** The next step of a node that may go. */
export function planDeparture(o: NodeObservation): NodePlan {
  const ending = endPod(o, 'MemberLeaving');
  if (ending !== undefined) return ending;
  const shown = stillShown(o);
  if (shown !== undefined) return wait(shown);
  const { volume } = o.node;
  if (volume === undefined || !isToDetach(o)) return act({ kind: 'releaseNode' });
  return act({
    kind: 'detachVolume',
    volume,
    detachedAtMs: o.nowMs,
    lastActiveAtMs: o.lastActiveAtMs ?? o.nowMs,
  });
}

/** Why this proof does not let the node go at this moment; undefined when it does. */
export function removalProofProblem(o: NodeObservation, proof: RemovalProof | undefined): string | undefined {
  const { node, operation } = o;
  if (operation === undefined) return 'there is no operation';
  const topology = presentTopology(o.siblings);
  const facts: ProofFacts = {
    operationId: operation.id,
    stage: 'Pre',
    rules: {
      tier: o.removal.proof,
      audited: o.removal.audit,
      replicationFactor: o.siblings[0]?.replicationFactor ?? o.replicationFactor,
      bounds: boundsOf(operation),
      isDead: false,
    },
    targetUid: node.uid,
    podUid: ownPod(o)?.uid,
    pvcUid: node.recordedVolumeUid,
    topologyHash: topology?.hash,
    generations: topology?.generations ?? {},
    nowMs: o.nowMs,
  };
  return proofProblem(proof, isEnding(o) && proof !== undefined ? factsAtItsEnd(facts, proof) : facts);
}

/** Its process is ending: what the members say changes because of that, and time goes by. The identities still have to fit. */
function factsAtItsEnd(facts: ProofFacts, proof: RemovalProof): ProofFacts {
  return {
    ...facts,
    podUid: facts.podUid ?? proof.podUID,
    topologyHash: proof.topologyHash,
    generations: proof.generations ?? {},
    nowMs: Date.parse(proof.at),
  };
}

function isEnding(o: NodeObservation): boolean {
  const pod = ownPod(o);
  return o.node.isDeleting && (pod === undefined || pod.isTerminating);
}

/** A node somebody deleted by hand may be unmarked, another operation's mark is never obeyed. */
function isMarked({ removalMark }: NodeRecord, { id, type, basis = 'Proof' }: Operation): boolean {
  if (removalMark === undefined) return type !== 'Remove' || basis !== 'Proof';
  return removalMark === id;
}

function gathering(node: NodeRecord, { blocked }: Operation): Hold {
  if (blocked !== undefined && isReason(blocked.reason)) return held(blocked.reason, blocked.message);
  return held('WaitingForProof', `${node.name} was deleted: it goes once its data is proven to be elsewhere`);
}

function proofHold(o: NodeObservation, { proof }: Operation): Hold | undefined {
  const { name, removalProof } = o.node;
  if (proof?.pre === undefined || removalProof === undefined || !sameValue(proof.pre, removalProof))
    return held('WaitingForProof', `${name} was deleted: its proof is being written down`);
  const problem = removalProofProblem(o, removalProof);
  return problem === undefined ? undefined : held('ProofStale', `${name} stays until its proof is renewed: ${problem}`);
}

/** A process on its volume that may still run contradicts the word "dead": only what it says itself would count then. */
function deadHold(o: NodeObservation): Hold | undefined {
  const pod = ownPod(o);
  if (pod === undefined || pod.isTerminating) return undefined;
  const isSilent = o.node.answer.kind === 'silent' || o.node.answer.kind === 'notAsked';
  if (isSilent && (hasLostVolume(o.node) || !hasRunningProcess(pod))) return undefined;
  return held('WaitingForProof', `${o.node.name} counts as dead, but Pod ${pod.name} is ${pod.phase}: it stays`);
}

/** Between two crashes nothing runs either. */
function hasRunningProcess({ phase, isReady, waiting }: PodRecord): boolean {
  if (isReady || phase === 'Unknown') return true;
  return phase === 'Running' && waiting === undefined;
}

function joinedHold(o: NodeObservation): Hold | undefined {
  if (isEnding(o)) return undefined;
  if (o.node.answer.kind === 'serving')
    return held('WaitingForProof', `${o.node.name} counts as never joined, but its member serves: it stays`);
  return stillShown(o);
}

/** Who still shows the member, or cannot say; undefined when every other running member has a list without it. */
function stillShown({ node, siblings }: NodeObservation): Hold | undefined {
  const others = siblings.filter((sibling) => sibling.id !== node.id && hasProcess(sibling));
  const showing = others.filter(
    ({ answer }) => answer.kind === 'serving' && answer.view.some(({ id }) => id === node.id),
  );
  if (showing.length > 0)
    return held('ViewsDisagree', `${names(showing)} still ${showing.length > 1 ? 'show' : 'shows'} ${node.name}`);
  const unknown = others.filter(({ pod, answer }) => pod?.isReady === true && answer.kind !== 'serving');
  if (unknown.length === 0) return undefined;
  const isOnlyUnasked = unknown.every(({ answer }) => answer.kind === 'notAsked');
  const reason = isOnlyUnasked ? 'NotObserved' : 'MemberSilent';
  return held(reason, `${names(unknown)} did not say yet whether ${node.name} has left`);
}

function hasProcess({ uid, pod }: NodeRecord): boolean {
  return pod?.ownerUid === uid && !pod.isTerminating;
}

/** Only a volume that is really this node's, and only once. */
function isToDetach({ node, clusterName }: NodeObservation): boolean {
  const { volume } = node;
  if (volume === undefined || hasLostVolume(node) || volume.isTerminating) return false;
  return volume.nodeId === node.id && volume.clusterName === clusterName && volume.detachedAtMs === undefined;
}

/** The annotation names this very node and says why: it cannot fire on a successor of the same name. */
function isForced({ uid, forceRemove }: NodeRecord): boolean {
  return forceRemove?.startsWith(`${uid}/`) === true && forceRemove.length > uid.length + 1;
}

function names(nodes: readonly NodeRecord[]): string {
  return nodes.map(({ name }) => name).join(', ');
}

function held(reason: Reason, message: string, needsPerson = false): Hold {
  return { reason, message, needsPerson };
}
