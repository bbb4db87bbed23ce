// What the conditions of a cluster are made of.

import type { PendingChange } from '@marekvs/api';
import type { ClusterObservation, ClusterPlan, DataRecord } from '@marekvs/planner';
import type { ClusterHealth } from './health.ts';

export interface ConditionInput {
  readonly observation: ClusterObservation;
  readonly plan: ClusterPlan;
  readonly health: ClusterHealth;
  /** What is known of lost homes and lost data. */
  readonly data: DataRecord;
  /** What the spec asks for and is not in force. */
  readonly pending: readonly PendingChange[];
}
