// Keeps one store equal to what the API server has: list, watch, and everything that goes wrong between the two.
// The loop of one namespace is reflector-scope.ts; what may replace what in the cache is store.ts.
import { isStatus } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Status } from './errors.ts';
import { type Kind, type KubeObject, keyOf, type ObjectMeta, resourceOf } from './kinds.ts';
import type { ReflectorMetrics, ReflectorProblem } from './reflector-problem.ts';
import { createFollower } from './reflector-scope.ts';
import type { Runnable } from './runnable.ts';
import { type Change, createStore, type Identified, type ReadonlyStore } from './store.ts';
import type { Transport } from './transport.ts';

export interface ReflectorOptions<T extends KubeObject, V extends Identified> {
  readonly transport: Transport;
  readonly kind: Kind<T>;
  /** Default `all`. */
  readonly namespaces?: readonly string[] | 'all' | undefined;
  /** A function is asked again for every list and watch. */
  readonly labelSelector?: string | (() => string | undefined) | undefined;
  readonly fieldSelector?: string | undefined;
  /** What is kept of an object. managedFields are gone already. Must not keep the object itself unless that is meant. */
  readonly project: (o: T) => V;
  /** Whether an object is kept at all. May change: then `relist`, or `drop`. @default all are */
  readonly keep?: ((v: V) => boolean) | undefined;
  readonly indexes?: Readonly<Record<string, (v: V) => readonly string[]>> | undefined;
  /** Called after the store has changed. Must only take note (enqueue a key); what it throws goes to onProblem. */
  readonly onChange?: ((change: Change<V>) => void) | undefined;
  readonly onProblem?: ((problem: ReflectorProblem) => void) | undefined;
  /** Called when a scope that had a problem follows again. */
  readonly onRecovered?: (() => void) | undefined;
  /** The API server was restored from a backup: versions went back (F59). */
  readonly onRestored?: (() => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly metrics?: ReflectorMetrics | undefined;
  /** The end of a streamed list must come within, default 60,000; then lists are read in pages. */
  readonly initialSyncTimeoutMs?: number | undefined;
  /** After so long a refused streaming list is tried again at the next full list, default 1,800,000. */
  readonly reprobeAfterMs?: number | undefined;
  /** No byte for so long ends a watch, default 90,000. */
  readonly idleTimeoutMs?: number | undefined;
}

export interface Reflector<V> extends Runnable {
  /** `pods`, `marekvsnodes.marekvs.io` */
  readonly resource: string;
  readonly store: ReadonlyStore<V>;
  /** Follows until the signal; never throws. To be called once. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the first list of every namespace is complete. Never rejects. */
  readonly synced: Promise<void>;
  /** The problem that keeps the cache from following now; undefined when it follows. */
  readonly problem: ReflectorProblem | undefined;
  /** The answer to our own write: in the cache at once, unless the watch was faster. */
  observe(object: KubeObject): void;
  /** The answer to our own delete: a Status means gone, as no answer does (there is no such object), an object means marked. */
  observeDelete(
    ref: { readonly namespace?: string | undefined; readonly name: string; readonly uid: string },
    answer?: KubeObject | Status,
  ): void;
  /** Reads everything again. Resolves when a list that began after this call is in place. @throws the signal's reason */
  relist(signal: AbortSignal): Promise<void>;
  /** Takes out what is not to be kept any more. Nobody is told: nothing has happened to it. */
  drop(): void;
  /** Milliseconds since the API server was last heard; of several namespaces the longest. Infinity before the first byte. */
  lastSeenAgeMs(): number;
}

export function createReflector<T extends KubeObject, V extends Identified>(
  opts: ReflectorOptions<T, V>,
): Reflector<V> {
  const { kind, clock = systemClock } = opts;
  const resource = resourceOf(kind);
  const scopes = opts.namespaces === undefined || opts.namespaces === 'all' ? [''] : [...new Set(opts.namespaces)];
  const synced = Promise.withResolvers<void>();

  const store = createStore<V>({
    scopes,
    indexes: opts.indexes,
    emit(change) {
      try {
        opts.onChange?.(change);
      } catch (error) {
        note('handler', error);
      }
    },
  });

  /** A fault of our own code with one object: told, and no reason to stop following the others. */
  function note(kindOfProblem: 'handler' | 'projection', error: unknown): void {
    tell({ kind: kindOfProblem, resource, namespace: undefined, error, retryInMs: undefined });
  }

  function tell(problem: ReflectorProblem): void {
    quietly(() => opts.onProblem?.(problem));
  }

  /** What is kept of an object; undefined when the projection fails on it, which must not stop the rest. */
  function project(object: KubeObject): V | undefined {
    try {
      const v = opts.project(object as T);
      return opts.keep === undefined || opts.keep(v) ? v : undefined;
    } catch (error) {
      note('projection', error);
      return undefined;
    }
  }

  const followers = scopes.map((scope) =>
    createFollower<V>({
      ...opts,
      kind,
      scope,
      store,
      clock,
      random: opts.random ?? Math.random,
      project,
      onProblem: tell,
      onRecovered: () => quietly(opts.onRecovered),
      onRestored: () => quietly(opts.onRestored),
      onSynced() {
        if (store.hasSynced) synced.resolve();
      },
    }),
  );
  const problem = (): ReflectorProblem | undefined => followers.find((f) => f.problem !== undefined)?.problem;

  return {
    name: `cache ${resource}`,
    resource,
    store,
    synced: synced.promise,
    get problem() {
      return problem();
    },
    async run(signal) {
      await Promise.all(followers.map((follower) => follower.run(signal)));
    },
    ready: (signal) => untilAborted(synced.promise, signal),
    notReady() {
      if (store.hasSynced) return undefined;
      const now = problem();
      return now === undefined ? `${resource} not listed yet` : `${resource} not listed yet: ${now.kind}`;
    },
    observe(object) {
      const v = project({ ...object, metadata: withoutManagedFields(object.metadata) });
      if (v !== undefined) store.observe(v);
    },
    observeDelete(ref, answer) {
      if (answer === undefined || isStatus(answer)) store.observeGone(keyOf(ref), ref.uid);
      else this.observe(answer);
    },
    async relist(signal) {
      await Promise.all(followers.map((follower) => follower.relist(signal)));
    },
    drop() {
      const { keep } = opts;
      if (keep !== undefined) store.drop((v) => !keep(v));
    },
    lastSeenAgeMs: () => Math.max(...followers.map((follower) => clock.steadyMs() - follower.lastSeenAtMs)),
  };
}

/** Whoever is told must not become a problem of the cache. */
function quietly(callback: (() => void) | undefined): void {
  try {
    callback?.();
  } catch {
    // Nobody left to tell.
  }
}

function withoutManagedFields(metadata: ObjectMeta): ObjectMeta {
  const copy: ObjectMeta & { managedFields?: unknown } = { ...metadata };
  copy.managedFields = undefined;
  return copy;
}

async function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
