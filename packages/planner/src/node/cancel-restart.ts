// Answers: may a running member be restarted now, which is the only way to take its leaving back? It stays a full home
// until then, so waiting costs nothing. Ending its process while another one is down or about to end could take away
// the last home of some keys.

import { type RemovalProof, stageOf } from '@marekvs/api';
import { PROOF_LIFETIME_MS } from '../evidence/proof.ts';
import { isHeldBack, isNewcomer, isUp, isWithoutVolume, runsInPod } from '../members/member-state.ts';
import { mayBeMadeAgain, needsReplacement } from '../members/replacement.ts';
import type { NodeRecord, PodRecord } from '../observation/node-record.ts';
import { goesByProof } from '../operations/record.ts';
import { hold } from '../values/hold.ts';
import { type NodeObservation, type NodePlan, othersOf, wait } from './node-step.ts';
import { isYoungPod, START_PATIENCE_MS, waitToStart } from './restart-order.ts';

/** What the node waits for before its process is ended; undefined when that may be now: only while every other member
 *  that holds data is up, none of them is about to end, and enough of them are left. */
export function waitToRestart(o: NodeObservation): NodePlan | undefined {
  if (!o.isClusterFormed) return waitToStart(o);
  const others = othersOf(o);
  const why = others.map((other) => obstacle(o, other)).find((found) => found !== undefined);
  if (why !== undefined) return waitFor(o, why);
  const upCount = others.filter(isUp).length;
  if (upCount >= o.replicationFactor) return waitToStart(o);
  return waitFor(o, `${upCount} other members are up, ${o.replicationFactor} are needed while it restarts`);
}

/** Why the other member blocks a restart; undefined when it does not. One that needs replacement and will not be back
 *  soon, or will never start again, is not waited for: it could not be replaced before this member is back. */
function obstacle(o: NodeObservation, other: NodeRecord): string | undefined {
  if (isNewcomer(other) && !isUp(other)) return undefined;
  if (other.pod?.isTerminating === true) return `${other.name} is ending`;
  if (isWithoutVolume(other))
    // A container between two crashes will not be started again without its volume.
    return runsInPod(other) && !isReplaced(o) ? `${other.name} has lost its volume and is replaced first` : undefined;
  if (isAboutToEnd(o, other)) return `${other.name} is being removed`;
  if (isUp(other)) return comesFirst(o, other) ? `${other.name} is restarted first` : undefined;
  return needsReplacement(other) && !mayBeBackSoon(o, other) ? undefined : `${other.name} is not up`;
}

/** True when a node that awaits replacement has only just gone down: its container is restarted, or its Pod created
 *  again, within moments. */
function mayBeBackSoon({ nowMs }: NodeObservation, node: NodeRecord): boolean {
  const { pod, uid, answer } = node;
  if (pod === undefined) return mayBeMadeAgain(node, nowMs);
  if (pod.ownerUid !== uid || isHeldBack(pod)) return false;
  if (answer.kind === 'notAsked') return isYoungPod(pod, nowMs) || runsInPod(node);
  return answer.kind === 'serving' || nowMs - answer.sinceMs <= START_PATIENCE_MS;
}

/** True when, with this member, as many as wanted are up on volumes of their own. Deleted nodes that are kept for now
 *  count: they are full homes, and are not replaced before this operation is over. A process without a volume is a home
 *  besides these. It can be removed only after this restart, since one operation is under way at a time. */
function isReplaced(o: NodeObservation): boolean {
  if (o.wantedNodes === undefined) return false;
  return othersOf(o).filter((other) => isUp(other) && !isWithoutVolume(other)).length >= o.wantedNodes - 1;
}

/** True when the removal under way is past its point of no return and only the end of the process is left. An expired
 *  proof, or one of an earlier Pod, has to be renewed. That waits until no other member has been told to leave, that is
 *  for this very restart, so the restart must not wait for it. */
function isAboutToEnd({ operation, nowMs }: NodeObservation, { uid, isDeleting, pod }: NodeRecord): boolean {
  if (!isDeleting || pod === undefined || operation?.target?.uid !== uid) return false;
  if (stageOf(operation) !== 'deleting') return false;
  return !goesByProof(operation) || mayStillCount(operation.proof?.pre, pod, nowMs);
}

/** True for twice the lifetime of a proof, since another clock may have written its time. */
function mayStillCount(proof: RemovalProof | undefined, { uid }: PodRecord, nowMs: number): boolean {
  if (proof === undefined || (proof.podUID ?? uid) !== uid) return false;
  return !(nowMs - Date.parse(proof.at) > 2 * PROOF_LIFETIME_MS);
}

/** Of two members that are to be restarted, the one with the lower id is first. */
function comesFirst({ node }: NodeObservation, { id, intent, pod, volume }: NodeRecord): boolean {
  return id < node.id && intent === 'Active' && pod?.isLeaving === true && volume !== undefined;
}

function waitFor({ node }: NodeObservation, why: string): NodePlan {
  return wait(hold('WaitingForTurn', `${node.name} waits: ${why}`), START_PATIENCE_MS);
}
