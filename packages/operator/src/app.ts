// The composition root: every part of the operator, what it is made of and what wakes it. Read this first.

import {
  type ClusterAccess,
  createClient,
  createController,
  createEventRecorder,
  createLeaderElection,
  createLeaseApi,
  createLeaseFeed,
  createLeaseIdentity,
  createManager,
  createMetrics,
  createReflector,
  createTransport,
  events,
  isAlreadyExists,
  keyOf,
  type Logger,
  leases,
  type Manager,
  systemClock,
  toLeaseRecord,
} from '@marekvs/runtime';
import { createStoreClient } from '@marekvs/store-client';
import { checkAccess } from './access-check.ts';
import { createClusterReconciler } from './cluster/reconciler.ts';
import { createFirstLook } from './first-look.ts';
import { createAudits } from './members/audits.ts';
import { createMemberCommands } from './members/commands.ts';
import { createHosts } from './members/hosts.ts';
import { roundRate } from './members/op-rate.ts';
import { createPasswords } from './members/passwords.ts';
import { createProbe } from './members/probe.ts';
import { createSampler } from './members/sampler.ts';
import { createViewHistories } from './members/view-history.ts';
import { createMemoryTrim } from './memory-trim.ts';
import { createNodeReconciler } from './node/reconciler.ts';
import { type Caches, createCaches, listCaches } from './observation/caches.ts';
import type { OperatorOptions } from './options.ts';
import { cacheRunnable, closeAtEnd, healthServers, untilAborted, waitFor } from './parts.ts';
import type { Ports } from './ports.ts';
import { createProblemLog } from './problem-log.ts';
import { createRateNudges } from './rate-nudges.ts';
import { createRemovalMetrics } from './removal-metrics.ts';
import { createRoutes } from './routing.ts';

const LEASE_NAME = 'marekvs-operator';
const USER_AGENT = 'marekvs-operator';
const REPORTING_CONTROLLER = 'marekvs.io/operator';

/** Everything, joined and not yet running. */
export function createOperator(
  access: ClusterAccess,
  options: OperatorOptions,
  version: string,
  logger: Logger,
): Manager {
  const clock = systemClock;
  const metrics = createMetrics({ version });
  const transport = createTransport(access, { userAgent: USER_AGENT, onRequest: metrics.onRequest });
  // Lease traffic has connections of its own: a busy queue of requests must never cost us the lease.
  const leaseTransport = createTransport(access, {
    userAgent: `${USER_AGENT}/lease`,
    onRequest: metrics.onRequest,
    connections: 2,
    throttleRetries: 0,
  });
  const client = createClient(transport, { fieldValidation: 'Strict' });
  const lease = { namespace: options.namespace, name: LEASE_NAME };
  const namespaces = options.watchNamespaces.length === 0 ? 'all' : options.watchNamespaces;
  const problems = createProblemLog(logger);

  const recorder = createEventRecorder({
    reportingController: REPORTING_CONTROLLER,
    reportingInstance: options.podName,
    logger,
    hooks: metrics.events,
    async write(event, signal) {
      try {
        const { name, namespace } = event.metadata;
        await client.create(events, { ...event, metadata: { name, namespace } }, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    },
  });

  const routes = createRoutes(
    () => caches,
    (key, add) => clusterController.enqueue(key, add),
    (key, add) => nodeController.enqueue(key, add),
  );
  const caches: Caches = createCaches({
    transport,
    namespaces,
    handlers: routes,
    onProblem: problems,
    metrics: metrics.reflector,
  });

  const passwords = createPasswords(client, clock);
  const passwordOf = async (key: string, isStale: boolean, signal: AbortSignal): Promise<string | undefined> => {
    const view = caches.clusters.store.get(key);
    const ref = view?.object.spec.auth?.secretRef;
    if (view === undefined || ref === undefined) return undefined;
    return passwords.read({ namespace: view.namespace, name: ref.name, key: ref.key }, isStale, signal);
  };
  const store = createStoreClient();
  const nudges = createRateNudges(clock);
  const sampler = createSampler({
    probe: createProbe(store),
    clock,
    random: Math.random,
    onChange: routes.answers,
    onRate: (key, opsPerSecond) => {
      const shown = caches.clusters.store.get(key)?.object.status?.opsPerSecond ?? 0;
      if (opsPerSecond === undefined || roundRate(opsPerSecond) === shown) return;
      if (nudges.isDue(key)) clusterController.enqueue(key, { priority: 'low' });
    },
    passwordOf,
  });
  const lookAgain = (key: string) => clusterController.enqueue(key);
  const audits = createAudits({ store, clock, passwordOf, onProgress: lookAgain, onOwnExchange: sampler.disturb });
  const hosts = createHosts({ client, clock, onAnswer: lookAgain });

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

  const firstLook = createFirstLook(clock, logger);
  const ports: Ports = {
    client,
    caches,
    sampler,
    audits,
    hosts,
    members: createMemberCommands({ store }),
    histories: createViewHistories(),
    recorder,
    removals: createRemovalMetrics(metrics.registry, metrics.prefix),
    clock,
    onLooked: firstLook.looked,
    settings: { operatorNamespace: options.namespace },
  };
  const concurrency = options.maxConcurrentReconciles;
  const shared = { concurrency, stepTimeoutMs: options.stepTimeout, grant: election.grant, logger };
  const clusterController = createController({
    ...shared,
    name: 'marekvscluster',
    reconcile: createClusterReconciler(ports),
    hooks: metrics.controllers.hooks('marekvscluster', concurrency),
  });
  const nodeController = createController({
    ...shared,
    name: 'marekvsnode',
    reconcile: createNodeReconciler(ports),
    hooks: metrics.controllers.hooks('marekvsnode', concurrency),
  });
  const controllers = [clusterController, nodeController];
  for (const controller of controllers) metrics.controllers.observe(controller);
  election.onChange(({ gained, lost }) => {
    if (gained.length > 0) {
      firstLook.expect([...caches.clusters.store.values()].map(keyOf));
      routes.everything();
    }
    if (lost.length > 0)
      for (const view of caches.clusters.store.values()) sampler.forget(`${view.namespace}/${view.name}`);
  });

  const manager = createManager({ logger });
  const notReady = () => manager.notReady();
  for (const server of healthServers(options, notReady, metrics.registry, logger)) manager.add('servers', server);
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
  manager.add('election', { name: 'events', run: recorder.run });
  manager.add('election', { name: 'sampler', run: sampler.run });
  manager.add('election', { name: 'audits', run: audits.run });
  manager.add('election', { name: 'hosts', run: hosts.run });
  const passes = () => controllers.reduce((sum, controller) => sum + controller.inspect().passes, 0);
  const isIdle = () => controllers.every((controller) => controller.inspect().running.length === 0);
  manager.add('controllers', createMemoryTrim(passes, isIdle, clock));
  for (const controller of controllers) manager.add('controllers', controller);
  manager.add('servers', { name: 'transports', run: (signal) => closeAtEnd(signal, [transport, leaseTransport]) });
  return manager;
}
