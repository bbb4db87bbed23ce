// Adapters that make a server or a connection a part of the manager.

import {
  createHealthServer,
  type HealthServer,
  type Logger,
  type Metrics,
  type Transport,
  untilAborted,
} from '@marekvs/runtime';
import type { OperatorOptions } from './options.ts';

/** Keeps connections open until everything that uses them has stopped. */
export async function closeAtEnd(signal: AbortSignal, transports: readonly Transport[]): Promise<void> {
  await untilAborted(signal);
  await Promise.all(transports.map((transport) => transport.close()));
}

/** Metrics and probes, on one address or on two; `0` serves nothing. */
export function healthServers(
  options: OperatorOptions,
  notReady: () => readonly string[],
  registry: Metrics['registry'],
  logger: Logger,
): readonly HealthServer[] {
  const { metricsBindAddress, healthProbeBindAddress } = options;
  if (metricsBindAddress === healthProbeBindAddress && metricsBindAddress !== '0') {
    return [createHealthServer({ address: metricsBindAddress, metrics: registry, notReady, logger })];
  }
  return [
    ...(metricsBindAddress === '0'
      ? []
      : [createHealthServer({ name: 'metrics-server', address: metricsBindAddress, metrics: registry, logger })]),
    ...(healthProbeBindAddress === '0'
      ? []
      : [createHealthServer({ address: healthProbeBindAddress, notReady, logger })]),
  ];
}
