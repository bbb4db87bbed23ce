// Answers: in which way is a cluster not at its desired state, why, and since when? From its status, so that a
// restarted operator gives the same times. Pure.

import { findCondition, kindOf, type MarekvsCluster, type Reason, reasonRow } from '@marekvs/api';

/** What can be wrong with a cluster as a whole; the values of the label `problem`. */
export const PROBLEM_KINDS = [
  'NotReady',
  'Stalled',
  'RemovalBlocked',
  'UpdateStopped',
  'UpdateBlocked',
  'SizeLimited',
  'DataAtRisk',
  'PassFailing',
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** Why passes fail, for a cluster whose status cannot tell because no pass gets as far as writing it. */
export const FAILURE_REASONS = ['error', 'timeout'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

export interface Problem {
  readonly kind: ProblemKind;
  readonly reason: Reason | FailureReason;
  readonly sinceMs: number;
}

/** Passes of one cluster that fail in a row. */
export interface Failing {
  readonly reason: FailureReason;
  readonly sinceMs: number;
}

/** All present problems; empty for nearly every cluster. */
export function problemsOf({ metadata, status }: MarekvsCluster, failing?: Failing): readonly Problem[] {
  const problems: Problem[] = failing === undefined ? [] : [{ kind: 'PassFailing', ...failing }];
  const add = (kind: ProblemKind, reason: Reason, since: string) =>
    problems.push({ kind, reason, sinceMs: Date.parse(since) });
  if (metadata.deletionTimestamp !== undefined) {
    add('NotReady', 'Deleting', metadata.deletionTimestamp);
    return problems;
  }
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready === undefined) add('NotReady', 'NotObserved', metadata.creationTimestamp);
  else if (ready.status !== 'True' && ready.reason !== 'Hibernated')
    add('NotReady', ready.reason, ready.lastTransitionTime);
  for (const kind of ['Stalled', 'DataAtRisk'] as const) {
    const condition = findCondition(status?.conditions, kind);
    if (condition?.status === 'True') add(kind, condition.reason, condition.lastTransitionTime);
  }
  const { operation, update, autoscale } = status ?? {};
  const blocked = operation?.blocked;
  // The schema leaves the reason open, so that an older CRD accepts a newer status; only our code writes it.
  const kind = kindOf(operation);
  if (blocked !== undefined && kind !== 'sleep')
    add(kind === 'turn' ? 'UpdateBlocked' : 'RemovalBlocked', blocked.reason as Reason, blocked.since);
  // The time of the size, because that of the reason is not stored.
  if (autoscale?.since !== undefined && isLimit(autoscale.reason))
    add('SizeLimited', autoscale.reason, autoscale.since);
  if (update?.stopped !== undefined) add('UpdateStopped', update.stopped.reason as Reason, update.stopped.at);
  return problems;
}

/** The size does not follow the load until somebody acts. */
function isLimit(reason: string | undefined): reason is Reason {
  return reasonRow(reason)?.sizing === 'unmet';
}
