// Answers: may a MarekvsNode that is being deleted go now? Its member runs on until it may. The cluster's record alone
// is not enough: depending on its basis the node must carry the same proof, have no process, have never joined, or be
// forced by name. departure.ts plans what follows.

import { isReason, type Operation, stageOf } from '@marekvs/api';
import { hasLostVolume, hasNoProcess, isActiveMember, isHeard } from '../members/member-state.ts';
import { needsReplacement } from '../members/replacement.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import { type Hold, hold } from '../values/hold.ts';
import { sameValue } from '../values/same-value.ts';
import { stillShown } from './departure.ts';
import { isEnding, removalProofProblem } from './departure-proof.ts';
import { type NodeObservation, ownPod } from './node-step.ts';

/** Why a node that is being deleted has to stay for now; undefined when it may go. Its member runs on meanwhile.
 *  Pure. */
export function departureHold(o: NodeObservation): Hold | undefined {
  const { node, operation } = o;
  if (operation?.target === undefined) return withoutOperation(o);
  if (operation.target.uid !== node.uid)
    return hold('WaitingForTurn', `${node.name} was deleted: ${operation.target.name} is removed first`);
  if (stageOf(operation) !== 'deleting') return gathering(node, operation);
  if (!isMarked(node, operation))
    return hold('WaitingForProof', `${node.name} is not marked with operation ${operation.id}: it stays`, true);
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
        : hold('ForceIgnored', `${node.name}: marekvs.io/force-remove has to be ${node.uid}/<reason>`, true);
  }
}

/** Once enough others are Active, the node no longer waits for a new one, whatever else keeps its removal from
 *  starting. */
function withoutOperation({ node, siblings, wantedNodes }: NodeObservation): Hold {
  const carrying = siblings.filter(
    (other) => other.uid !== node.uid && !needsReplacement(other) && isActiveMember(other),
  ).length;
  if (wantedNodes === undefined || carrying < wantedNodes)
    return hold('WaitingForReplacement', `${node.name} was deleted: it goes once a new node has joined`);
  const message = `${node.name} was deleted and ${carrying} others are Active: its cluster says what its removal waits for`;
  return hold('WaitingForProof', message);
}

/** The process was already allowed to end, so the departure is finished even while the cluster is paused (F62). */
export function isDeparting(o: NodeObservation): boolean {
  return isEnding(o) && (o.operation?.phase === 'Departing' || (o.operation?.basis ?? 'Proof') === 'Proof');
}

/** A node deleted by hand may be unmarked. The mark of another operation is never obeyed. */
function isMarked({ removalMark }: NodeRecord, { id, type, basis = 'Proof' }: Operation): boolean {
  if (removalMark === undefined) return type !== 'Remove' || basis !== 'Proof';
  return removalMark === id;
}

function gathering(node: NodeRecord, { blocked }: Operation): Hold {
  if (blocked !== undefined && isReason(blocked.reason)) return hold(blocked.reason, blocked.message);
  return hold('WaitingForProof', `${node.name} was deleted: it goes once its data is proven to be elsewhere`);
}

function proofHold(o: NodeObservation, { proof }: Operation): Hold | undefined {
  const { name, removalProof } = o.node;
  if (proof?.pre === undefined || removalProof === undefined || !sameValue(proof.pre, removalProof))
    return hold('WaitingForProof', `${name} was deleted: its proof is being written down`);
  const problem = removalProofProblem(o, removalProof);
  return problem === undefined ? undefined : hold('ProofStale', `${name} stays until its proof is renewed: ${problem}`);
}

/** A process that may still run on the volume contradicts "dead": then only its own report would count. */
function deadHold(o: NodeObservation): Hold | undefined {
  const pod = ownPod(o);
  if (pod === undefined || pod.isTerminating) return undefined;
  if (hasNoProcess(o.node) || (hasLostVolume(o.node) && !isHeard(o.node))) return undefined;
  return hold('WaitingForProof', `${o.node.name} counts as dead, but Pod ${pod.name} is ${pod.phase}: it stays`);
}

function joinedHold(o: NodeObservation): Hold | undefined {
  if (isEnding(o)) return undefined;
  if (o.node.answer.kind === 'serving')
    return hold('WaitingForProof', `${o.node.name} counts as never joined, but its member serves: it stays`);
  // While the member is joining the others list it, but no client is sent to it (members/replacement.ts).
  if (o.node.answer.kind === 'joining') return stillShown(o, (line) => line.hasPrimaries);
  return stillShown(o);
}

/** The annotation names this very node and says why: it cannot fire on a successor of the same name. */
function isForced({ uid, forceRemove }: NodeRecord): boolean {
  return forceRemove?.startsWith(`${uid}/`) === true && forceRemove.length > uid.length + 1;
}
