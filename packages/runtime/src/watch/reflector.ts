// Keeps one store equal to what the API server has: list, watch, and everything that goes wrong between the two.
// reflector-scope.ts is the loop of one namespace; reflector-events.ts and store.ts decide what an event changes.

import { isStatus } from '../client/kube-client.ts';
import type { Status } from '../errors/errors.ts';
import { type Kind, type KubeObject, keyOf, type ObjectMeta, resourceOf } from '../objects/kinds.ts';
import type { Runnable } from '../process/runnable.ts';
import { createChildAbort, onAbort, unlessAborted, untilAborted } from '../time/aborted.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { FollowedSource, Follower } from './follower.ts';
import type { Projected } from './reflector-events.ts';
import type { ReflectorProblem } from './reflector-problem.ts';
import { createFollower } from './reflector-scope.ts';
import { type Change, createStore, type Identified, type ReadonlyStore, type Scope } from './store.ts';

export interface ReflectorOptions<T extends KubeObject, V extends Identified> extends FollowedSource {
  readonly kind: Kind<T>;
  /** Default `all`. */
  readonly namespaces?: readonly string[] | 'all' | undefined;
  /** Returns what is kept of an object, whose managedFields are removed already. Must not keep the object itself unless
   *  that is intended. */
  readonly project: (o: T) => V;
  /** Whether an object is kept at all. When the rule changes, call `relist` or `drop`. @default all are kept */
  readonly keep?: ((v: V) => boolean) | undefined;
  readonly indexes?: Readonly<Record<string, (v: V) => readonly string[]>> | undefined;
  /** Called after the store has changed. Must not do more than enqueue a key; what it throws goes to onProblem. */
  readonly onChange?: ((change: Change<V>) => void) | undefined;
  /** Called when a full list is in place: changes may have been missed before it. Must not throw. */
  readonly onListed?: (() => void) | undefined;
  readonly onProblem?: ((problem: ReflectorProblem) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
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
  /** Puts the answer to our own write into the cache at once, unless the watch was faster. */
  observe(object: KubeObject): void;
  /** Records the answer to our own delete. A Status, or undefined (there was no such object), means that the object is
   *  gone; an object means that it is only marked for deletion. */
  observeDelete(
    ref: { readonly namespace?: string | undefined; readonly name: string; readonly uid: string },
    answer?: KubeObject | Status,
  ): void;
  /** Ends the watch, and reads everything again that the selector gives now. Only differences become changes. Resolves
   *  when a list that began after this call is in place. @throws the signal's reason */
  relist(signal: AbortSignal): Promise<void>;
  /** Removes objects that `keep` rejects now. No listener is notified: nothing has happened to the objects. */
  drop(): void;
  /** Also follows this namespace. Resolves when its first list is complete; never when `leave` comes first. */
  join(namespace: string): Promise<void>;
  /** Stops following this namespace and forgets its objects. No listener is notified: nothing has happened to them. */
  leave(namespace: string): void;
  /** Milliseconds since the API server was last heard; of several namespaces the longest. Infinity before the first
   *  byte. */
  lastSeenAgeMs(): number;
}

export function createReflector<T extends KubeObject, V extends Identified>(
  opts: ReflectorOptions<T, V>,
): Reflector<V> {
  const { kind, clock = systemClock, keep = () => true } = opts;
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

  /** An error of our own code with one object is reported; the other objects are still followed. */
  function note(kindOfProblem: 'handler' | 'projection', error: unknown): void {
    tell({ kind: kindOfProblem, resource, namespace: undefined, error, retryInMs: undefined });
  }

  function tell(problem: ReflectorProblem): void {
    quietly(() => opts.onProblem?.(problem));
  }

  /** Undefined when the projection throws; the rest goes on. */
  function project(object: KubeObject): Projected<V> | undefined {
    try {
      const v = opts.project(object as T);
      return { v, isKept: keep(v) };
    } catch (error) {
      note('projection', error);
      return undefined;
    }
  }

  const followers = new Map<Scope, Followed>();
  let running: AbortSignal | undefined;
  if (scopes.length === 0) synced.resolve();

  function open(scope: Scope): Followed {
    const listed = Promise.withResolvers<void>();
    const follower = createFollower<V>({
      ...opts,
      kind,
      scope,
      store,
      clock,
      random: opts.random ?? Math.random,
      project,
      keep,
      onProblem: tell,
      onRecovered: () => quietly(opts.onRecovered),
      onSynced() {
        listed.resolve();
        quietly(opts.onListed);
        if (store.hasSynced) synced.resolve();
      },
    });
    const one: Followed = { follower, listed: listed.promise, end: new AbortController() };
    followers.set(scope, one);
    if (running !== undefined) follow(one, running);
    return one;
  }

  function follow({ follower, end }: Followed, signal: AbortSignal): void {
    if (signal.aborted) end.abort(signal.reason);
    const release = onAbort(signal, (reason) => end.abort(reason));
    const run = follower.run(end.signal).finally(() => {
      release();
      runs.delete(run);
    });
    runs.add(run);
  }

  const runs = new Set<Promise<void>>();
  for (const scope of scopes) open(scope);
  const all = (): readonly Follower[] => [...followers.values()].map(({ follower }) => follower);
  const problem = (): ReflectorProblem | undefined => all().find((f) => f.problem !== undefined)?.problem;

  /** Reads every namespace, without waiting for those that were joined later and are not listed yet. */
  async function relist(signal: AbortSignal): Promise<void> {
    await Promise.all(
      [...followers].map(async ([scope, { follower, end }]) => {
        const isAwaited = scopes.includes(scope) || store.progressOf(scope) !== undefined;
        const reading = createChildAbort(signal);
        const release = onAbort(end.signal, (reason) => reading.abort(reason));
        const done = follower
          .relist(reading.signal)
          .catch(() => signal.throwIfAborted())
          .finally(() => {
            release();
            reading.abort();
          });
        if (isAwaited) await done;
        else done.catch(() => undefined);
      }),
    );
  }

  return {
    name: `cache of ${resource}`,
    resource,
    store,
    synced: synced.promise,
    get problem() {
      return problem();
    },
    async run(signal) {
      running = signal;
      for (const one of followers.values()) follow(one, signal);
      await untilAborted(signal);
      await Promise.all(runs);
    },
    ready: (signal) => unlessAborted(synced.promise, signal),
    notReady() {
      const now = problem();
      if (now !== undefined) return `cache of ${resource}: ${now.kind}`;
      return store.hasSynced ? undefined : `cache of ${resource} is not complete yet`;
    },
    observe(object) {
      const projected = project({ ...object, metadata: withoutManagedFields(object.metadata) });
      if (projected?.isKept === true) store.observe(projected.v);
    },
    observeDelete(ref, answer) {
      // An object without a version is the last known state of one that has been removed meanwhile.
      const isGone = answer === undefined || isStatus(answer) || answer.metadata.resourceVersion === undefined;
      if (isGone) store.observeGone(keyOf(ref), ref.uid);
      else this.observe(answer);
    },
    relist,
    drop: () => store.drop((v) => !keep(v)),
    join(namespace) {
      const known = followers.get(namespace);
      if (known !== undefined) return known.listed;
      store.join(namespace);
      return open(namespace).listed;
    },
    leave(namespace) {
      followers.get(namespace)?.end.abort(new Error(`namespace ${namespace} is not followed any more`));
      followers.delete(namespace);
      store.leave(namespace);
    },
    lastSeenAgeMs() {
      const ages = [...followers]
        .filter(([scope, { follower }]) => scopes.includes(scope) || follower.lastSeenAtMs > Number.NEGATIVE_INFINITY)
        .map(([, { follower }]) => clock.steadyMs() - follower.lastSeenAtMs);
      return ages.length === 0 ? 0 : Math.max(...ages);
    },
  };
}

/** One namespace; `end` stops it alone. */
interface Followed {
  readonly follower: Follower;
  readonly listed: Promise<void>;
  readonly end: AbortController;
}

/** A listener that fails must not become a problem of the cache. */
function quietly(callback: (() => void) | undefined): void {
  try {
    callback?.();
  } catch {
    // There is no other listener to report to.
  }
}

function withoutManagedFields(metadata: ObjectMeta): ObjectMeta {
  const copy: ObjectMeta & { managedFields?: unknown } = { ...metadata };
  copy.managedFields = undefined;
  return copy;
}
