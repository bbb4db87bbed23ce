// Answers: how soon is the record of an operation tried again, and when is it worth a report that it has not begun?

import { type ClusterObservation, type ClusterPlan, isOperationPending, needsReplacement } from '@marekvs/planner';
import { backoffMs } from '../pacing/paces.ts';

export interface ClaimPace {
  /** True while a removal is about to begin: hosts and members are just being asked, and a status that says so is not
   *  worth a write. */
  isAboutToBegin(key: string, observation: ClusterObservation, plan: ClusterPlan): boolean;
  /** Live reads have refused to store a record, since the caches are behind.
   *  @returns milliseconds until it is tried again, unless the caches change */
  refused(key: string): number;
  /** A record was stored, or none is to be stored. */
  settle(key: string): void;
  forget(key: string): void;
}

/** What keeps a removal from beginning is reported once it has lasted this long. */
const CLAIM_PATIENCE_MS = 3_000;

export function createClaimPace(): ClaimPace {
  const pendingSinceMs = new Map<string, number>();
  /** Refusals in a row. */
  const refusals = new Map<string, number>();
  return {
    isAboutToBegin(key, observation, plan) {
      const { monotonicMs } = observation;
      if (!mayBegin(observation, plan) || !isOperationPending(observation, plan.desiredNodes)) {
        pendingSinceMs.delete(key);
        return false;
      }
      const sinceMs = pendingSinceMs.get(key) ?? monotonicMs;
      pendingSinceMs.set(key, sinceMs);
      return monotonicMs - sinceMs < CLAIM_PATIENCE_MS;
    },
    refused(key) {
      const times = (refusals.get(key) ?? 0) + 1;
      refusals.set(key, times);
      return backoffMs('record', times);
    },
    settle: (key) => void refusals.delete(key),
    forget(key) {
      pendingSinceMs.delete(key);
      refusals.delete(key);
    },
  };
}

function mayBegin({ cluster, nodes }: ClusterObservation, plan: ClusterPlan): boolean {
  const isIdle = cluster.operation === undefined && plan.steps.length === 0;
  // A node that has to go whatever the size is reported at once: a lost volume, a node deleted by hand.
  const isOnlySurplus = !nodes.some(needsReplacement);
  return isIdle && isOnlySurplus && !cluster.spec.paused && cluster.problems.length === 0;
}
