// What the conditions of a cluster are made of, and what one of them says.

import type { ConditionStatus, PendingChange, Reason } from '@marekvs/api';
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

export interface Verdict {
  readonly status: ConditionStatus;
  readonly reason: Reason;
  readonly message: string;
}

export function yes(reason: Reason, message: string): Verdict {
  return { status: 'True', reason, message };
}

export function no(reason: Reason, message: string): Verdict {
  return { status: 'False', reason, message };
}
