// Who wants which thing followed, and the one stream there is for each thing, however many clusters want it. A
// stream that nobody wants any more ends. What may not be followed is not tried again for ten minutes: a grant
// comes without an event of ours.

import type { Clock } from '@marekvs/runtime';

export interface SharedStream {
  /** Those that are notified. */
  readonly clusters: Set<string>;
  readonly end: AbortController;
}

export interface SharedStreams<S extends SharedStream> {
  /** What a cluster wants from now on, and nothing else; undefined: nothing. @returns the stream of it, when there is
   *  one */
  want(clusterKey: string, key: string | undefined): S | undefined;
  /** The stream of a key that has none. */
  put(key: string, stream: S): void;
  /** It may not be followed: the stream ends, and is none any more. */
  refuse(key: string, stream: S): void;
  /** It may be followed after all. */
  allow(key: string): void;
  /** For so long it is not tried again. */
  isRefused(key: string): boolean;
  /** It was refused, and has not been followed since. */
  wasRefused(key: string): boolean;
  size(): number;
  /** Everybody wants nothing. Whoever made the streams has ended them. */
  clear(): void;
}

const FORBIDDEN_MS = 600_000;

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
