// Keeps one store equal to what the API server has: list, watch, and everything that goes wrong between the two.
import type { Clock } from './clock.ts';
import type { Status } from './errors.ts';
import type { Kind, KubeObject } from './kinds.ts';
import type { Change, Identified, ReadonlyStore } from './store.ts';
import type { Transport } from './transport.ts';

/** Why a cache is not following the API server, or what a handler did. */
export interface ReflectorProblem {
  readonly kind: 'forbidden' | 'not-found' | 'unreachable' | 'refused' | 'handler' | 'projection';
  /** `pods`, `marekvsnodes.marekvs.io` */
  readonly resource: string;
  /** Undefined = all namespaces. */
  readonly namespace: string | undefined;
  readonly error: unknown;
  /** Until the next attempt; undefined when nothing is repeated. */
  readonly retryInMs: number | undefined;
}

/** Why a stream ended or a list was read again; the `reason` label of the metrics. */
export type RestartReason =
  | 'end'
  | 'idle'
  | 'reset'
  | 'expired'
  | 'throttled'
  | 'truncated'
  | 'error'
  | 'forbidden'
  | 'not-found'
  | 'regressed'
  | 'unsupported';

export interface ReflectorMetrics {
  watchRestarted?(resource: string, reason: RestartReason): void;
  /** A full list after the first one. */
  relisted?(resource: string): void;
  eventReceived?(resource: string, type: string): void;
}

export interface ReflectorOptions<T extends KubeObject, V extends Identified> {
  readonly transport: Transport;
  readonly kind: Kind<T>;
  /** Default `all`. */
  readonly namespaces?: readonly string[] | 'all' | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** What is kept of an object. managedFields are gone already. Must not keep the object itself unless that is meant. */
  readonly project: (o: T) => V;
  readonly indexes?: Readonly<Record<string, (v: V) => readonly string[]>> | undefined;
  /** Called after the store has changed. Must only take note (enqueue a key); what it throws goes to onProblem. */
  readonly onChange?: ((change: Change<V>) => void) | undefined;
  readonly onProblem?: ((problem: ReflectorProblem) => void) | undefined;
  /** Called when a scope that had a problem follows again. */
  readonly onRecovered?: (() => void) | undefined;
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

export interface Reflector<V> {
  readonly resource: string;
  readonly store: ReadonlyStore<V>;
  /** Follows until the signal; never throws otherwise. May be called once. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the first list of every namespace is complete. Never rejects. */
  readonly synced: Promise<void>;
  /** The problem that keeps the cache from following now; undefined when it follows. */
  readonly problem: ReflectorProblem | undefined;
  /** The answer to our own write: in the cache at once, unless the watch was faster. */
  observe(object: KubeObject): void;
  /** The answer to our own delete: a Status means gone, an object means marked. */
  observeDelete(
    ref: { readonly namespace?: string | undefined; readonly name: string; readonly uid: string },
    answer: KubeObject | Status,
  ): void;
  /** Milliseconds since the API server was last heard; of several namespaces the longest. Infinity before the first byte. */
  lastSeenAgeMs(): number;
}

export function createReflector<T extends KubeObject, V extends Identified>(
  _opts: ReflectorOptions<T, V>,
): Reflector<V> {
  throw new Error('not yet');
}
