// Answers: how long after ownership was gained had every cluster been reconciled? Shows whether a restart or a
// take-over was a non-event.

import type { Clock, Logger } from '@marekvs/runtime';

export interface FirstPasses {
  /** These clusters are to be reconciled, too, besides those still open. */
  gained(clusterKeys: readonly string[]): void;
  /** These clusters get no further pass here: another replica has them now. */
  lost(isLost: (clusterKey: string) => boolean): void;
  /** A pass over this cluster came to its end, or the cluster is gone. */
  passed(clusterKey: string): void;
}

/** Logs one line whenever nothing is left to be reconciled: at once after a gain without clusters. */
export function createFirstPasses(clock: Clock, logger: Logger): FirstPasses {
  const open = new Set<string>();
  let reconciled = 0;
  let sinceMs: number | undefined;

  function endIfDone(): void {
    if (sinceMs === undefined || open.size > 0) return;
    logger.info('Reconciled every cluster', {
      clusters: reconciled,
      durationMs: Math.round(clock.steadyMs() - sinceMs),
      sinceStartMs: Math.round(performance.now()),
    });
    sinceMs = undefined;
    reconciled = 0;
  }

  return {
    gained(clusterKeys) {
      sinceMs ??= clock.steadyMs();
      for (const key of clusterKeys) open.add(key);
      endIfDone();
    },
    lost(isLost) {
      for (const key of [...open].filter(isLost)) open.delete(key);
      endIfDone();
    },
    passed(clusterKey) {
      if (open.delete(clusterKey)) reconciled += 1;
      endIfDone();
    },
  };
}
