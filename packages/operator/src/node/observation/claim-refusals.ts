// Remembers what the API server refused for the claims of nodes. A refused change is tried again at growing intervals.
// A cache: after a restart it is tried once more.

import { claimChange, type Hold, type NodeObservation, type NodeRecord } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import { createRefusalBackoff } from '../../pacing/refusal-backoff.ts';

export interface ClaimRefusals {
  refused(key: string, node: NodeRecord, hold: Hold): void;
  /** The refusal of the change that is asked for now; undefined when there is none. */
  current(key: string, node: NodeRecord): NodeObservation['volumeRefusal'];
  forget(key: string): void;
}

export function createClaimRefusals(clock: Clock): ClaimRefusals {
  const backoff = createRefusalBackoff('claimChange');
  const changes = new Map<string, string>();
  const textOf = (node: NodeRecord): string => JSON.stringify(claimChange(node));

  function forget(key: string): void {
    changes.delete(key);
    backoff.clear(key);
  }

  return {
    refused(key, node, hold) {
      changes.set(key, textOf(node));
      backoff.refused(key, hold, clock.steadyMs());
    },
    current(key, node) {
      if (changes.has(key) && changes.get(key) !== textOf(node)) forget(key);
      const current = backoff.current(key, clock.steadyMs());
      return current === undefined ? undefined : { message: current.hold.message, leftMs: current.leftMs };
    },
    forget,
  };
}
