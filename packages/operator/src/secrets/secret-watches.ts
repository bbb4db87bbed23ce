// Answers: has the Secret with the password of a cluster changed? Each is watched alone, by its name, which is all that
// a grant for one Secret allows. Nothing of its content is kept, and an idle one costs a stream and no request. A
// Secret that may not be watched is read now and then (secrets-asked.ts).

import { type Clock, createChildAbort, createReflector, secrets, type Transport, untilAborted } from '@marekvs/runtime';
import { createSharedStreams, type SharedStream } from '../background/shared-streams.ts';
import { identity } from '../objects/metadata.ts';

export interface SecretWatches {
  /** Sets the Secret that is watched for a cluster; undefined: none. Cheap. */
  follow(clusterKey: string, secret: FollowedSecret | undefined): void;
  /** Watches until aborted. Before it runs, nothing is watched. */
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
  /** The Secret of this cluster has changed. */
  readonly onChange: (clusterKey: string) => void;
}

export function createSecretWatches({ transport, clock, random, onChange }: SecretWatchesOptions): SecretWatches {
  const streams = createSharedStreams(clock);
  let running: AbortSignal | undefined;

  function begin(key: string, clusterKey: string, { namespace, name }: FollowedSecret, signal: AbortSignal): void {
    const stream: SharedStream = { clusters: new Set([clusterKey]), end: createChildAbort(signal) };
    streams.put(key, stream);
    const reflector = createReflector({
      transport,
      clock,
      random,
      kind: secrets,
      namespaces: [namespace],
      fieldSelector: `metadata.name=${name}`,
      project: identity,
      onChange(change) {
        if (!change.initial) for (const cluster of stream.clusters) onChange(cluster);
      },
      onProblem({ kind }) {
        if (kind === 'forbidden') streams.refuse(key, stream);
      },
    });
    void reflector.run(stream.end.signal);
  }

  return {
    follow(clusterKey, secret) {
      if (running === undefined || running.aborted) return;
      const key = secret === undefined ? undefined : `${secret.namespace}/${secret.name}`;
      const stream = streams.want(clusterKey, key);
      if (stream !== undefined || secret === undefined || key === undefined || streams.isRefused(key)) return;
      begin(key, clusterKey, secret, running);
    },
    async run(signal) {
      running = signal;
      await untilAborted(signal);
      streams.clear();
    },
  };
}
