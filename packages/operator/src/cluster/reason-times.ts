// Answers: since when has a condition its present reason? `lastTransitionTime` is by convention the time of the status alone: a cluster
// that has not been ready for an hour may be so for a new reason since a minute. Pure.

import type { MarekvsClusterStatus, Reason } from '@marekvs/api';
import { timeText } from '@marekvs/planner';

type Conditions = NonNullable<MarekvsClusterStatus['conditions']>;

/** The times of those conditions whose reason is younger than their status; nothing is said of the others. */
export function reasonTimes(
  before: MarekvsClusterStatus | undefined,
  conditions: Conditions,
  nowMs: number,
): Pick<MarekvsClusterStatus, 'reasonTimes'> {
  const times = conditions.flatMap(({ type, status, reason }) => {
    const known = before?.conditions?.find((one) => one.type === type);
    if (known === undefined || known.status !== status) return [];
    const since = before?.reasonTimes?.find((one) => one.type === type)?.since;
    if (known.reason === reason) return since === undefined ? [] : [{ type, since }];
    return [{ type, since: timeText(nowMs) }];
  });
  return times.length === 0 ? {} : { reasonTimes: times };
}

/** Since when that condition gives that reason; undefined when it gives another one. */
export function reasonSince(
  status: MarekvsClusterStatus | undefined,
  type: Conditions[number]['type'],
  reason: Reason,
): string | undefined {
  const condition = status?.conditions?.find((one) => one.type === type);
  if (condition?.reason !== reason) return undefined;
  return status?.reasonTimes?.find((one) => one.type === type)?.since ?? condition.lastTransitionTime;
}
