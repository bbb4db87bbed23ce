// Every metric of the operator, made in one place: what app.ts feeds, what docs/reference/metrics.md describes and what
// a scrape shows are the same families.

import { createEventLoopMonitor, createMetrics, type Metrics, type Runnable } from '@marekvs/runtime';
import { createFleetMetrics, type FleetMetrics } from './fleet-metrics.ts';
import { createNamespaceMetrics, type NamespaceMetrics } from './namespace-metrics.ts';
import { createPressureMetrics, type PressureMetrics } from './pressure-metrics.ts';
import { type CountRefusal, createRefusalMetrics } from './refusal-metrics.ts';
import { createRemovalMetrics, type RemovalMetrics } from './removal-metrics.ts';

export interface OperatorMetrics extends Metrics {
  readonly fleet: FleetMetrics;
  readonly removals: RemovalMetrics;
  readonly pressure: PressureMetrics;
  readonly namespaces: NamespaceMetrics;
  readonly onRefused: CountRefusal;
  /** Has to run for the lag to be measured. */
  readonly eventLoop: Runnable;
}

export function createOperatorMetrics(version: string): OperatorMetrics {
  const metrics = createMetrics({ version });
  const { registry, prefix } = metrics;
  return {
    ...metrics,
    fleet: createFleetMetrics(registry, prefix),
    removals: createRemovalMetrics(registry, prefix),
    pressure: createPressureMetrics(registry, prefix),
    namespaces: createNamespaceMetrics(registry, prefix),
    onRefused: createRefusalMetrics(metrics),
    eventLoop: createEventLoopMonitor(registry, { prefix }),
  };
}
