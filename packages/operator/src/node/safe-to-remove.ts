// Answers: which proof does a node carry, and is it safe to remove right now? Pure. The record of the cluster is the
// only source: what somebody else wrote into the node's status is overwritten.

import { isReason, type MarekvsNodeStatus, type Operation, REASONS, type RemovalProof } from '@marekvs/api';
import { type NodeObservation, ownPod, removalProofProblem, sameValue } from '@marekvs/planner';
import { no, unknown, type Verdict, yes } from '../pass/condition-verdicts.ts';

/** What blocks an operation is shown on its node once it has lasted this long, because each change costs a write. */
export const BLOCKED_SHOWN_AFTER_MS = 15_000;

/** The operation's proof while it is about this node and its present Pod; otherwise undefined. A proof about an earlier
 *  Pod must not let a later one go. */
export function carriedProof(o: NodeObservation, previous: MarekvsNodeStatus): RemovalProof | undefined {
  const pre = targetsUs(o) ? o.operation?.proof?.pre : undefined;
  if (pre === undefined || pre.targetUid !== o.node.uid) return undefined;
  const podUid = ownPod(o)?.uid;
  if (podUid === undefined) return sameValue(previous.removalProof, pre) ? pre : undefined;
  return pre.podUID === podUid ? pre : undefined;
}

export function safeToRemove(o: NodeObservation, proof: RemovalProof | undefined): Verdict {
  const { operation, node } = o;
  if (proof !== undefined && removalProofProblem(o, proof) === undefined)
    return yes('Proven', `operation ${proof.operationId} proved it at ${proof.at}`);
  if (operation === undefined || !targetsUs(o) || !isOnItsWay(o))
    return unknown('NotCompared', 'asked only when a removal is under way');
  return waiting(operation, node.name, o.nowMs);
}

function waiting({ id, blocked }: Operation, name: string, nowMs: number): Verdict {
  const isLasting = blocked !== undefined && nowMs - Date.parse(blocked.since) >= BLOCKED_SHOWN_AFTER_MS;
  if (isLasting && isReason(blocked.reason) && REASONS[blocked.reason].progressOf !== 'proof')
    return no(blocked.reason, blocked.message);
  return no('WaitingForProof', `operation ${id} gathers the proof that the data of ${name} is elsewhere`);
}

function targetsUs({ operation, node }: NodeObservation): boolean {
  return operation?.target?.uid === node.uid;
}

function isOnItsWay({ node }: NodeObservation): boolean {
  return node.intent !== 'Active' || node.isDeleting;
}
