// Answers: how long after ownership was gained had every cluster been reconciled? Shows whether a restart or a
// take-over was a non-event.

import type { Clock, Logger } from '@marekvs/runtime';

export interface FirstPasses {
  /** Starts over: these clusters are to be reconciled. */
  expect(clusterKeys: Iterable<string>): void;
  /** A pass over this cluster came to its end, or the cluster is gone. */
  passed(clusterKey: string): void;
}

/** Logs one line once all are done. */
export function createFirstPasses(clock: Clock, logger: Logger): FirstPasses {
  let open = new Set<string>();
  let count = 0;
  let sinceMs = 0;
  return {
    expect(clusterKeys) {
      open = new Set(clusterKeys);
      count = open.size;
      sinceMs = clock.steadyMs();
    },
    passed(clusterKey) {
      if (!open.delete(clusterKey) || open.size > 0) return;
      const durationMs = Math.round(clock.steadyMs() - sinceMs);
      logger.info('Reconciled every cluster', {
        clusters: count,
        durationMs,
        sinceStartMs: Math.round(performance.now()),
      });
    },
  };
}
