// What the operator itself has stored: conditions of the cluster, the operation, conditions of the nodes.

import {
  ANNOTATIONS,
  type ClusterConditionType,
  findCondition,
  isReason,
  kindOf,
  type Operation,
  pendingText,
  REASONS,
  type Reason,
  reasonRow,
  reasonSince,
  rowOf,
} from '@marekvs/api';
import { timeMs } from '@marekvs/planner';
import type { FindingKind } from '../catalogue/rules.ts';
import type { ExplainFacts, Finding } from '../facts/finding.ts';
import { finding, memberIn, only } from './build.ts';

export function statusFindings(facts: ExplainFacts): readonly Finding[] {
  const conditions = conditionFindings(facts);
  return [...operationFindings(facts), ...conditions, ...pendingFindings(facts, conditions), ...nodeFindings(facts)];
}

/** Conditions that block something while they are True, or have to be known. */
const TROUBLES: readonly { readonly type: ClusterConditionType; readonly kind?: FindingKind }[] = [
  { type: 'Stalled', kind: 'blocked' },
  { type: 'Paused' },
  { type: 'DataLost', kind: 'blocked' },
  { type: 'DataAtRisk' },
];

function conditionFindings(facts: ExplainFacts): readonly Finding[] {
  const { status } = facts.parts.cluster;
  const conditions = status?.conditions ?? [];
  const troubles = TROUBLES.flatMap(({ type, kind }) => {
    const condition = findCondition(conditions, type);
    return condition?.status === 'True' ? [ofCondition(facts, condition, kind)] : [];
  });
  const ready = findCondition(conditions, 'Ready');
  const isHeldUp = troubles.some((one) => one.kind === 'blocked') || status?.operation?.type === 'Hibernate';
  const further = [...replication(facts), ...takenBack(facts), ...rollout(facts, isHeldUp)];
  const saysLittle = reasonRow(ready?.reason)?.saysLittle;
  const isLeftOut = saysLittle === 'always' || (saysLittle !== undefined && status?.operation !== undefined);
  if (ready === undefined || ready.status === 'True' || isLeftOut) return [...troubles, ...further];
  return [...troubles, ofCondition(facts, ready), ...further];
}

/** A changed template that some members do not have: on its way, paused by a person, or stopped. A turn under way
 *  has a finding of its own.
 *  @param isHeldUp what keeps it from going on is a finding that comes before this one */
function rollout(facts: ExplainFacts, isHeldUp: boolean): readonly Finding[] {
  const { metadata, status } = facts.parts.cluster;
  const condition = findCondition(status?.conditions, 'RollingOut');
  if (condition === undefined || condition.reason === 'TemplateCurrent' || status?.operation?.roll !== undefined)
    return [];
  const stopped = condition.reason === 'RolloutStopped' ? status?.update?.stopped : undefined;
  const approved = metadata.annotations?.[ANNOTATIONS.rolloutApproved];
  const isOther = condition.reason === 'RolloutAwaitsApproval' && approved !== undefined;
  const message = isOther ? `${condition.message}; approved is ${approved}, which is another one` : condition.message;
  const sinceMs = timeMs(stopped?.at) ?? restingSince(facts, condition);
  const found = { ...ofCondition(facts, { ...condition, message }), member: stopped?.node, sinceMs };
  const isWaiting = isHeldUp && condition.reason === 'RollingOut';
  return [isWaiting ? { ...found, unblock: 'Resolve what is above; the update then continues by itself.' } : found];
}

/** `lastTransitionTime` stays the same while only the reason changes, and this condition was False before, too.
 *  `Reconciling` changed when there was something to roll out, this one when the last turn ended: the later counts. */
function restingSince({ parts }: ExplainFacts, { reason, lastTransitionTime }: Condition): number | undefined {
  const reconciling = findCondition(parts.cluster.status?.conditions, 'Reconciling');
  const times = [lastTransitionTime, ...(reconciling?.reason === reason ? [reconciling.lastTransitionTime] : [])];
  const known = times.map((time) => timeMs(time)).filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Contents unknown for this long are worth a finding; until then the comparison after a change is simply under way. */
const UNCOMPARED_MS = 120_000;

/** Nothing during an operation, which reports itself what its proof lacks. */
function replication(facts: ExplainFacts): readonly Finding[] {
  const { status } = facts.parts.cluster;
  const condition = findCondition(status?.conditions, 'FullyReplicated');
  if (condition === undefined || condition.status === 'True' || status?.operation !== undefined) return [];
  const sinceMs = timeMs(reasonSince(status, condition.type)) ?? facts.nowMs;
  const isFresh = condition.reason === 'NotCompared' && facts.nowMs - sinceMs < UNCOMPARED_MS;
  return isFresh ? [] : [ofCondition(facts, condition)];
}

/** Why the last removal was undone, while the next try is delayed. */
function takenBack(facts: ExplainFacts): readonly Finding[] {
  const { conditions, lastOperation } = facts.parts.cluster.status ?? {};
  if (findCondition(conditions, 'Ready')?.reason !== 'RetryDelayed' || lastOperation === undefined) return [];
  const { reason, message, target, type, finishedAt } = lastOperation;
  if (!isReason(reason) || REASONS[reason].ends !== 'undone') return [];
  return only(facts, reason, {
    member: target?.name,
    sinceMs: timeMs(finishedAt),
    message:
      message ?? `the ${type === 'Replace' ? 'replacement' : 'removal'} of ${target?.name ?? 'a node'} was undone`,
    source: 'status.lastOperation',
  });
}

/** Fields whose requested value is not in force. One whose reason a condition already shows is left out. */
function pendingFindings(facts: ExplainFacts, shown: readonly Finding[]): readonly Finding[] {
  const { pendingChanges = [] } = facts.parts.cluster.status ?? {};
  const known = new Set(shown.map(({ rule }) => rule));
  return pendingChanges.flatMap((change) => {
    const rule = isReason(change.reason) ? change.reason : 'NotObserved';
    if (known.has(rule)) return [];
    return only(facts, rule, {
      field: change.field,
      // The first of the nodes that would have to be replaced.
      target: memberIn(change.wayOut, facts),
      sinceMs: timeMs(change.since),
      message: `${pendingText(change)}: ${change.why}`,
      source: 'status.pendingChanges',
      kind: change.needsPerson ? 'blocked' : 'waiting',
      unblock: change.wayOut,
    });
  });
}

interface Condition {
  readonly type: string;
  readonly reason: Reason;
  readonly message: string;
  readonly lastTransitionTime: string;
}

function ofCondition(facts: ExplainFacts, { type, reason, message }: Condition, kind?: FindingKind): Finding {
  const member = memberIn(message, facts);
  return finding(facts, isReason(reason) ? reason : 'NotObserved', {
    member,
    sinceMs: timeMs(reasonSince(facts.parts.cluster.status, type)),
    message,
    source: `condition ${type}`,
    ...(kind === undefined ? {} : { kind }),
  });
}

function operationFindings(facts: ExplainFacts): readonly Finding[] {
  const operation = facts.parts.cluster.status?.operation;
  // The condition Ready tells how far these are.
  if (operation === undefined || kindOf(operation) === 'sleep') return [];
  if (operation.roll !== undefined) return turnFindings(facts, operation, operation.roll.name);
  const { blocked, cancel, target, phase, startedAt, timeline } = operation;
  if (blocked === undefined && cancel !== undefined && isReason(cancel.reason)) {
    return only(facts, cancel.reason, {
      member: target?.name,
      sinceMs: timeMs(timeline?.at(-1)?.at ?? startedAt),
      message: `${target?.name ?? 'a node'} comes back: ${cancel.message}`,
      source: 'status.operation.cancel',
      kind: 'waiting',
    });
  }
  if (blocked === undefined || !isReason(blocked.reason)) {
    return only(facts, 'OperationInProgress', {
      member: target?.name,
      sinceMs: timeMs(timeline?.at(-1)?.at ?? startedAt),
      message: `${rowOf(operation)?.doing} ${target?.name ?? 'a node'}: phase ${phase}`,
      source: 'status.operation',
    });
  }
  return only(facts, blocked.reason, {
    member: memberIn(blocked.message, facts) ?? target?.name,
    target: target?.name,
    sinceMs: timeMs(blocked.since),
    message: blocked.message,
    source: 'status.operation.blocked',
    ...(blocked.unblock === undefined ? {} : { unblock: blocked.unblock }),
  });
}

/** A member's turn of a rolling update: what it waits for, if that lasts, and how far the update is. */
function turnFindings(facts: ExplainFacts, operation: Operation, member: string): readonly Finding[] {
  const { blocked, startedAt } = operation;
  const condition = findCondition(facts.parts.cluster.status?.conditions, 'RollingOut');
  const underWay = finding(facts, 'RollingOut', {
    member,
    sinceMs: timeMs(startedAt),
    message:
      condition?.reason === 'RollingOut'
        ? condition.message
        : `${member} is being ${operation.phase === 'Resizing' ? 'resized' : 'restarted'}`,
    source: 'status.operation',
  });
  if (blocked === undefined || !isReason(blocked.reason)) return [underWay];
  const waits = finding(facts, blocked.reason, {
    member: memberIn(blocked.message, facts) ?? member,
    isTurn: true,
    sinceMs: timeMs(blocked.since),
    message: blocked.message,
    source: 'status.operation.blocked',
    ...(blocked.unblock === undefined ? {} : { unblock: blocked.unblock }),
  });
  return [waits, underWay];
}

function nodeFindings(facts: ExplainFacts): readonly Finding[] {
  return facts.parts.nodes.flatMap((node) => {
    const ready = findCondition(node.status?.conditions, 'Ready');
    if (ready === undefined || ready.status === 'True') return [];
    return only(facts, isReason(ready.reason) ? ready.reason : 'NotObserved', {
      member: node.metadata.name,
      sinceMs: timeMs(reasonSince(node.status, 'Ready')),
      message: ready.message,
      source: `MarekvsNode ${node.metadata.name}`,
      ...(node.status?.phase === 'Failed' ? { kind: 'blocked' as const } : {}),
    });
  });
}
