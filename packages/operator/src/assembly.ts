// Both controllers and everything they need, joined: the same in a process on a real cluster and in the world that
// judges it. What differs between the two, connections, time, chance and the right to act, is given from outside.

import { roundRate } from '@marekvs/planner';
import {
  type Clock,
  type Controller,
  type ControllerHooks,
  createClient,
  createController,
  createEventRecorder,
  type EventHooks,
  type EventRecorder,
  events,
  type Grant,
  isAlreadyExists,
  keyOf,
  type Logger,
  type Reconcile,
  type ReflectorMetrics,
  type ReflectorProblem,
  type Runnable,
  type SharePart,
  type Transport,
} from '@marekvs/runtime';
import type { ContentClient, StoreClient } from '@marekvs/store-client';
import { missingIn } from './access-check.ts';
import { createAutoscaleMemory } from './cluster/autoscale-memory.ts';
import { createAutoscalersAsked } from './cluster/autoscalers-asked.ts';
import { createGrowthWatch } from './cluster/growth-watch.ts';
import { createLoadWatch } from './cluster/load-watch.ts';
import { createClusterReconciler } from './cluster/reconciler.ts';
import { createTurnPlaces, type TurnPlaces } from './cluster/turn-places.ts';
import { createMemberCommands } from './members/commands.ts';
import { type Comparisons, createComparisons } from './members/comparisons.ts';
import { createDrainedHosts } from './members/drained-hosts.ts';
import { createHostFindings } from './members/host-findings.ts';
import { createHostZones } from './members/host-zones.ts';
import { createHosts } from './members/hosts.ts';
import { createMemberPasswords } from './members/member-passwords.ts';
import { observedContents } from './members/observed-contents.ts';
import { createPasswords } from './members/passwords.ts';
import { createProbe } from './members/probe.ts';
import { createResizeSupport } from './members/resize-support.ts';
import { createSampler, type Sampler } from './members/sampler.ts';
import { createSecretWatches } from './members/secret-watches.ts';
import { createSecretsAsked } from './members/secrets-asked.ts';
import { createSelectedHosts } from './members/selected-hosts.ts';
import { createViewHistories } from './members/view-history.ts';
import { type ChangingNamespaces, createChangingNamespaces, namespaceOf } from './namespaces/changing.ts';
import type { NamespacesFrom } from './namespaces/wanted.ts';
import { fenceWrites } from './namespaces/write-fence.ts';
import { createNodeReconciler } from './node/reconciler.ts';
import { type Caches, createCaches } from './observation/caches.ts';
import { clusterOfNodeName, type Share } from './observation/share.ts';
import type { Ports } from './ports.ts';
import { createProvenHere } from './proven-here.ts';
import { createRateNudges } from './rate-nudges.ts';
import { createRoutes } from './routing.ts';
import { createSharePart } from './share-part.ts';
import { createSlotLabels } from './slot-labels.ts';
import type { RemovalMetrics } from './telemetry/removal-metrics.ts';

export { createComparisons } from './members/comparisons.ts';
export { type Caches, listCaches } from './observation/caches.ts';
export { createShare, type Share } from './observation/share.ts';
export { createSharing, type Sharing } from './ownership/sharing.ts';
export type { Sampler, TurnPlaces };

const REPORTING_CONTROLLER = 'marekvs.io/operator';

/** Everything outside the operator. */
export interface Outside {
  /** To the API server; the caller closes it. */
  readonly transport: Transport;
  /** To the members. */
  readonly store: StoreClient;
  readonly contents: ContentClient;
  readonly clock: Clock;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly logger: Logger;
  /** May this process act on a cluster, and on what belongs to it? */
  readonly grant: (clusterKey: string) => Grant | undefined;
  /** What this replica manages, when other replicas manage the rest. @default everything */
  readonly share?: Share | undefined;
  /** Those that are managed: all, the same ones for ever, or as a ConfigMap says. */
  readonly namespaces: readonly string[] | 'all' | NamespacesFrom;
  /** What this process may not do in a namespace and has to, where namespaces come and go. @default asked of the API
   *  server */
  readonly missingIn?: (namespace: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Namespace the operator runs in, and its own name there. */
  readonly operatorNamespace: string;
  readonly podName: string;
  /** Keys of taints that mean the same as a cordon of a host. @default none, and only hosts that are cordoned are
   *  watched */
  readonly drainTaints?: ReadonlySet<string>;
  readonly onProblem: (problem: ReflectorProblem) => void;
  readonly onReconciled: (clusterKey: string) => void;
  readonly removals: RemovalMetrics;
  readonly concurrency?: number;
  readonly stepTimeoutMs?: number;
  readonly reflectorMetrics?: ReflectorMetrics;
  readonly eventHooks?: EventHooks;
  readonly controllerHooks?: (controller: string) => ControllerHooks;
}

export interface Assembly {
  readonly caches: Caches;
  readonly sampler: Sampler;
  readonly comparisons: Comparisons;
  /** Which clusters may restart members now. */
  readonly turns: TurnPlaces;
  readonly recorder: EventRecorder;
  /** What has to run beside the controllers, in no particular order. */
  readonly background: readonly Runnable[];
  readonly controllers: readonly Controller[];
  /** Reconciles these clusters, gently: after ownership was gained. @default all */
  reconcileAll(isMeant?: (clusterKey: string) => boolean): void;
  /** Gives up what is remembered of these clusters, and what is under way with their members: after ownership was lost.
   *  @default all */
  forget(isMeant?: (clusterKey: string) => boolean): void;
  /** What happens here when the share changes. */
  readonly part: SharePart;
  /** Where namespaces come and go; to be run beside the caches. */
  readonly namespaces: ChangingNamespaces | undefined;
}

const everyCluster = (): boolean => true;

function isFixed(namespaces: Outside['namespaces']): namespaces is readonly string[] | 'all' {
  return namespaces === 'all' || Array.isArray(namespaces);
}

/** Joined and not yet running. */
export function assemble(outside: Outside): Assembly {
  const { store, clock, random, logger } = outside;
  const from = isFixed(outside.namespaces) ? undefined : outside.namespaces;
  const mayActIn = (namespace: string): boolean => changing === undefined || changing.mayAct(namespace);
  const transport =
    from === undefined
      ? outside.transport
      : fenceWrites(outside.transport, {
          mayAct: mayActIn,
          onForbidden: (namespace, why) => changing?.doubt(namespace, why),
        });
  const client = createClient(transport, { fieldValidation: 'Strict' });
  const recorder = createEventRecorder({
    reportingController: REPORTING_CONTROLLER,
    reportingInstance: outside.podName,
    clock,
    logger,
    ...(outside.eventHooks === undefined ? {} : { hooks: outside.eventHooks }),
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
  const slotLabels = createSlotLabels(client, outside.share, logger);
  const caches: Caches = createCaches({
    transport,
    onSent: slotLabels.seen,
    namespaces: isFixed(outside.namespaces) ? outside.namespaces : [],
    share: outside.share,
    handlers: {
      ...routes,
      cluster(change) {
        routes.cluster(change);
        changing?.changed(change.key);
      },
      node(change) {
        routes.node(change);
        changing?.changed(change.key);
      },
    },
    onProblem(problem) {
      outside.onProblem(problem);
      changing?.problem(problem);
    },
    metrics: outside.reflectorMetrics ?? {},
    clock,
    random,
  });
  const passwords = createPasswords(client, clock);
  const secretsAsked = createSecretsAsked({
    client,
    clock,
    // Whether its members can be given it.
    onAnswer: (key) => routes.answers(key),
    onVersion(key, ref) {
      passwords.changed(ref);
      sampler.poke(key);
    },
  });
  const memberPasswords = createMemberPasswords(() => caches, passwords, secretsAsked);
  const nudges = createRateNudges(clock);
  const sizes = createAutoscaleMemory();
  const loads = createLoadWatch(sizes, clock);
  const growths = createGrowthWatch(clock);
  const sampler = createSampler({
    probe: createProbe(store),
    figures: (address, signal) => store.metrics(address, { signal }),
    clock,
    random,
    onChange: routes.answers,
    onRate(key, rates) {
      const cluster = caches.clusters.store.get(key)?.object;
      if (loads.note(key, cluster, rates) !== undefined) clusterController.enqueue(key);
      if (growths.isDue(key, cluster, () => sampler.facts(key))) clusterController.enqueue(key);
      const shown = cluster?.status?.opsPerSecond ?? 0;
      if (rates.total === undefined || roundRate(rates.total) === shown) return;
      if (nudges.isDue(key)) clusterController.enqueue(key, { priority: 'low' });
    },
    passwords: memberPasswords,
  });
  const reconcile = (key: string) => clusterController.enqueue(key);
  const contents = observedContents(outside.contents, sampler);
  const comparisons = createComparisons({ contents, clock, random, onProgress: reconcile });
  const taints = outside.drainTaints ?? new Set<string>();
  const hosts = createHosts({ client, clock, taints, onAnswer: reconcile });
  const drainedHosts = createDrainedHosts({
    transport,
    clock,
    taints,
    onProblem: outside.onProblem,
    onChange: routes.host,
    onSeen: routes.drains,
  });
  const selectedHosts = createSelectedHosts({ transport, clock, random, onChange: reconcile });
  const hostFindings = createHostFindings({ client, clock, taints, onAnswer: routes.answers });
  const hostZones = createHostZones({ client, clock, onAnswer: (key) => nodeController.enqueue(key) });
  const resizing = createResizeSupport({ client, clock, onAnswer: reconcile });
  const secretWatches = createSecretWatches({ transport, clock, random, onChange: secretsAsked.doubt });
  const autoscalersAsked = createAutoscalersAsked({ client, clock, onAnswer: reconcile });
  const turns = createTurnPlaces({
    clock,
    onPlace: reconcile,
    *begun() {
      for (const view of caches.clusters.store.values()) {
        const { operation } = view.object.status ?? {};
        const isTurn = operation?.roll !== undefined && operation.type !== 'Suspend';
        if (isTurn && outside.grant(keyOf(view)) !== undefined) yield [keyOf(view), operation.id];
      }
    },
  });
  const ports: Ports = {
    client,
    caches,
    sampler,
    comparisons,
    hosts,
    drainedHosts,
    selectedHosts,
    hostFindings,
    hostZones,
    resizing,
    turns,
    provenHere: createProvenHere(),
    passwords,
    memberPasswords,
    secrets: secretsAsked,
    secretWatches,
    autoscalers: autoscalersAsked,
    members: createMemberCommands({ store }),
    histories: createViewHistories(),
    sizes,
    recorder,
    removals: outside.removals,
    clock,
    onReconciled: outside.onReconciled,
    settings: { operatorNamespace: outside.operatorNamespace },
  };
  const controller = (name: string, reconcile: Reconcile, clusterKeyOf: (key: string) => string): Controller =>
    createController({
      name,
      reconcile,
      clock,
      logger,
      grant(key) {
        const clusterKey = clusterKeyOf(key);
        return mayActIn(namespaceOf(clusterKey)) ? outside.grant(clusterKey) : undefined;
      },
      queue: { backoff: { random } },
      ...(outside.concurrency === undefined ? {} : { concurrency: outside.concurrency }),
      ...(outside.stepTimeoutMs === undefined ? {} : { stepTimeoutMs: outside.stepTimeoutMs }),
      ...(outside.controllerHooks === undefined ? {} : { hooks: outside.controllerHooks(name) }),
    });
  const clusterReconciler = createClusterReconciler(ports);
  const nodeReconciler = createNodeReconciler(ports);
  const clusterOfNode = (key: string): string => {
    const view = caches.nodes.store.get(key);
    return view === undefined ? clusterOfNodeName(key) : `${view.namespace}/${view.object.spec.clusterName}`;
  };
  const clusterController = controller('marekvscluster', clusterReconciler.reconcile, (key) => key);
  const nodeController = controller('marekvsnode', nodeReconciler.reconcile, clusterOfNode);

  function forget(isMeant: (clusterKey: string) => boolean = everyCluster): void {
    for (const view of caches.nodes.store.values())
      if (isMeant(clusterOfNode(keyOf(view)))) nodeReconciler.forget(keyOf(view), view.uid);
    for (const view of caches.clusters.store.values()) if (isMeant(keyOf(view))) clusterReconciler.forget(keyOf(view));
  }

  const changing =
    from === undefined
      ? undefined
      : createChangingNamespaces({
          from,
          transport,
          clock,
          random,
          logger,
          onProblem: outside.onProblem,
          caches,
          controllers: [clusterController, nodeController],
          missingIn: outside.missingIn ?? ((namespace, signal) => missingIn(namespace, transport, signal)),
          reconcile: (namespace) => routes.everything((key) => namespaceOf(key) === namespace),
          forget(namespace) {
            forget((key) => namespaceOf(key) === namespace);
            passwords.forget(namespace);
          },
        });

  return {
    caches,
    sampler,
    comparisons,
    turns,
    recorder,
    namespaces: changing,
    background: [
      { name: 'events', run: recorder.run },
      { name: 'sampler', run: sampler.run },
      { name: 'comparisons', run: comparisons.run },
      { name: 'hosts', run: hosts.run },
      { name: 'hostFindings', run: hostFindings.run },
      { name: 'hostZones', run: hostZones.run },
      { name: 'drainedHosts', run: drainedHosts.run },
      { name: 'selectedHosts', run: selectedHosts.run },
      { name: 'resizing', run: resizing.run },
      { name: 'secrets', run: secretsAsked.run },
      { name: 'secret watches', run: secretWatches.run },
      { name: 'autoscalers', run: autoscalersAsked.run },
      { name: 'slot labels', run: slotLabels.run },
    ],
    controllers: [clusterController, nodeController],
    reconcileAll: (isMeant = everyCluster) => routes.everything(isMeant),
    forget,
    part: createSharePart({
      share: outside.share,
      caches,
      settled: async (isMeant) => {
        await Promise.all([
          clusterController.settled(isMeant),
          nodeController.settled((key) => isMeant(clusterOfNode(key))),
        ]);
      },
      forget,
    }),
  };
}
