// The members that clients may talk to, which are those behind the client Service: ready Pods with the serving label,
// followed by a watch.

import { LABELS } from '@marekvs/api';
import { corePath } from './paths.ts';
import { isPodReady, type PodSeen } from './seen.ts';
import type { Watching } from './watching.ts';

export interface Serving {
  /** Addresses at this moment; empty while nobody serves. */
  addresses(): readonly string[];
  has(address: string): boolean;
  stop(): void;
}

export async function followServing(watching: Watching, namespace: string, cluster: string): Promise<Serving> {
  let addresses: ReadonlySet<string> = new Set();
  const following = await watching.follow<PodSeen>(corePath(namespace, 'pods'), (pods) => {
    addresses = new Set(pods.filter((pod) => serves(pod, cluster)).flatMap(({ status }) => status?.podIP ?? []));
  });
  return {
    addresses: () => [...addresses],
    has: (address) => addresses.has(address),
    stop: following.stop,
  };
}

/** A terminating Pod still has its label, but is not an endpoint any more. */
function serves(pod: PodSeen, cluster: string): boolean {
  const { labels, deletionTimestamp } = pod.metadata;
  return (
    labels?.[LABELS.cluster] === cluster &&
    labels[LABELS.serving] === 'true' &&
    deletionTimestamp === undefined &&
    isPodReady(pod)
  );
}
