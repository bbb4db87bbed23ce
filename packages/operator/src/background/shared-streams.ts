// One watch stream per key, shared by all clusters that want it. A stream that no cluster wants any more ends. A
// refused key is not tried again for ten minutes, because a grant causes no event that we watch.

import type { Clock } from '@marekvs/runtime';
import { FORBIDDEN_MS } from '../pacing/paces.ts';

export interface SharedStream {
  /** The clusters that are notified. */
  readonly clusters: Set<string>;
  readonly end: AbortController;
}

export interface SharedStreams<S extends SharedStream> {
  /** Sets the one key that a cluster wants; undefined: none. @returns its stream, if there is one */
  want(clusterKey: string, key: string | undefined): S | undefined;
  /** Adds the stream of a key that has none. */
  put(key: string, stream: S): void;
  /** The key may not be watched: its stream ends and is removed. */
  refuse(key: string, stream: S): void;
  /** The key may be watched after all. */
  allow(key: string): void;
  /** True while a refused key is not to be tried again. */
  isRefused(key: string): boolean;
  /** True when the key was refused and has not been watched since. */
  wasRefused(key: string): boolean;
  size(): number;
  /** Drops all wishes and streams. The creator of the streams has ended them. */
  clear(): void;
}

export function createSharedStreams<S extends SharedStream>(clock: Clock): SharedStreams<S> {
  const wanted = new Map<string, string>();
  const streams = new Map<string, S>();
  const refusedUntilMs = new Map<string, number>();

  function leave(clusterKey: string): void {
    const key = wanted.get(clusterKey);
    wanted.delete(clusterKey);
    const stream = key === undefined ? undefined : streams.get(key);
    if (key === undefined || stream === undefined) return;
    stream.clusters.delete(clusterKey);
    if (stream.clusters.size > 0) return;
    stream.end.abort();
    streams.delete(key);
  }

  return {
    want(clusterKey, key) {
      if (wanted.get(clusterKey) !== key) leave(clusterKey);
      if (key === undefined) return undefined;
      wanted.set(clusterKey, key);
      const stream = streams.get(key);
      stream?.clusters.add(clusterKey);
      return stream;
    },
    put(key, stream) {
      streams.set(key, stream);
    },
    refuse(key, stream) {
      refusedUntilMs.set(key, clock.steadyMs() + FORBIDDEN_MS);
      stream.end.abort();
      if (streams.get(key) === stream) streams.delete(key);
    },
    allow(key) {
      refusedUntilMs.delete(key);
    },
    isRefused: (key) => clock.steadyMs() < (refusedUntilMs.get(key) ?? 0),
    wasRefused: (key) => refusedUntilMs.has(key),
    size: () => streams.size,
    clear() {
      streams.clear();
      wanted.clear();
    },
  };
}
