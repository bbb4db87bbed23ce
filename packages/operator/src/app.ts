// The process: connections, leader election, servers and the order in which everything starts. What the two controllers are
// made of and what wakes them is in assembly.ts; read the two together, first.

import {
  type ClusterAccess,
  createClient,
  createLeaderElection,
  createLeaseApi,
  createLeaseFeed,
  createLeaseIdentity,
  createManager,
  createReflector,
  createTransport,
  keyOf,
  type Logger,
  leases,
  type Manager,
  systemClock,
  toLeaseRecord,
} from '@marekvs/runtime';
import { createContentClient, createStoreClient } from '@marekvs/store-client';
import { checkAccess } from './access-check.ts';
import { assemble } from './assembly.ts';
import { createFirstPasses } from './first-passes.ts';
import { createMemoryTrim } from './memory-trim.ts';
import { listCaches } from './observation/caches.ts';
import type { OperatorOptions } from './options.ts';
import { cacheRunnable, closeAtEnd, healthServers, waitFor } from './parts.ts';
import { createProblemLog } from './problem-log.ts';
import { createPassWatch } from './telemetry/fleet-sources.ts';
import { createOperatorMetrics } from './telemetry/operator-metrics.ts';
import { untilAborted } from './until-aborted.ts';

const LEASE_NAME = 'marekvs-operator';
const USER_AGENT = 'marekvs-operator';

/** Everything, joined and not yet running. */
export function createOperator(
  access: ClusterAccess,
  options: OperatorOptions,
  version: string,
  logger: Logger,
): Manager {
  const clock = systemClock;
  const metrics = createOperatorMetrics(version);
  const { onRequest, onRefused } = metrics;
  const transport = createTransport(access, { userAgent: USER_AGENT, onRequest, onRefused });
  // Lease traffic has connections of its own: a busy queue of requests must never cost us the lease.
  const leaseTransport = createTransport(access, {
    userAgent: `${USER_AGENT}/lease`,
    onRequest,
    onRefused,
    connections: 2,
    throttleRetries: 0,
  });
  const lease = { namespace: options.namespace, name: LEASE_NAME };
  const problems = createProblemLog(logger);

  const leaseFeed = createLeaseFeed();
  const leaseCache = createReflector({
    transport: leaseTransport,
    kind: leases,
    namespaces: [lease.namespace],
    fieldSelector: `metadata.name=${lease.name}`,
    project: toLeaseRecord,
    onChange: (change) => leaseFeed.push(change.current),
    onProblem: problems,
    metrics: metrics.reflector,
  });
  const election = createLeaderElection({
    api: createLeaseApi(createClient(leaseTransport), lease),
    feed: leaseFeed,
    identity: createLeaseIdentity(options.podName, options.podUid),
    leaseMs: options.leaseDuration,
    renewMs: options.renewInterval,
    logger,
    hooks: metrics.leaderElection,
  });
  metrics.observeLease(election.leftMs);

  const firstPasses = createFirstPasses(clock, logger);
  const passes = createPassWatch(clock);
  const concurrency = options.maxConcurrentReconciles;
  const { caches, sampler, controllers, background, reconcileAll, forgetMembers } = assemble({
    transport,
    store: createStoreClient(),
    contents: createContentClient(),
    clock,
    random: Math.random,
    logger,
    grant: election.grant,
    namespaces: options.watchNamespaces.length === 0 ? 'all' : options.watchNamespaces,
    operatorNamespace: options.namespace,
    podName: options.podName,
    onProblem: problems,
    onReconciled: firstPasses.passed,
    removals: metrics.removals,
    concurrency,
    stepTimeoutMs: options.stepTimeout,
    reflectorMetrics: metrics.reflector,
    eventHooks: metrics.events,
    controllerHooks: (name) => passes.hooks(name, metrics.controllers.hooks(name, concurrency)),
  });
  for (const controller of controllers) metrics.controllers.observe(controller);
  metrics.fleet.observe(passes.sources({ caches, sampler, controllers, grant: election.grant }));
  election.onChange(({ gained, lost }) => {
    if (gained.length > 0) {
      firstPasses.expect([...caches.clusters.store.values()].map(keyOf));
      reconcileAll();
    }
    if (lost.length > 0) forgetMembers();
  });

  const manager = createManager({ logger });
  const notReady = () => manager.notReady();
  for (const server of healthServers(options, notReady, metrics.registry, logger)) manager.add('servers', server);
  manager.add('servers', metrics.eventLoop);
  manager.add('caches', {
    name: 'permissions',
    run: untilAborted,
    ready: (signal) => {
      const namespace = options.watchNamespaces[0] ?? options.namespace;
      return checkAccess({ transport, namespace, clock, logger }, signal);
    },
  });
  for (const cache of listCaches(caches)) {
    manager.add('caches', cacheRunnable(cache));
    metrics.observeCache(cache.resource, cache.lastSeenAgeMs);
  }
  manager.add('caches', {
    ...cacheRunnable(leaseCache),
    async ready(signal) {
      await waitFor(leaseCache.synced, signal);
      if (leaseCache.store.size === 0) leaseFeed.push(undefined);
    },
  });
  manager.add('election', { name: 'leader-election', run: election.run });
  for (const part of background) manager.add('election', part);
  const passCount = () => controllers.reduce((sum, controller) => sum + controller.inspect().passes, 0);
  const isIdle = () => controllers.every((controller) => controller.inspect().running.length === 0);
  manager.add('controllers', createMemoryTrim(passCount, isIdle, clock));
  for (const controller of controllers) manager.add('controllers', controller);
  manager.add('servers', { name: 'transports', run: (signal) => closeAtEnd(signal, [transport, leaseTransport]) });
  return manager;
}
