// Deleting and Departing: the proof is stored, the MarekvsNode is deleted, its Pod ends and the others forget its
// member. Until the DELETE everything can still be undone, and nothing is ever deleted on a proof that went stale.

import { PROOF_LIFETIME_MS } from '../../evidence/proof.ts';
import { mayBeSealed } from '../../evidence/sealing.ts';
import { hasLastingPod, isCarrying } from '../../members/member-state.ts';
import { isLostForGood } from '../../members/replacement.ts';
import { sharedFactor } from '../../members/shared-factor.ts';
import { presentTopology } from '../../members/topology.ts';
import { hold } from '../../values/hold.ts';
import { goesByProof, inPhase, type OperationPlan, proceed, store, takeBack } from '../record.ts';
import { membersOf, type RemovalScope } from '../scope.ts';
import { planGone } from './after.ts';
import { aliveAfterAll, gatherBefore, isIsolationUndone, lostForGood, overdue, renewed, unwanted } from './before.ts';

/** A proof is renewed well before it is void, so that there is time to act on it. */
const RENEW_AFTER_MS = PROOF_LIFETIME_MS / 2;

export function planDeleting(scope: RemovalScope): OperationPlan {
  const { node } = scope;
  if (node === undefined) return planGone(scope);
  return node.isDeleting ? planDeparting(scope, node) : planDelete(scope, node);
}

function planDelete(scope: RemovalScope, node: NonNullable<RemovalScope['node']>): OperationPlan {
  const { record, target } = scope;
  const reason = unwanted(scope, node) ?? lostForGood(scope, node) ?? aliveAfterAll(scope, node);
  if (reason !== undefined) return takeBack(scope, reason);
  const remove: OperationPlan = proceed(record, { steps: [{ kind: 'deleteNode', node, operationId: record.id }] });
  if (!goesByProof(record)) return node.removalMark === record.id ? remove : mark(scope, node);
  if (isIsolationUndone(record, node)) return mark(scope, node);
  const { evidence, contents } = gatherBefore(scope, node);
  if (!evidence.isProven) {
    const late = overdue(scope, node, evidence.missing);
    if (late !== undefined) return takeBack(scope, late);
    return { ...unproven(scope), waits: evidence.missing, contents };
  }
  if (isToBeRenewed(scope, node)) return store(renewed(scope, node, evidence), contents);
  if (!isCarried(scope, node))
    return proceed(record, {
      contents,
      waits: hold('WaitingForProof', `${target.name} has to carry its proof before it is deleted`),
    });
  return { ...remove, contents };
}

/** The node carries the proof of the record, on which its process may be ended. */
function isCarried({ record }: RemovalScope, { removalProof }: NonNullable<RemovalScope['node']>): boolean {
  return removalProof?.operationId === record.id && removalProof.at === record.proof?.pre?.at;
}

/** The evidence no longer holds between the proof and the DELETE. As long as the stored proof is valid, the next pass
 *  may find it whole again; after that it is gathered anew. */
function unproven(scope: RemovalScope): OperationPlan {
  const { proof: _void, ...rest } = scope.record;
  return isOld(scope) ? store(inPhase(rest, 'Proving', scope.o.nowMs)) : proceed(scope.record, {});
}

/** A node carries the operation's id before it is deleted: what is not marked is not ours to delete. */
function mark({ record }: RemovalScope, node: NonNullable<RemovalScope['node']>): OperationPlan {
  return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
}

/** The node is being deleted. As long as its process runs, the proof on which it may be ended is kept fresh. */
function planDeparting(scope: RemovalScope, node: NonNullable<RemovalScope['node']>): OperationPlan {
  const { o, record, target } = scope;
  const isProcessLeft = hasLastingPod(node);
  // Its Pod still runs, so nothing has happened yet: it is replaced by proof, like a node deleted by hand.
  const alive = isProcessLeft ? aliveAfterAll(scope, node) : undefined;
  if (alive !== undefined) return takeBack(scope, alive);
  // Its proof was overwritten from a stale cache, and no Pod is made again on which another proof could rest.
  const lostAlone = node.pod === undefined && !isCarried(scope, node) ? lostForGood(scope, node) : undefined;
  if (lostAlone !== undefined) return takeBack(scope, lostAlone);
  if (!isProcessLeft || !goesByProof(record)) {
    const ending = hold('MemberLeaving', `${target.name} is ending, and the others have to notice`);
    return proceed(inPhase(record, 'Departing', o.nowMs), { waits: departureHold(scope, node) ?? ending });
  }
  // A Pod of an earlier version of the operator, or made again after somebody edited the node: clients reach it.
  if (mayBeSealed(node)) return withoutProof({ ...scope, record: inPhase(record, 'Proving', o.nowMs) });
  const lost = lostSince(scope, node);
  if (lost !== undefined) return proceed(record, { waits: lost });
  const { evidence, contents } = gatherBefore(scope, node);
  if (!evidence.isProven)
    return isOfAnotherLife(scope, node) ? withoutProof(scope) : proceed(record, { waits: evidence.missing, contents });
  return isToBeRenewed(scope, node) ? store(renewed(scope, node, evidence), contents) : proceed(record, { contents });
}

/** Another node has lost its volume since the DELETE, and fewer would be left than replicationFactor asks for. The
 *  target's process still runs, and the proof that it may end is not renewed before the lost one is replaced
 *  (new-nodes.ts). */
function lostSince({ o, target }: RemovalScope, node: NonNullable<RemovalScope['node']>) {
  const others = o.nodes.filter(({ uid }) => uid !== node.uid);
  const lost = others.find((other) => isLostForGood(o, other));
  if (lost === undefined || others.filter(isCarrying).length > sharedFactor(o)) return undefined;
  return hold('VolumeLost', `${lost.name} lost its volume: ${target.name} runs on until it is replaced`);
}

/** True when a member restarted since the proof: what it took since then was not compared. */
function isOfAnotherLife(scope: RemovalScope, node: NonNullable<RemovalScope['node']>): boolean {
  const proven = scope.record.proof?.pre?.generations;
  const present = presentTopology(membersOf(scope, node))?.generations;
  if (proven === undefined || present === undefined) return false;
  return Object.entries(present).some(([id, generation]) => proven[id] !== generation);
}

/** The node stays deleted and kept; its proof is gathered anew. */
function withoutProof({ record }: RemovalScope): OperationPlan {
  const { proof: _void, ...rest } = record;
  return store(rest);
}

/** What keeps the node from ending, as reported by the node controller. */
function departureHold({ record }: RemovalScope, node: NonNullable<RemovalScope['node']>) {
  if (node.reportedReason === 'PodStuckTerminating')
    return hold('PodStuckTerminating', `Pod ${node.name} on ${node.pod?.hostName ?? 'no host'} does not end`, true);
  if (node.pod === undefined && node.reportedReason === 'MemberSilent')
    return hold('MemberSilent', `removing ${record.target?.name}: a member does not say whether it has noticed`);
  return undefined;
}

/** A proof by another process of ours may be of any age, whatever its time says, since that is of another clock. A
 *  proof of another Pod says nothing about what this one holds. */
function isToBeRenewed(scope: RemovalScope, node: NonNullable<RemovalScope['node']>): boolean {
  const isOfAnotherPod = node.pod?.uid !== scope.record.proof?.pre?.podUID;
  return isOld(scope) || !scope.o.isProvenHere || isOfAnotherPod || isOfAnotherLife(scope, node);
}

function isOld({ o, record }: RemovalScope): boolean {
  const ageMs = o.nowMs - Date.parse(record.proof?.pre?.at ?? '');
  // A clock that jumped back leaves a proof from the future, which does not count either.
  return !(ageMs >= -1_000 && ageMs <= RENEW_AFTER_MS);
}
