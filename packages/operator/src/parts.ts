// Small adapters that make a cache, a server or a connection a part of the manager.

import {
  createHealthServer,
  type HealthServer,
  type Identified,
  type Logger,
  type Metrics,
  type Reflector,
  type Runnable,
  type Transport,
  untilAborted,
} from '@marekvs/runtime';
import type { OperatorOptions } from './options.ts';

/** A cache: the next stage starts when its first list is complete; readiness says what it waits for. */
export function cacheRunnable(cache: Reflector<Identified>): Runnable {
  return {
    name: `cache of ${cache.resource}`,
    run: cache.run,
    ready: (signal) => waitFor(cache.synced, signal),
    notReady() {
      if (cache.problem !== undefined) return `cache of ${cache.resource}: ${cache.problem.kind}`;
      return cache.store.hasSynced ? undefined : `cache of ${cache.resource} is not complete yet`;
    },
  };
}

/** The promise's value, or a rejection with the signal's reason when that comes first. */
export async function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

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
