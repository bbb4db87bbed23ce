// What became of removals, counted. Labels are the closed lists of the catalogue; no object is named.

import type { LastOperation } from '@marekvs/api';
import { Counter, type Registry } from 'prom-client';

export interface RemovalMetrics {
  /** An operation has ended. */
  ended(operation: LastOperation): void;
  /** A MarekvsNode vanished without an operation: somebody took its finalizer off (F57). */
  vanished(): void;
}

export function createRemovalMetrics(registry: Registry, prefix: string): RemovalMetrics {
  const registers = [registry];
  const operations = new Counter({
    name: `${prefix}removals_total`,
    help: 'Removals of a node that ended, by what let it go, how they ended and why',
    labelNames: ['basis', 'outcome', 'reason'],
    registers,
  });
  const vanished = new Counter({
    name: `${prefix}nodes_vanished_total`,
    help: 'MarekvsNodes that vanished without a finished removal: their finalizer was taken off by hand',
    registers,
  });
  return {
    ended: ({ basis = 'Proof', outcome, reason }) => operations.inc({ basis, outcome, reason }),
    vanished: () => vanished.inc(),
  };
}
