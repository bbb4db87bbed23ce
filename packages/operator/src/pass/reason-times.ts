// Answers: since when does a condition of a cluster or a node have its present reason? By convention
// `lastTransitionTime` belongs to the status alone: a cluster that has not been ready for an hour may have a new reason
// since a minute. Pure.

import { type Condition, findCondition, type MarekvsClusterStatus, type MarekvsNodeStatus } from '@marekvs/api';
import { timeText } from '@marekvs/planner';

interface ReasonTimes {
  readonly reasonTimes?: readonly { readonly type: string; readonly since: string }[];
}

type Before = Pick<MarekvsClusterStatus | MarekvsNodeStatus, 'conditions' | 'reasonTimes'>;

/** The times of the conditions whose reason is younger than their status; other conditions are left out. */
export function reasonTimes(before: Before | undefined, conditions: readonly Condition[], nowMs: number): ReasonTimes {
  const times = conditions.flatMap(({ type, status, reason }) => {
    const known = findCondition<string>(before?.conditions, type);
    if (known === undefined || known.status !== status) return [];
    const since = before?.reasonTimes?.find((one) => one.type === type)?.since;
    if (known.reason === reason) return since === undefined ? [] : [{ type, since }];
    return [{ type, since: timeText(nowMs) }];
  });
  return times.length === 0 ? {} : { reasonTimes: times };
}
