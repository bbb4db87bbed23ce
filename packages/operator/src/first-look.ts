// Answers: after ownership was gained, how long did it take until every cluster had been looked at? The figure that tells
// whether a restart or a take-over was a non-event.

import type { Clock, Logger } from '@marekvs/runtime';

export interface FirstLook {
  /** Starts over: these clusters are to be looked at. */
  expect(clusterKeys: Iterable<string>): void;
  /** A pass over this cluster came to its end, or the cluster is gone. */
  looked(clusterKey: string): void;
}

/** Logs one line once all are done. */
export function createFirstLook(clock: Clock, logger: Logger): FirstLook {
  let open = new Set<string>();
  let count = 0;
  let sinceMs = 0;
  return {
    expect(clusterKeys) {
      open = new Set(clusterKeys);
      count = open.size;
      sinceMs = clock.steadyMs();
    },
    looked(clusterKey) {
      if (!open.delete(clusterKey) || open.size > 0) return;
      const durationMs = Math.round(clock.steadyMs() - sinceMs);
      logger.info('Looked at every cluster', {
        clusters: count,
        durationMs,
        sinceStartMs: Math.round(performance.now()),
      });
    },
  };
}
