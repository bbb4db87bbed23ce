// What became of removals, counted. Labels are the closed lists of the catalogue; no object is named.

import type { LastOperation } from '@marekvs/api';
import { createMeters } from '@marekvs/runtime';
import type { Registry } from 'prom-client';

export interface RemovalMetrics {
  /** An operation has ended. */
  ended(operation: LastOperation): void;
  /** A MarekvsNode vanished without an operation: somebody took its finalizer off (F57). */
  vanished(): void;
}

export function createRemovalMetrics(registry: Registry, prefix: string): RemovalMetrics {
  const { counter } = createMeters(registry);
  const operations = counter(
    `${prefix}removals_total`,
    'Removals of a node that ended, by what let it go, how they ended and why',
    ['basis', 'outcome', 'reason'],
  );
  const vanished = counter(
    `${prefix}nodes_vanished_total`,
    'MarekvsNodes that vanished without a finished removal: their finalizer was taken off by hand',
  );
  return {
    ended: ({ basis = 'Proof', outcome, reason }) => operations.inc({ basis, outcome, reason }),
    vanished: () => vanished.inc(),
  };
}
