// Answers: in which zone is this host? For Pods that have no zone label of their own, which they have from Kubernetes
// 1.35 on. A host is read by name when a Pod is new. The answer is recorded in the status of the node and holds for the
// life of the Pod, so that at rest nothing is asked.

import { type Clock, isForbidden, isNotFound, type KubeClient, nodes } from '@marekvs/runtime';
import { createSharedAnswers, type Found } from '../background/shared-answers.ts';
import { ASK_LIMIT_MS, FAILED_MS, FORBIDDEN_MS } from '../pacing/paces.ts';

/** Kubernetes' own label on hosts, and on Pods once they have a host. */
export const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** `HostUnlabelled`: the host has no zone label. `NotReadable`: the operator may not read it. */
export type HostZone =
  | { readonly zoneSource: 'Host'; readonly zone: string }
  | { readonly zoneSource: 'HostUnlabelled' | 'NotReadable' };

export interface HostZones {
  /** The zone by the labels of the host; undefined while it is not known. Asks in the background. Cheap.
   *  @param nodeKey the node to reconcile when there is an answer */
  ask(nodeKey: string, hostName: string): HostZone | undefined;
  /** Asks until aborted. Before it runs, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface HostZonesOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Clock;
  /** The zone of the node's host is known: reconcile the node again. */
  readonly onAnswer: (nodeKey: string) => void;
}

/** Pods that start together on a host share an answer. A later Pod may be on another host of the same name. */
export const FRESH_MS = 60_000;

const NOT_READABLE: HostZone = { zoneSource: 'NotReadable' };

export function createHostZones({ client, clock, onAnswer }: HostZonesOptions): HostZones {
  /** `gone`: the host does not exist. */
  const answers = createSharedAnswers<HostZone | 'gone'>({ clock, read, onAnswer });
  let forbiddenUntilMs = Number.NEGATIVE_INFINITY;

  const isForbiddenNow = (): boolean => clock.steadyMs() < forbiddenUntilMs;

  /** Never throws. Undefined, after a pause, when there is no answer: the caller asks again. */
  async function read(name: string, signal: AbortSignal): Promise<Found<HostZone | 'gone'> | undefined> {
    // If one host may not be read, none may.
    if (isForbiddenNow()) return undefined;
    try {
      const { metadata } = await client.get(nodes, { name }, { signal, timeoutMs: ASK_LIMIT_MS });
      const zone = metadata?.labels?.[ZONE_LABEL] ?? '';
      return {
        answer: zone === '' ? { zoneSource: 'HostUnlabelled' } : { zoneSource: 'Host', zone },
        freshMs: FRESH_MS,
      };
    } catch (error) {
      if (isNotFound(error)) return { answer: 'gone', freshMs: FRESH_MS };
      if (isForbidden(error)) forbiddenUntilMs = clock.steadyMs() + FORBIDDEN_MS;
      else await clock.delay(FAILED_MS, signal).catch(() => undefined);
      return undefined;
    }
  }

  return {
    ask(nodeKey, hostName) {
      if (isForbiddenNow()) return NOT_READABLE;
      const zone = answers.ask(nodeKey, hostName);
      return zone === 'gone' ? undefined : zone;
    },
    run: answers.run,
  };
}
