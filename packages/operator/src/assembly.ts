// Both controllers and everything they need, assembled: the same in a process on a real cluster and in the world that
// judges it. What differs between the two (connections, time, chance and the right to act) comes from outside.

import { kindOf } from '@marekvs/api';
import {
  type Controller,
  createClient,
  createController,
  createEventRecorder,
  type EventRecorder,
  events,
  isAlreadyExists,
  keyOf,
  namespaceOf,
  type Reconcile,
  type Runnable,
  type SharePart,
} from '@marekvs/runtime';
import { missingIn } from './api-server/access-check.ts';
import { createAsked } from './background-questions.ts';
import { type Caches, createCaches } from './caches/caches.ts';
import { createSharePart } from './caches/slot-handover.ts';
import { createClusterReconciler } from './cluster/reconciler.ts';
import type { Comparisons } from './comparisons/comparisons.ts';
import type { Outside } from './environment.ts';
import { createMemberCommands } from './members/member-commands.ts';
import type { Sampler } from './members/sampler.ts';
import { createViewHistories } from './members/view-history.ts';
import { type ChangingNamespaces, createChangingNamespaces } from './namespaces/changing.ts';
import { fenceWrites } from './namespaces/write-fence.ts';
import { createNodeReconciler } from './node/reconciler.ts';
import { createProvenHere } from './operations/proven-here.ts';
import { createTurnPlaces, type TurnPlaces } from './operations/turn-places.ts';
import type { Ports } from './pass/ports.ts';
import { createRoutes } from './pass/routing.ts';
import { clusterOfNodeName } from './sharing/share.ts';
import { createSlotLabels } from './sharing/slot-labels.ts';

export { type Caches, listCaches } from './caches/caches.ts';
export { createComparisons } from './comparisons/comparisons.ts';
export { createShare, type Share } from './sharing/share.ts';
export { createSharing, type Sharing } from './sharing/shared-ownership.ts';
export type { Outside, Sampler, TurnPlaces };

const REPORTING_CONTROLLER = 'marekvs.io/operator';

export interface Assembly {
  readonly caches: Caches;
  readonly sampler: Sampler;
  readonly comparisons: Comparisons;
  /** Which clusters may restart members now. */
  readonly turns: TurnPlaces;
  readonly recorder: EventRecorder;
  /** What must run beside the controllers, in no particular order. */
  readonly background: readonly Runnable[];
  readonly controllers: readonly Controller[];
  /** Reconciles these clusters at low priority, after ownership was gained. @default all */
  reconcileAll(isMeant?: (clusterKey: string) => boolean): void;
  /** Drops what is remembered about these clusters, and what is under way with their members, after ownership was lost.
   *  @default all */
  forget(isMeant?: (clusterKey: string) => boolean): void;
  /** What this process does when the share changes. */
  readonly part: SharePart;
  /** Only where namespaces come and go; must run beside the caches. */
  readonly namespaces: ChangingNamespaces | undefined;
}

const everyCluster = (): boolean => true;

function isFixed(namespaces: Outside['namespaces']): namespaces is readonly string[] | 'all' {
  return namespaces === 'all' || Array.isArray(namespaces);
}

/** Assembles everything; nothing runs yet. */
export function assemble(outside: Outside): Assembly {
  const { clock, random, logger } = outside;
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
  const { asked, runnables } = createAsked(outside, {
    client,
    transport,
    caches,
    routes,
    cluster: (key, add) => clusterController.enqueue(key, add),
    node: (key) => nodeController.enqueue(key),
  });
  const turns = createTurnPlaces({
    clock,
    onPlace: (key) => clusterController.enqueue(key),
    *begun() {
      for (const view of caches.clusters.store.values()) {
        const { operation } = view.object.status ?? {};
        if (operation === undefined || kindOf(operation) !== 'turn') continue;
        if (outside.grant(keyOf(view)) !== undefined) yield [keyOf(view), operation.id];
      }
    },
  });
  const ports: Ports = {
    client,
    caches,
    ...asked,
    turns,
    provenHere: createProvenHere(),
    members: createMemberCommands({ store: outside.store }),
    histories: createViewHistories(),
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
            asked.passwords.forget(namespace);
          },
        });

  return {
    caches,
    sampler: asked.sampler,
    comparisons: asked.comparisons,
    turns,
    recorder,
    namespaces: changing,
    background: [{ name: 'events', run: recorder.run }, ...runnables, { name: 'slot labels', run: slotLabels.run }],
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
