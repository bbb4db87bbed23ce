// Answers: is a new status of a cluster worth a write, and how soon? Pure. A value that moves by itself (rates, gauges)
// never causes a write of its own more than once a minute (docs/design/contract.md#figures).

import type { MarekvsClusterStatus } from '@marekvs/api';
import { sameValue } from '@marekvs/planner';

export type StatusChange = 'none' | 'volatile' | 'soft' | 'urgent';

/** How much a new status differs from the one stored. `volatile`: only figures that move by themselves;
 *  `soft`: something a person may read a moment later; `urgent`: a turn of events. */
export function statusChange(previous: MarekvsClusterStatus | undefined, next: MarekvsClusterStatus): StatusChange {
  if (previous === undefined) return 'urgent';
  if (sameValue(previous, next)) return 'none';
  if (sameValue(withoutVolatile(previous), withoutVolatile(next))) {
    return isFirstZero(previous, next) ? 'none' : 'volatile';
  }
  return turn(previous) === turn(next) ? 'soft' : 'urgent';
}

/** The rate of an idle cluster becomes 0 some seconds after Healthy. That is not worth a write for every idle
 *  cluster. */
function isFirstZero(previous: MarekvsClusterStatus, next: MarekvsClusterStatus): boolean {
  const isSameOtherwise = previous.underreplicatedPartitions === next.underreplicatedPartitions;
  return previous.opsPerSecond === undefined && next.opsPerSecond === 0 && isSameOtherwise;
}

/** Conditions whose change a person waits for, or has to know of at once. */
const URGENT_CONDITIONS: ReadonlySet<string> = new Set(['Ready', 'Stalled', 'DataAtRisk', 'DataLost', 'Paused']);

function turn(status: MarekvsClusterStatus): string {
  const statuses = (status.conditions ?? []).filter(({ type }) => URGENT_CONDITIONS.has(type));
  const turns = statuses.map((condition) => `${condition.type}=${condition.status}`);
  const { operation } = status;
  // From this phase on the survivors are proven, and the removal cannot be taken back any more.
  const isSettling = operation?.phase === 'Settling';
  const removal = [operation?.id, isSettling, operation?.cancel?.reason, status.blockedBy].join();
  return [status.observedGeneration, status.formed?.clusterId, status.autoscale?.size, removal, ...turns].join(' ');
}

function withoutVolatile(status: MarekvsClusterStatus): MarekvsClusterStatus {
  const { opsPerSecond: _ops, underreplicatedPartitions: _under, ...rest } = status;
  return rest;
}
