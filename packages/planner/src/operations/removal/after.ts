// Settling and Reclaiming: the target is gone, and its copies have to be on other homes again before anything of it is
// given up. Until that is proven its volume is kept, from which everything can be brought back.

import { type Operation, reasonRow } from '@marekvs/api';
import type { ComparisonRequest } from '../../contents/request.ts';
import { reportOf } from '../../evidence/compared-members.ts';
import { isOutdated } from '../../evidence/contents-check.ts';
import { type PostProofInput, postRemovalEvidence } from '../../evidence/evidence.ts';
import { PROOF_LIFETIME_MS, proofOf } from '../../evidence/proof.ts';
import { agreeOnMembership, membershipHold } from '../../members/membership.ts';
import { isLostForGood } from '../../members/replacement.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { VolumeRecord } from '../../observation/volume-record.ts';
import { hold } from '../../values/hold.ts';
import { rememberStep } from '../../volumes/used-ids.ts';
import {
  closed,
  end,
  enteredMs,
  goesByProof,
  inPhase,
  type OperationPlan,
  proceed,
  store,
  takeBack,
} from '../record.ts';
import { canBeRolledBack, keptVolume } from '../roll-back.ts';
import { begun, comparisonAmong, type GroupScope, type RemovalScope } from '../scope.ts';

/** A survivor that is silent for this long while copies are missing is not waited for: the third copy comes back
 *  (docs/design/contract.md#removing-a-node). */
export const SURVIVOR_PATIENCE_MS = 120_000;

/** The target is gone, but the record does not say so yet. */
export function planGone(scope: RemovalScope): OperationPlan {
  return planAfter({ ...scope, record: inPhase(scope.record, 'Settling', scope.o.nowMs) });
}

export function planAfter(scope: RemovalScope): OperationPlan {
  const { o, record, target } = scope;
  const back = o.nodes.find((node) => node.id === target.nodeId && node.uid !== target.uid);
  if (back !== undefined)
    return takeBack(scope, { reason: 'RolledBack', message: `${back.name} is there again: it takes its place back` });
  if (record.basis === 'NeverJoined') return planNeverJoined(scope);
  const settling = record.phase === 'Reclaiming' ? record : inPhase(record, 'Settling', o.nowMs);
  const undo = rollbackReason(scope);
  if (undo !== undefined) return takeBack({ o, record: settling }, { reason: 'RolledBack', message: undo });
  const { evidence, contents } = gatherAfter(scope);
  if (!evidence.isProven) return proceed(settling, { contents, waits: evidence.missing });
  const post = proofOf(evidence, {
    operationId: record.id,
    stage: 'Post',
    targetUid: target.uid,
    podUid: undefined,
    pvcUid: target.pvcUID,
    nowMs: o.nowMs,
    monotonicMs: o.monotonicMs,
  });
  return planProven({ ...scope, record: settling }, post, contents);
}

/** The copies are where they belong. The volume is deleted only when the policy says so, and only on a stored proof. */
function planProven(
  scope: RemovalScope,
  post: NonNullable<NonNullable<Operation['proof']>['post']>,
  contents: ComparisonRequest | undefined,
): OperationPlan {
  const { o, record } = scope;
  const proven = { ...record, proof: { ...record.proof, post } };
  const volume = volumeToReclaim(scope);
  if (volume === undefined) return end(succeeded(scope, proven));
  const storedAt = record.phase === 'Reclaiming' ? Date.parse(record.proof?.post?.at ?? '') : Number.NaN;
  const ageMs = o.nowMs - storedAt;
  if (!(o.isProvenHere && ageMs >= -1_000 && ageMs <= PROOF_LIFETIME_MS / 2))
    return store(inPhase(proven, 'Reclaiming', o.nowMs), contents);
  // First the volumes that stay record that this id was used, for a cluster that is recreated on them.
  if (rememberStep(o) !== undefined) return proceed(record, { contents });
  return proceed(record, { contents, steps: [{ kind: 'deleteVolume', volume, operationId: record.id }] });
}

/** A member that never held data leaves nothing behind once no member shows it. */
function planNeverJoined(scope: RemovalScope): OperationPlan {
  const { o, record, others, target } = scope;
  const membership = agreeOnMembership(others);
  if (membership.kind === 'unknown') return proceed(record, { waits: membershipHold(membership) });
  const isShown = membership.kind === 'agreed' && membership.lines.some((line) => line.id === target.nodeId);
  if (isShown) return proceed(record, { waits: hold('ViewsDisagree', `the members still show ${target.name}`) });
  return end(succeeded(scope, inPhase(record, 'Settling', o.nowMs)));
}

/** Whether the survivors cover each other. A volume is deleted only on a recent proof: an old one is made anew. */
function gatherAfter(scope: RemovalScope) {
  const { o, others } = scope;
  const { evidence, contents, comparison } = gatherAmong(scope, others);
  const isOld = comparison?.state === 'complete' && isOutdated(comparison, o.monotonicMs, PROOF_LIFETIME_MS);
  return { evidence, contents: isOld && contents !== undefined ? { ...contents, sinceMs: o.monotonicMs } : contents };
}

/** Whether these members, and no others, cover each other, and the comparison that belongs to it.
 *  @param isKeptFresh what was compared once is compared again until the end
 *  @param how the rules after a restart (`PostProofInput`) */
export function gatherAmong(
  scope: GroupScope,
  survivors: readonly NodeRecord[],
  isKeptFresh = false,
  how: Pick<PostProofInput, 'excusedUids' | 'purpose'> = { purpose: 'Settling' },
) {
  const { o } = scope;
  const request = comparisonAmong(scope, survivors, isKeptFresh);
  const comparison = reportOf(o, request);
  const evidence = postRemovalEvidence({
    ...how,
    survivors,
    facts: o.facts,
    monotonicMs: o.monotonicMs,
    comparison,
    maxAgeMs: PROOF_LIFETIME_MS,
  });
  return { evidence, comparison, contents: begun(o, request, evidence) };
}

/** Why the removal has to be undone from the kept volume; undefined while it may go on, or there is nothing to undo it
 *  from. */
function rollbackReason(scope: RemovalScope): string | undefined {
  const { o, record, target } = scope;
  if (!canBeRolledBack(scope)) return undefined;
  const lost = o.nodes.find((node) => isLostForGood(o, node));
  if (lost !== undefined) return `${lost.name} lost its volume before the copies of ${target.name} were complete`;
  const { blocked } = record;
  const isSilence = reasonRow(blocked?.reason)?.isSilence === true;
  if (blocked !== undefined && isSilence && o.nowMs - Date.parse(blocked.since) > SURVIVOR_PATIENCE_MS)
    return `for ${SURVIVOR_PATIENCE_MS / 1000} s: ${blocked.message}`;
  const startedMs = enteredMs(record, 'Deleting');
  const limitMs = Math.min(o.cluster.spec.removal.deadlineSeconds, o.cluster.spec.gcGraceSeconds / 2) * 1000;
  if (startedMs !== undefined && o.nowMs - startedMs > limitMs)
    return `the copies of ${target.name} are not complete after ${limitMs / 1000} s${blocked === undefined ? '' : `: ${blocked.message}`}`;
  return undefined;
}

/** The volume to delete now: by policy, and never one that may hold the only copy of something. Only the Pod with the
 *  closed door was proven to hold nothing alone, so only the volume that this Pod had goes. */
function volumeToReclaim(scope: RemovalScope): VolumeRecord | undefined {
  const { o, record, target } = scope;
  const { pre } = record.proof ?? {};
  const isOfSealed = target.sealedPodUID !== undefined && pre?.podUID === target.sealedPodUID;
  const isProven = goesByProof(record) && isOfSealed && pre.pvcUID === target.pvcUID;
  return isProven && o.cluster.spec.volumeRetention.whenScaled === 'Delete' ? keptVolume(scope) : undefined;
}

function succeeded(scope: RemovalScope, record: Operation) {
  const { o, target } = scope;
  const volume = o.volumes.find((candidate) => candidate.uid === target.pvcUID);
  const fate =
    volume === undefined
      ? 'its volume is gone'
      : volume.isTerminating
        ? `its volume ${volume.name} is being deleted`
        : `its volume ${volume.name} is kept`;
  const risk =
    record.basis === 'Dead' || record.basis === 'Forced' ? '; what only it held was not proven to be elsewhere' : '';
  const reason = record.basis === 'Forced' ? 'Forced' : record.basis === 'Dead' ? 'MemberDead' : 'RemovalFinished';
  return closed(record, { outcome: 'Succeeded', reason, message: `removed ${target.name}: ${fate}${risk}` }, o.nowMs);
}
