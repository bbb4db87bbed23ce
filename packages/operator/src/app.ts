// The process: connections, the right to act, servers, and the order in which everything starts. The two controllers
// and what triggers them are in assembly.ts; read these two files first.

import { ANNOTATIONS, formatNamespacesNote } from '@marekvs/api';
import {
  type ClusterAccess,
  createManager,
  createTransport,
  keyOf,
  type LeaseNotes,
  type Logger,
  type Manager,
  slotOf,
  systemClock,
  unlessAborted,
  untilAborted,
} from '@marekvs/runtime';
import { createContentClient, createStoreClient } from '@marekvs/store-client';
import { checkAccess } from './api-server/access-check.ts';
import { createInstalledKinds } from './api-server/installed-kinds.ts';
import { assemble } from './assembly.ts';
import { createProblemLog } from './caches/cache-problem-log.ts';
import { listCaches } from './caches/caches.ts';
import type { ChangingNamespaces } from './namespaces/changing.ts';
import { closeAtEnd, healthServers } from './process/health-servers.ts';
import { createMemoryTrim } from './process/memory-trim.ts';
import type { OperatorOptions } from './process/options.ts';
import { createLoad } from './process/process-load.ts';
import { createMode } from './sharing/mode.ts';
import { createShare } from './sharing/share.ts';
import { createFirstPasses } from './telemetry/first-passes.ts';
import { createPassWatch } from './telemetry/fleet-sources.ts';
import { createOperatorMetrics } from './telemetry/operator-metrics.ts';

const USER_AGENT = 'marekvs-operator';

/** Everything assembled, and not yet running. */
export function createOperator(
  access: ClusterAccess,
  options: OperatorOptions,
  version: string,
  logger: Logger,
): Manager {
  const clock = systemClock;
  const metrics = createOperatorMetrics(version);
  const { onRequest, onRefused } = metrics;
  const isShared = options.mode !== 'single';
  // With several writers, the audit log tells them apart.
  const userAgent = isShared ? `${USER_AGENT}/${options.podName}` : USER_AGENT;
  const transport = createTransport(access, { userAgent, onRequest, onRefused });
  // Lease traffic has its own connections: a full queue of requests must never cost us the lease.
  const leaseTransport = createTransport(access, {
    userAgent: `${userAgent}/lease`,
    onRequest,
    onRefused,
    connections: 2,
    throttleRetries: 0,
  });
  const problems = createProblemLog(logger);
  const share = isShared ? createShare() : undefined;
  const { ownership, leaseCache } = createMode({
    options,
    transport: leaseTransport,
    part: {
      hold: (slots, signal) => part.hold(slots, signal),
      settled: (slots) => part.settled(slots),
      letGo: (slots) => part.letGo(slots),
    },
    notes: () => ({ ...load.notes(), ...namespacesNotes(namespaces) }),
    metrics,
    onProblem: problems,
    clock,
    random: Math.random,
    logger,
  });
  metrics.observeLease(ownership.leftMs);

  const firstPasses = createFirstPasses(clock, logger);
  const passes = createPassWatch(clock);
  const concurrency = options.maxConcurrentReconciles;
  const { caches, sampler, turns, controllers, background, reconcileAll, forget, part, namespaces } = assemble({
    transport,
    store: createStoreClient(),
    contents: createContentClient(),
    clock,
    random: Math.random,
    logger,
    grant: ownership.grant,
    share,
    namespaces: watchedNamespaces(options),
    operatorNamespace: options.namespace,
    podName: options.podName,
    drainTaints: new Set(options.drainTaints),
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
  const load = createLoad(
    clock,
    () => controllers,
    () => caches.clusters.store.size,
  );
  const kinds = createInstalledKinds({ transport, clock, logger });
  metrics.observe({ pressure: load.pressure, namespaces: () => namespaces?.note(), missingFields: kinds.missing });
  metrics.fleet.observe(passes.sources({ caches, sampler, turns, controllers, grant: ownership.grant }));
  ownership.onChange(({ gained, lost }) => {
    const isGained = (key: string): boolean => !isShared || gained.includes(slotOf(key));
    if (gained.length > 0) {
      firstPasses.gained([...caches.clusters.store.values()].map(keyOf).filter(isGained));
      reconcileAll(isGained);
    }
    if (lost.length === 0) return;
    firstPasses.lost((key) => !isShared || lost.includes(slotOf(key)));
    // In shared modes, lost slots were forgotten before this call.
    if (!isShared) forget();
  });

  const manager = createManager({ logger });
  const notReady = () => manager.notReady();
  for (const server of healthServers(options, notReady, metrics.registry, logger)) manager.add('servers', server);
  manager.add('servers', metrics.eventLoop);
  manager.add('caches', {
    name: 'permissions',
    run: untilAborted,
    ready: (signal) => {
      // Namespaces that come later have their permissions checked one by one.
      if (namespaces !== undefined) return Promise.resolve();
      const namespace = options.watchNamespaces[0] ?? options.namespace;
      return checkAccess({ transport, namespace, clock, logger }, signal);
    },
  });
  manager.add('caches', kinds);
  for (const cache of listCaches(caches)) {
    // Where namespaces come and go, no single one decides on readiness.
    manager.add('caches', namespaces === undefined ? cache : { name: cache.name, run: cache.run });
    metrics.observeCache(cache.resource, cache.lastSeenAgeMs);
  }
  if (namespaces !== undefined)
    manager.add('caches', {
      name: 'namespaces',
      run: namespaces.run,
      ready: (signal) => unlessAborted(namespaces.begun, signal),
      notReady: namespaces.notReady,
    });
  manager.add('caches', leaseCache);
  manager.add('election', { name: ownership.name, run: ownership.run });
  for (const one of background) manager.add('election', one);
  const passCount = () => controllers.reduce((sum, controller) => sum + controller.inspect().passes, 0);
  const isIdle = () => controllers.every((controller) => controller.inspect().running.length === 0);
  manager.add('controllers', createMemoryTrim(passCount, isIdle, clock));
  for (const controller of controllers) manager.add('controllers', controller);
  manager.add('servers', { name: 'transports', run: (signal) => closeAtEnd(signal, [transport, leaseTransport]) });
  return manager;
}

function watchedNamespaces({ watchNamespaces, namespacesFrom, namespace }: OperatorOptions) {
  if (namespacesFrom !== undefined) return { namespace, name: namespacesFrom };
  return watchNamespaces.length === 0 ? 'all' : watchNamespaces;
}

/** The note on our lease about namespaces, where they come and go. */
function namespacesNotes(namespaces: Pick<ChangingNamespaces, 'note'> | undefined): LeaseNotes {
  return namespaces === undefined ? {} : { [ANNOTATIONS.namespaces]: formatNamespacesNote(namespaces.note()) };
}
