// What one API server's watch cache of one kind has seen of the store, and how far in the past it may answer.

import type { ApiObject } from './api-object.ts';
import type { MemoryApiServer } from './api-server.ts';
import type { ApiEvent } from './api-store.ts';

export interface WatchCacheOptions {
  readonly server: MemoryApiServer;
  /** `pods`, `marekvsnodes.marekvs.io` */
  readonly resource: string;
  /** A stream with initial events waits until the cache is not older than the request; default true, as in the real
   *  one. */
  readonly keepsPromise?: boolean;
}

/** Sees every change at once, unless it is held.
 *
 *  The rules, by the form of the requests of our runtime (packages/runtime: list-watch.ts, client.ts). Sources:
 *  Kubernetes API concepts, "resource versions"; KEP-3157 (WatchList), KEP-2340 (consistent reads from cache);
 *  apiserver storage/cacher/cacher.go, getWatchCacheResourceVersion and waitUntilWatchCacheFreshAndForceAllEvents.
 *  - GET; LIST without resourceVersion: the store when the request arrives, never the past (api-requests.ts).
 *  - watch, sendInitialEvents, NotOlderThan, no resourceVersion: a state not older than the store when the request
 *    arrived. A cache that does not get there within three seconds refuses: 504, cause ResourceVersionTooLarge, retry
 *    after a second.
 *  - watch from version X: what came after X, however late, and never anything up to X, even from a cache behind X.
 *    410 when the cache no longer has X: it is small, and empty after a restart of its server.
 *  - any open stream: late without bound. A cache cut off from etcd sends nothing and keeps its streams open
 *    (kubernetes#97294: five minutes).
 *
 *  So a client that never lists at resourceVersion=0 is not sent back in time. `keepsPromise: false` sends it back all
 *  the same, as a list at 0, a server over a store that is not linearizable, or a bug may: nothing may be deleted
 *  because of that either. */
export class WatchCache {
  readonly resource: string;
  readonly keepsPromise: boolean;
  readonly #server: MemoryApiServer;
  readonly #listeners = new Set<(event: ApiEvent) => void>();
  readonly #moves = new Set<() => void>();
  #frozenAt: number | undefined;

  constructor({ server, resource, keepsPromise = true }: WatchCacheOptions) {
    this.#server = server;
    this.resource = resource;
    this.keepsPromise = keepsPromise;
  }

  /** The latest version of the store that the cache has seen. */
  get version(): number {
    return Math.min(this.#frozenAt ?? Number.POSITIVE_INFINITY, this.#server.version);
  }

  /** Moves to this version, even backwards if nobody is listening yet, and sees nothing after it. */
  holdAt(version: number): void {
    const before = this.version;
    this.#frozenAt = version;
    this.#moveFrom(before);
  }

  /** Catches up with what it missed, and is up to date from then on. */
  release(): void {
    const before = this.version;
    this.#frozenAt = undefined;
    this.#moveFrom(before);
  }

  /** Its current state, in the order of the store. */
  objects(): readonly ApiObject[] {
    if (this.#frozenAt === undefined) return this.#server.list(this.resource);
    const objects = new Map<string, ApiObject>();
    for (const { type, object } of this.eventsAfter(0)) {
      const key = `${object.metadata.namespace}/${object.metadata.name}`;
      if (type === 'DELETED') objects.delete(key);
      else objects.set(key, object);
    }
    return [...objects.values()];
  }

  /** The changes it has seen after `version`, oldest first. */
  eventsAfter(version: number): readonly ApiEvent[] {
    return this.#between(version, this.version);
  }

  /** Calls `listener` for every change of this kind when the cache sees it. */
  onEvent(listener: (event: ApiEvent) => void): () => void {
    const tell = (event: ApiEvent): void => {
      if (event.resource === this.resource && event.version <= this.version) listener(event);
    };
    const unsubscribe = this.#server.onEvent(tell);
    this.#listeners.add(listener);
    return () => {
      unsubscribe();
      this.#listeners.delete(listener);
    };
  }

  /** Calls `listener` when the cache may have caught up further. */
  onMove(listener: () => void): () => void {
    this.#moves.add(listener);
    return () => void this.#moves.delete(listener);
  }

  #moveFrom(before: number): void {
    const missed = this.#between(before, this.version);
    for (const listener of [...this.#listeners]) for (const event of missed) listener(event);
    for (const listener of [...this.#moves]) listener();
  }

  #between(after: number, upTo: number): readonly ApiEvent[] {
    return this.#server.history.filter(
      ({ resource, version }) => resource === this.resource && version > after && version <= upTo,
    );
  }
}
