// Claimed, Isolating, Sealing, Proving: clients move away from the target, its door is closed, and it is proven to hold
// nothing alone. Everything here can be undone. The phase follows from the world, not from the record, so that a new
// process goes on where the last one was.

import { kindOf, type Operation } from '@marekvs/api';
import { witnessesOf } from '../../evidence/answers.ts';
import type { CheckName } from '../../evidence/checks.ts';
import { reportOf } from '../../evidence/compared-members.ts';
import { FRESH_MS } from '../../evidence/contents-check.ts';
import { type Evidence, type PreProofInput, preRemovalEvidence } from '../../evidence/evidence.ts';
import { isolationOf, RESTART_GRACE_MS } from '../../evidence/isolation.ts';
import { proofOf } from '../../evidence/proof.ts';
import { mayBeSealed } from '../../evidence/sealing.ts';
import { isHostGivenUp } from '../../hosts/lost-hosts.ts';
import { isAnswering } from '../../members/member-state.ts';
import {
  acceptedDivergence,
  cannotComeBack,
  isAwayForNow,
  isLostForGood,
  removalBasis,
} from '../../members/replacement.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { isStillWanted } from '../../size/candidate.ts';
import { type Hold, hold } from '../../values/hold.ts';
import { memberToMend } from '../mending/drained.ts';
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
import { begun, comparisonFor, membersOf, type RemovalScope } from '../scope.ts';
import { planGone } from './after.ts';

/** How long a forced node is isolated at most before it is deleted. */
const FORCED_PATIENCE_MS = 15_000;

export function planBefore(scope: RemovalScope): OperationPlan {
  const { o, record, node } = scope;
  if (node === undefined) return wasDeleted(record) ? planGone(scope) : vanished(scope);
  const reason = undoReason(scope);
  if (reason !== undefined) return takeBack(scope, reason);
  switch (record.basis) {
    case 'Dead':
    case 'NeverJoined':
      return store(inPhase(record, 'Deleting', o.nowMs));
    case 'Forced':
      return planForced(scope, node);
    default:
      break;
  }
  const plan = planProof(scope, node);
  const late = plan.isUrgent ? undefined : overdue(scope, node, plan.waits);
  return late === undefined ? plan : takeBack(scope, late);
}

function planProof(scope: RemovalScope, node: NodeRecord): OperationPlan {
  const { o, record } = scope;
  if (node.intent === 'Active') {
    // One that an earlier removal has left behind its closed door cannot be restarted, and goes as it is.
    if (!isAnswering(node)) return proceed(record, { waits: hold('MemberSilent', `${node.name} does not answer`) });
    return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  }
  if (isIsolationUndone(record, node) || isSealVoid(scope, node))
    return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  if (node.intent === 'Leaving' && mayBeSealed(node)) return planSealing(scope, node);
  const { evidence, contents } = gatherBefore(scope, node);
  const phase = phaseOf(evidence);
  const reached = inPhase(record, phase, o.nowMs);
  const mayBeGivenUp = phase === 'Sealing' && !cannotComeBack(node);
  const late = mayBeGivenUp ? notSealed(scope, reached, evidence.missing) : undefined;
  if (late !== undefined) return takeBack({ o, record }, late);
  if (!evidence.isProven) return proceed(reached, { waits: evidence.missing, contents });
  return store(proven(scope, inPhase(reached, 'Deleting', o.nowMs), node, evidence), contents);
}

/** The target was told to leave. Once clients have had time to move away, and the others have what it has, its process
 *  may be ended to close its door, as in a turn of a rolling update. */
function planSealing(scope: RemovalScope, node: NodeRecord): OperationPlan {
  const { o, record } = scope;
  const { evidence, contents } = gatherBefore(scope, node, 'Sealing');
  const isolating = inPhase(record, 'Isolating', o.nowMs);
  if (!evidence.isProven) return proceed(isolating, { waits: evidence.missing, contents });
  const { pod } = node;
  const generation = Number(evidence.generations[node.id]);
  if (pod === undefined || !Number.isInteger(generation))
    return proceed(isolating, { waits: hold('MemberSilent', `the generation of ${node.name} is not known`), contents });
  const step = { kind: 'sealNode', node, pod, generation, operationId: record.id } as const;
  // Not before: how long the others take to get what it has does not count as time to close its door.
  return proceed(inPhase(record, 'Sealing', o.nowMs), { steps: [step], contents });
}

export function isOfIsolation(name: CheckName): boolean {
  return name === 'noPrimaries' || name === 'graceOver';
}

/** Its contents are compared from the moment its door is closed; before that everything is about closing it. */
function phaseOf({ checks }: Evidence): 'Sealing' | 'Proving' {
  const isClosed = checks.some(({ name, passed }) => name === 'doorClosed' && passed);
  return isClosed ? 'Proving' : 'Sealing';
}

/** A person has edited the node: it is let in, or has lost its mark. Isolating it again puts that right, and leaves it
 *  behind its closed door. */
export function isIsolationUndone({ id }: Operation, { serving, removalMark }: NodeRecord): boolean {
  return serving || removalMark !== id;
}

/** True when another member has gone down since this one was compared, and its process has not been ended yet: it may
 *  be the only one to have what is written until the other is back. It is compared once more. So is a process that the
 *  permit does not name, which would never be ended. */
function isSealVoid({ others }: RemovalScope, { intent, pod, ran }: NodeRecord): boolean {
  if (intent !== 'Sealed' || pod === undefined || pod.isSealed || pod.isTerminating) return false;
  if (pod.uid !== ran?.podUid) return true;
  return others.some(isAwayForNow);
}

/** Why the target takes its place back: behind its closed door it does not come up. One that can come back nowhere else
 *  goes on: it would never be a member again. */
function notSealed({ o }: RemovalScope, record: Operation, waits: Hold | undefined): Hold | undefined {
  const { progressDeadlineSeconds } = o.cluster.spec.update;
  const sinceMs = enteredMs(record, 'Sealing') ?? o.nowMs;
  if (o.nowMs - sinceMs <= progressDeadlineSeconds * 1000) return undefined;
  const why = waits === undefined ? '' : `: ${waits.message}`;
  return hold('DeadlineExceeded', `its door could not be closed within ${progressDeadlineSeconds} s${why}`);
}

/** The record with the proof, and with the Pod that it rests on: a volume is only ever deleted that this Pod had. */
function proven(
  { o, record: { id } }: RemovalScope,
  record: Operation,
  node: NodeRecord,
  evidence: Evidence,
): Operation {
  const { target } = record;
  const sealed =
    node.pod?.isSealed === true && target !== undefined ? { ...target, sealedPodUID: node.pod.uid } : target;
  return {
    ...record,
    ...(sealed === undefined ? {} : { target: sealed }),
    proof: { pre: proofNow({ o, id }, node, evidence) },
  };
}

/** The present evidence on which the target's process ends, and the comparison that belongs to it. */
export function gatherBefore(scope: RemovalScope, node: NodeRecord, purpose: PreProofInput['purpose'] = 'Proving') {
  const { o, record } = scope;
  const nodes = membersOf(scope, node);
  const request = comparisonFor(scope, 'removal', nodes);
  const evidence = preRemovalEvidence({
    nodes,
    target: node,
    facts: o.facts,
    monotonicMs: o.monotonicMs,
    comparison: reportOf(o, request),
    maxAgeMs: FRESH_MS,
    isolatedSinceMs: o.isolatedSinceMs,
    // Already before its door is closed: then a person can still merge them through the target.
    registers: kindOf(record) === 'removal' ? { accepted: acceptedDivergence(node) } : undefined,
    graceMs: graceOf(o, record),
    purpose,
  });
  return { evidence, contents: begun(o, request, evidence) };
}

/** How long clients may move away before the process ends: those of a member that comes back within seconds need less
 *  than a user may have set. */
export function graceOf({ cluster }: ClusterObservation, record: Operation): number {
  const graceMs = cluster.spec.removal.clientGraceSeconds * 1000;
  return kindOf(record) === 'turn' ? RESTART_GRACE_MS : graceMs;
}

/** The evidence as a proof, with the identities it rests on. */
function proofNow(
  { o, id }: { readonly o: ClusterObservation; readonly id: string },
  node: NodeRecord,
  evidence: Evidence,
) {
  return proofOf(evidence, {
    operationId: id,
    stage: 'Pre',
    targetUid: node.uid,
    podUid: node.pod?.uid,
    pvcUid: node.recordedVolumeUid,
    nowMs: o.nowMs,
    monotonicMs: o.monotonicMs,
  });
}

/** The record with a proof of this moment. */
export function renewed(scope: RemovalScope, node: NodeRecord, evidence: Evidence): Operation {
  return proven(scope, scope.record, node, evidence);
}

/** A forced node goes without proof. Its clients get a moment to move away. */
function planForced(scope: RemovalScope, node: NodeRecord): OperationPlan {
  const { o, record } = scope;
  if (node.intent === 'Active') return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  const open = openIsolation(scope, node);
  const isOver = o.nowMs - Date.parse(record.startedAt) > FORCED_PATIENCE_MS;
  if (open !== undefined && !isOver) return proceed(inPhase(record, 'Isolating', o.nowMs), { waits: open.hold });
  return store(inPhase(record, 'Deleting', o.nowMs));
}

/** The first isolation check that does not pass; undefined when clients have had their time. */
function openIsolation(scope: RemovalScope, node: NodeRecord) {
  const { o, record } = scope;
  const { facts, monotonicMs, isolatedSinceMs } = o;
  const witnesses = witnessesOf(membersOf(scope, node), facts, monotonicMs);
  const isolation = isolationOf(witnesses, { target: node, isolatedSinceMs, graceMs: graceOf(o, record), monotonicMs });
  return isolation.checks.find((check) => !check.passed);
}

/** Why the removal is given up before anything irrevocable; undefined while it is wanted and possible. */
function undoReason(scope: RemovalScope): Hold | undefined {
  const { o, record, node } = scope;
  const lost = o.nodes.find((other) => other.uid !== node?.uid && isLostForGood(o, other));
  const isHalfGone = node !== undefined && cannotComeBack(node);
  if (lost !== undefined && record.basis === 'Proof' && !isHalfGone)
    return hold('VolumeLost', `${lost.name} lost its volume: ${record.target?.name} stays until it is replaced`);
  const before = node === undefined ? undefined : (aliveAfterAll(scope, node) ?? lostForGood(scope, node));
  if (before !== undefined) return before;
  // Its removal has no deadline. As a node on a lost host it goes without its answer.
  if (node !== undefined && isHostGivenUp(o, node))
    return hold('HostLost', `host ${node.hostDrained} is lost: ${node.name} is replaced as a member that was on it`);
  // What both are homes of is led by one of them, however long it is waited for.
  const drained = record.basis === 'Proof' ? memberToMend(o) : undefined;
  if (drained !== undefined)
    return hold(
      'DrainedFromOutside',
      `${drained.name} was drained from outside: it is restarted before another one goes`,
    );
  return node === undefined ? undefined : unwanted(scope, node);
}

/** The node was to go without proof, and what allowed that no longer holds. */
export function aliveAfterAll({ o, record }: RemovalScope, node: NodeRecord): Hold | undefined {
  const isPast = record.basis === 'Dead' || record.basis === 'NeverJoined';
  if (!isPast || removalBasis(o, node) === record.basis) return undefined;
  return hold('Repairing', `${node.name} is alive after all: it does not go without proof`);
}

/** Its removal goes on as that of a dead node. */
export function lostForGood({ o, record }: RemovalScope, node: NodeRecord): Hold | undefined {
  if (!goesByProof(record) || !isLostForGood(o, node)) return undefined;
  return hold('VolumeLost', `${node.name} lost its volume and will not answer again: the others have to prove it`);
}

export function unwanted({ o, record, desired }: RemovalScope, node: NodeRecord): Hold | undefined {
  if (isStillWanted(o, node, record, desired)) return undefined;
  return hold('CancelledByUser', `${desired} nodes are wanted again: ${node.name} stays`);
}

/** A removal that is not past its DELETE by its deadline is taken back, so that nothing keeps a member drained for
 *  ever. A member that cannot come back goes on: it would never be a member again. */
export function overdue(
  { o: { cluster, nowMs }, record }: RemovalScope,
  node: NodeRecord,
  waits: Hold | undefined,
): Hold | undefined {
  const { deadlineSeconds } = cluster.spec.removal;
  const isOver = nowMs - Date.parse(record.startedAt) > deadlineSeconds * 1000;
  if (!isOver || !goesByProof(record) || cannotComeBack(node)) return undefined;
  const why = waits === undefined ? '' : `: ${waits.message}`;
  return hold('DeadlineExceeded', `not proven within ${deadlineSeconds} s${why}`);
}

/** True when a proof was stored once and went stale. By then the node may have been deleted, and let go on the proof it
 *  carried, while the record, from a stale cache, went back to gathering another one. */
function wasDeleted(record: RemovalScope['record']): boolean {
  return enteredMs(record, 'Deleting') !== undefined;
}

/** Somebody removed the finalizer by force: nothing is left to remove, and the membership is repaired (F57). */
function vanished({ o, record, target }: RemovalScope): OperationPlan {
  const message = `${target.name} vanished before anything was proven: its finalizer was removed by hand`;
  return end(closed(record, { outcome: 'Failed', reason: 'FinalizerRemoved', message }, o.nowMs));
}
