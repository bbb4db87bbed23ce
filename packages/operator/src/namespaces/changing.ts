// Assembles namespaces that come and go while the operator runs: which are wanted (wanted.ts), where the operator may
// act (keeper.ts), and what that means for the caches, queues and memories of this process.

import { MANY_STREAMS, type NamespacesNote } from '@marekvs/api';
import { type Controller, errorText, namespaceOf, type ReflectorProblem } from '@marekvs/runtime';
import { type Caches, listCaches } from '../caches/caches.ts';
import { BY_NAMESPACE } from '../caches/indexes.ts';
import { createNamespaceKeeper, MAX_NAMESPACES, type NamespaceKeeper, STREAMS_EACH } from './keeper.ts';
import { createWantedNamespaces, type WantedNamespacesOptions } from './wanted.ts';

export interface ChangingNamespacesOptions extends Omit<WantedNamespacesOptions, 'onWanted' | 'onCheck'> {
  readonly caches: Caches;
  readonly controllers: readonly Controller[];
  readonly missingIn: (namespace: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Requests a pass over every object in the namespace. */
  readonly reconcile: (namespace: string) => void;
  /** Drops what is remembered about the namespace. */
  readonly forget: (namespace: string) => void;
}

export interface ChangingNamespaces {
  mayAct(namespace: string): boolean;
  /** A cluster or a node has changed. @param key `namespace/name` */
  changed(key: string): void;
  /** A permission may be missing in the namespace. */
  doubt(namespace: string, why: string): void;
  /** Takes a problem of one of the caches. */
  problem(problem: ReflectorProblem): void;
  /** The report about all namespaces, for the lease and the metrics. */
  note(): NamespacesNote;
  /** Why not every namespace that was wanted at first has been started. Undefined once each was, or was refused. */
  notReady(): string | undefined;
  /** Resolves at that time. */
  readonly begun: Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

export function createChangingNamespaces(options: ChangingNamespacesOptions): ChangingNamespaces {
  const { caches, controllers, clock, random, logger } = options;
  let hasWarned = false;
  let isBegun = false;

  const begun = Promise.withResolvers<void>();

  const keeper: NamespaceKeeper = createNamespaceKeeper({
    clock,
    random,
    logger,
    onBegun: check,
    parts: {
      missing: options.missingIn,
      async follow(namespace, how) {
        const followed = how === 'all' ? listCaches(caches) : [caches.clusters, caches.nodes];
        await Promise.all(followed.map((cache) => cache.join(namespace)));
      },
      hasAny: (namespace) =>
        [caches.clusters, caches.nodes].some(({ store }) => store.byIndex(BY_NAMESPACE, namespace).length > 0),
      followLess(namespace) {
        for (const cache of listCaches(caches)) if (cache !== caches.clusters) cache.leave(namespace);
      },
      unfollow(namespace) {
        for (const cache of listCaches(caches)) cache.leave(namespace);
      },
      reconcile(namespace) {
        options.reconcile(namespace);
        warnOfMany();
      },
      async letGo(namespace, reason) {
        const isIts = (key: string): boolean => namespaceOf(key) === namespace;
        for (const controller of controllers) {
          controller.forget(isIts);
          controller.abort(isIts, reason);
        }
        await Promise.all(controllers.map((controller) => controller.settled(isIts)));
        options.forget(namespace);
        // Aborted passes have requested a retry.
        for (const controller of controllers) controller.forget(isIts);
      },
    },
  });
  const wanted = createWantedNamespaces({ ...options, onWanted: keeper.want, onCheck: check });

  function check(): void {
    if (notReady() !== undefined) return;
    isBegun = true;
    begun.resolve();
  }

  function notReady(): string | undefined {
    if (!wanted.isRead) return wanted.problems()[0] ?? 'the namespaces that are selected are not known yet';
    return keeper.isSettled ? undefined : 'namespaces are being begun';
  }

  function warnOfMany(): void {
    const { streams } = keeper;
    if (hasWarned || streams <= MANY_STREAMS) return;
    hasWarned = true;
    logger.warn('Namespaces one by one take more streams than all of them together', {
      streams,
      togetherWouldTake: STREAMS_EACH,
      wayOut: 'config/components/cluster-role, without --namespaces-from',
    });
  }

  function problems(): readonly string[] {
    const { excess } = keeper;
    if (excess === 0) return wanted.problems();
    return [
      ...wanted.problems(),
      `${excess} more than ${MAX_NAMESPACES} are not managed: have all of them watched together`,
    ];
  }

  return {
    mayAct: keeper.mayAct,
    changed: (key) => keeper.changed(namespaceOf(key)),
    doubt: keeper.doubt,
    problem({ kind, namespace, error }) {
      if (kind === 'forbidden' && namespace !== undefined) keeper.doubt(namespace, errorText(error));
    },
    note: () => ({
      from: `${options.from.namespace}/${options.from.name}`,
      ...keeper.counts(),
      streams: keeper.streams,
      without: keeper.refused(),
      problems: problems(),
    }),
    notReady: () => (isBegun ? undefined : notReady()),
    begun: begun.promise,
    async run(signal) {
      await Promise.all([wanted.run(signal), keeper.run(signal)]);
    },
  };
}
