// Answers: may a running member be restarted now, which is the only way to take its leaving back? It stays a full home
// until then, so waiting costs nothing, and the end of its process beside another one that is down or about to end
// could take the last home of something away.

import type { RemovalProof } from '@marekvs/api';
import { runsInPod } from './membership.ts';
import type { NodeObservation } from './node-step.ts';
import type { NodeRecord, PodRecord } from './observation.ts';
import { PROOF_LIFETIME_MS } from './removal/proof.ts';
import { goesByProof } from './removal/record.ts';
import { hasOwnVolume, needsReplacement } from './removal/replacement.ts';
import { isUp, isYoungPod, mayStartNow, othersOf, START_PATIENCE_MS, type Turn } from './restart-order.ts';
import { hasLostVolume } from './sizing.ts';

/** Only while every other member that holds data is up, none of them is about to end, and enough of them are left. */
export function mayRestartNow(o: NodeObservation): Turn {
  if (!o.isClusterFormed) return mayStartNow(o);
  const others = othersOf(o);
  const why = others.map((other) => obstacle(o, other)).find((said) => said !== undefined);
  if (why !== undefined) return wait(o, why);
  const upCount = others.filter(isUp).length;
  if (upCount >= o.replicationFactor) return mayStartNow(o);
  return wait(o, `${upCount} other members are up, ${o.replicationFactor} are needed while it restarts`);
}

/** Why this other one blocks a restart. What a person has given up and does not come back soon, and what will
 *  never start again, is not waited for: nobody could replace it before this member is back. */
function obstacle(o: NodeObservation, other: NodeRecord): string | undefined {
  if (neverHadData(other)) return undefined;
  if (other.pod?.isTerminating === true) return `${other.name} is ending`;
  if (isWithoutVolume(other))
    // A container between two crashes will not be started again without its volume.
    return runsInPod(other) && !isReplaced(o) ? `${other.name} has lost its volume and is replaced first` : undefined;
  if (isAboutToEnd(o, other)) return `${other.name} is being removed`;
  if (isUp(other)) return comesFirst(o, other) ? `${other.name} is restarted first` : undefined;
  return needsReplacement(other) && !mayBeBackSoon(o, other) ? undefined : `${other.name} is not up`;
}

/** It is held until it is replaced, and has only just gone down: its container is made again within moments. */
function mayBeBackSoon({ nowMs }: NodeObservation, { pod, uid, answer }: NodeRecord): boolean {
  if (pod?.ownerUid !== uid || (pod.waiting !== undefined && pod.waiting.reason !== 'ContainerCreating')) return false;
  if (answer.kind === 'notAsked') return isYoungPod(pod, nowMs);
  return answer.kind === 'serving' || nowMs - answer.sinceMs <= START_PATIENCE_MS;
}

/** It is there to take its first share, or not even that: all it has are copies. */
function neverHadData(node: NodeRecord): boolean {
  return !node.serving && !node.wasActive && !isUp(node) && hasOwnVolume(node);
}

/** What it has goes with its process. */
function isWithoutVolume(node: NodeRecord): boolean {
  return hasLostVolume(node) || node.volume?.isTerminating === true;
}

/** As many others are up on volumes of their own as there shall be, with those that were deleted and are held: nobody
 *  takes their places before this operation is over, and they are full homes. What a process without a volume still
 *  holds is a home besides them; it can be removed only after this restart, since one operation is under way at a
 *  time. */
function isReplaced(o: NodeObservation): boolean {
  if (o.wantedNodes === undefined) return false;
  return othersOf(o).filter((other) => isUp(other) && !isWithoutVolume(other)).length >= o.wantedNodes - 1;
}

/** The removal under way is past its point of no return, and nothing but the end of the process is left. A proof
 *  that has run out, or is of an earlier Pod, has to be made anew, which waits until nobody else has been told to
 *  leave: for this very restart. */
function isAboutToEnd({ operation, nowMs }: NodeObservation, { uid, isDeleting, pod }: NodeRecord): boolean {
  if (!isDeleting || pod === undefined || operation?.target?.uid !== uid) return false;
  if (operation.phase !== 'Deleting' && operation.phase !== 'Departing') return false;
  return !goesByProof(operation) || mayStillCount(operation.proof?.pre, pod, nowMs);
}

/** For twice as long as it does count, since it may have been written by another clock. */
function mayStillCount(proof: RemovalProof | undefined, { uid }: PodRecord, nowMs: number): boolean {
  if (proof === undefined || (proof.podUID ?? uid) !== uid) return false;
  return !(nowMs - Date.parse(proof.at) > 2 * PROOF_LIFETIME_MS);
}

/** Of two that are to be restarted the one with the lower id is first. */
function comesFirst({ node }: NodeObservation, { id, intent, pod, volume }: NodeRecord): boolean {
  return id < node.id && intent === 'Active' && pod?.isLeaving === true && volume !== undefined;
}

function wait({ node }: NodeObservation, why: string): Turn {
  return { kind: 'wait', message: `${node.name} waits: ${why}`, requeueAfterMs: START_PATIENCE_MS };
}
