// Answers: has the Secret with the password of a cluster changed? Each is followed by itself, by its name, which is all that a grant for one
// Secret allows. Nothing of its content is kept, and an idle one costs a stream and no request. Where it may not be followed it is asked
// for now and then (secrets-asked.ts).

import { type Clock, createReflector, type Secret, secrets, type Transport } from '@marekvs/runtime';

export interface SecretWatches {
  /** Whose Secret is followed for a cluster from now on; undefined: none. Cheap. */
  follow(clusterKey: string, secret: FollowedSecret | undefined): void;
  /** Runs until aborted. Until then nothing is followed. */
  run(signal: AbortSignal): Promise<void>;
}

interface FollowedSecret {
  readonly namespace: string;
  readonly name: string;
}

export interface SecretWatchesOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  /** The Secret of this cluster is another one than it was. */
  readonly onChange: (clusterKey: string) => void;
}

/** A grant comes without an event of ours. */
const FORBIDDEN_MS = 600_000;

interface Stream {
  readonly clusters: Set<string>;
  readonly end: AbortController;
}

export function createSecretWatches({ transport, clock, random, onChange }: SecretWatchesOptions): SecretWatches {
  const wanted = new Map<string, string>();
  const streams = new Map<string, Stream>();
  const forbiddenUntilMs = new Map<string, number>();
  let running: AbortSignal | undefined;

  function begin(key: string, clusterKey: string, { namespace, name }: FollowedSecret, signal: AbortSignal): void {
    const end = new AbortController();
    const stream: Stream = { clusters: new Set([clusterKey]), end };
    streams.set(key, stream);
    const reflector = createReflector({
      transport,
      clock,
      random,
      kind: secrets,
      namespaces: [namespace],
      fieldSelector: `metadata.name=${name}`,
      project: identityOf,
      onChange(change) {
        if (!change.initial) for (const cluster of stream.clusters) onChange(cluster);
      },
      onProblem({ kind }) {
        if (kind !== 'forbidden') return;
        forbiddenUntilMs.set(key, clock.steadyMs() + FORBIDDEN_MS);
        end.abort();
        if (streams.get(key) === stream) streams.delete(key);
      },
    });
    void reflector.run(AbortSignal.any([signal, end.signal]));
  }

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
    follow(clusterKey, secret) {
      const key = secret === undefined ? undefined : `${secret.namespace}/${secret.name}`;
      if (wanted.get(clusterKey) !== key) leave(clusterKey);
      if (secret === undefined || key === undefined || running === undefined || running.aborted) return;
      wanted.set(clusterKey, key);
      const stream = streams.get(key);
      if (stream !== undefined) stream.clusters.add(clusterKey);
      else if (clock.steadyMs() >= (forbiddenUntilMs.get(key) ?? 0)) begin(key, clusterKey, secret, running);
    },
    async run(signal) {
      running = signal;
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      streams.clear();
      wanted.clear();
    },
  };
}

function identityOf({ metadata }: Secret) {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  return { namespace, name, uid, resourceVersion };
}
