// The shape of a condition and the closed lists of condition types. What makes one True is decided in the planner.

import type { Reason } from './reasons.ts';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** metav1.Condition as we write it: the reason is always one of the catalogue and `observedGeneration` is always
 *  there. */
export interface Condition<T extends string = string> {
  readonly type: T;
  readonly status: ConditionStatus;
  readonly reason: Reason;
  /** One sentence with numbers, no time stamps or counters; at most 1,024 characters. */
  readonly message: string;
  readonly observedGeneration: number;
  /** RFC 3339; changes only when `status` does. */
  readonly lastTransitionTime: string;
}

/** `PendingChange` is True while the spec asks for something that is not in force. `Hibernated` exists only while
 *  hibernation is asked for or the members are stopped. */
export const CLUSTER_CONDITION_TYPES = [
  'Ready',
  'Available',
  'FullyReplicated',
  'Rescaling',
  'RollingOut',
  'Reconciling',
  'Stalled',
  'DataAtRisk',
  'DataLost',
  'Paused',
  'Hibernated',
  'PendingChange',
] as const;
export type ClusterConditionType = (typeof CLUSTER_CONDITION_TYPES)[number];

/** `VolumeUpToDate` exists, with status False, only while the volume is not what is asked for. */
export const NODE_CONDITION_TYPES = [
  'Ready',
  'Joined',
  'UpToDate',
  'VolumeReady',
  'VolumeUpToDate',
  'SafeToRemove',
] as const;
export type NodeConditionType = (typeof NODE_CONDITION_TYPES)[number];

export type ClusterCondition = Condition<ClusterConditionType>;
export type NodeCondition = Condition<NodeConditionType>;

/** The condition of this type, or undefined: a missing condition means Unknown, never False. */
export function findCondition<T extends string>(
  conditions: readonly Condition<T>[] | undefined,
  type: T,
): Condition<T> | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** The conditions of a status, and the times of reasons that have changed since the status of their condition did. */
interface WithConditions {
  readonly conditions?: readonly Condition[] | undefined;
  readonly reasonTimes?: readonly { readonly type: string; readonly since: string }[] | undefined;
}

/** Since when the condition has its current reason. By convention `lastTransitionTime` is about its status alone. */
export function reasonSince(status: WithConditions | undefined, type: string): string | undefined {
  const since = status?.reasonTimes?.find((one) => one.type === type)?.since;
  return since ?? findCondition(status?.conditions, type)?.lastTransitionTime;
}
