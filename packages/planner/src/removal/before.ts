// Claimed, Isolating, Proving: the target is taken out of the Service and proven to hold nothing alone. Everything here
// can be undone. The phase follows from the world, not from the record, so that a new process goes on where the last
// one was.

import { type Hold, hold } from '../hold.ts';
import { isHostGivenUp } from '../hosts/lost-hosts.ts';
import type { NodeRecord } from '../observation.ts';
import { planGone } from './after.ts';
import { isStillWanted } from './candidate.ts';
import { FRESH_MS } from './contents-check.ts';
import { preRemovalEvidence } from './evidence.ts';
import { begun, comparisonFor, membersOf, type RemovalScope, reportOf } from './facts.ts';
import { isolationChecks } from './isolation.ts';
import { proofOf } from './proof.ts';
import {
  cancelled,
  closed,
  end,
  enteredMs,
  goesByProof,
  inPhase,
  type OperationPlan,
  proceed,
  store,
} from './record.ts';
import { acceptedDivergence, cannotComeBack, isLostForGood, removalBasis } from './replacement.ts';

/** How long a forced node is isolated at most before it is deleted. */
const FORCED_PATIENCE_MS = 15_000;

export function planBefore(scope: RemovalScope): OperationPlan {
  const { o, record, node } = scope;
  if (node === undefined) return wasDeleted(record) ? planGone(scope) : vanished(scope);
  const reason = undoReason(scope);
  if (reason !== undefined) return store(cancelled(record, reason.reason, reason.message, o.nowMs));
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
  return late === undefined ? plan : store(cancelled(record, late.reason, late.message, o.nowMs));
}

function planProof(scope: RemovalScope, node: NonNullable<RemovalScope['node']>): OperationPlan {
  const { o, record } = scope;
  if (node.intent !== 'Leaving') {
    if (node.answer.kind !== 'serving')
      return proceed(record, { waits: hold('MemberSilent', `${node.name} does not answer`) });
    return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  }
  const open = openIsolation(scope, node);
  if (open !== undefined) {
    const contents = begunBefore(scope, node, open.hold);
    return proceed(inPhase(record, 'Isolating', o.nowMs), { waits: open.hold, contents });
  }
  const proving = inPhase(record, 'Proving', o.nowMs);
  const { evidence, contents } = gatherBefore(scope, node);
  if (!evidence.isProven) return proceed(proving, { waits: evidence.missing, contents });
  return store({ ...inPhase(proving, 'Deleting', o.nowMs), proof: { pre: proofNow(scope, node, evidence) } }, contents);
}

/** The first isolation check that does not pass; undefined when the target is isolated. */
function openIsolation(scope: RemovalScope, node: NonNullable<RemovalScope['node']>) {
  const { facts, monotonicMs, isolatedSinceMs } = scope.o;
  const nodes = membersOf(scope, node);
  const checks = isolationChecks({ nodes, target: node, facts, monotonicMs, isolatedSinceMs });
  return checks.find((check) => !check.passed);
}

/** A late reading says nothing: a comparison that was begun goes on, and the next reading shows whether it counts. */
function begunBefore(scope: RemovalScope, node: NonNullable<RemovalScope['node']>, why: Hold | undefined) {
  if (why?.reason !== 'MemberSilent' && why?.reason !== 'WaitingForProof') return undefined;
  const request = comparisonFor(scope, 'removal', membersOf(scope, node));
  return reportOf(scope.o, request) === undefined ? undefined : request;
}

/** The present evidence for the target's removal, and the comparison that belongs to it.
 *  @param isRestart the target is only restarted: it is back on its volume within seconds */
export function gatherBefore(scope: RemovalScope, node: NonNullable<RemovalScope['node']>, isRestart = false) {
  const { o } = scope;
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
    acceptedDivergence: acceptedDivergence(node),
    isRestart,
  });
  return { evidence, contents: begun(o, request, evidence) };
}

/** The evidence as a proof, with the identities it rests on. */
export function proofNow(
  { o, record }: RemovalScope,
  node: NonNullable<RemovalScope['node']>,
  evidence: ReturnType<typeof gatherBefore>['evidence'],
) {
  return proofOf(evidence, {
    operationId: record.id,
    stage: 'Pre',
    targetUid: node.uid,
    podUid: node.pod?.uid,
    pvcUid: node.recordedVolumeUid,
    nowMs: o.nowMs,
    monotonicMs: o.monotonicMs,
  });
}

function planForced(scope: RemovalScope, node: NonNullable<RemovalScope['node']>): OperationPlan {
  const { o, record } = scope;
  if (node.intent !== 'Leaving') return proceed(record, { steps: [{ kind: 'isolate', node, operationId: record.id }] });
  const open = openIsolation(scope, node);
  const isOver = o.nowMs - Date.parse(record.startedAt) > FORCED_PATIENCE_MS;
  if (open !== undefined && !isOver) return proceed(inPhase(record, 'Isolating', o.nowMs), { waits: open.hold });
  return store(inPhase(record, 'Deleting', o.nowMs));
}

/** Why the removal is given up before anything irrevocable; undefined while it is wanted and possible. */
function undoReason({ o, record, node, desired }: RemovalScope) {
  const lost = o.nodes.find((other) => other.uid !== node?.uid && isLostForGood(o, other));
  const isHalfGone = node !== undefined && cannotComeBack(node);
  if (lost !== undefined && record.basis === 'Proof' && !isHalfGone)
    return hold('VolumeLost', `${lost.name} lost its volume: ${record.target?.name} stays until it is replaced`);
  const isPast = record.basis === 'Dead' || record.basis === 'NeverJoined';
  if (node !== undefined && isPast && removalBasis(o, node) !== record.basis)
    return hold('Repairing', `${node.name} is alive after all: it does not go without proof`);
  if (node !== undefined && record.basis === 'Proof' && isLostForGood(o, node))
    return hold('VolumeLost', `${node.name} lost its volume and will not answer again: the others have to prove it`);
  // Its removal has no deadline. As a node on a lost host it goes without its answer.
  if (node !== undefined && isHostGivenUp(o, node))
    return hold('HostLost', `host ${node.hostDrained} is lost: ${node.name} is replaced as a member that was on it`);
  if (node !== undefined && !isStillWanted(o, node, record, desired))
    return hold('CancelledByUser', `${desired} nodes are wanted again: ${node.name} stays`);
  return undefined;
}

/** A removal that is not past its DELETE by its deadline is taken back, so that one pinned client does not keep a
 *  member drained for ever. A member that cannot come back goes on: it would never be a member again. */
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
