// What one API server's watch cache of one kind has heard of the store, and from how far in the past it may answer.
//
// The rule, by the form of the request as our runtime sends it (packages/runtime: list-watch.ts, client.ts).
// Kubernetes: API concepts, "resource versions"; KEP-3157 (WatchList), KEP-2340 (consistent reads from cache);
// apiserver storage/cacher/cacher.go, getWatchCacheResourceVersion and waitUntilWatchCacheFreshAndForceAllEvents:
// GET; LIST without resourceVersion the store as it is when the request arrives. Never the past: api-requests.ts reads
// the store.
//   watch, sendInitialEvents, NotOlderThan, no resourceVersion
// a state not older than the store when the request arrived. A cache that does not get there
// within three seconds refuses: 504, cause ResourceVersionTooLarge, try again in a second.
// watch from version X what came after X, however late, and never anything up to X, even from a cache that is behind X.
// 410 when the cache no longer remembers X: it is small, and begins anew with its server.
// any stream, once it has begun late without bound: a cache that is cut off from etcd says nothing and keeps its
// streams open
//                                       (kubernetes#97294: five minutes).
// So a client that never lists at resourceVersion=0 is not sent back in time. `keepsPromise: false` sends it there all
// the same: what a list at 0 may be answered with, or a server over a store that is not linearizable, or a bug. Nothing
// may be deleted because of that either.

import type { ApiObject } from './api-object.ts';
import type { ApiEvent, MemoryApiServer } from './api-server.ts';

export interface WatchCacheOptions {
  readonly server: MemoryApiServer;
  /** `pods`, `marekvsnodes.marekvs.io` */
  readonly resource: string;
  /** A stream with initial events waits until they are not older than the request; default true, as the real one. */
  readonly keepsPromise?: boolean;
}

/** Hears of every change at once, unless it is held. */
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

  /** The last version of the store that it has heard of. */
  get version(): number {
    return Math.min(this.#frozenAt ?? Number.POSITIVE_INFINITY, this.#server.version);
  }

  /** Goes on to this version, or back to it if nobody is listening yet, and hears nothing after it. */
  holdAt(version: number): void {
    const before = this.version;
    this.#frozenAt = version;
    this.#moveFrom(before);
  }

  /** Hears what it has missed, and from now on everything at once. */
  release(): void {
    const before = this.version;
    this.#frozenAt = undefined;
    this.#moveFrom(before);
  }

  /** The state it has, in the order of the store. */
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

  /** What it has heard that is newer than `version`, oldest first. */
  eventsAfter(version: number): readonly ApiEvent[] {
    return this.#between(version, this.version);
  }

  /** Told of every change of this kind when the cache hears of it. */
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

  /** Told when it may have come nearer to the present. */
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
