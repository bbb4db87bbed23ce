// Answers: in which zone is this host? For Pods that do not say it themselves, as they do from Kubernetes 1.35 on.
// Asked by name when a Pod is new: what is found is recorded in the status of its node and stands as long as the Pod,
// so that at rest nobody is asked.

import { type Clock, isForbidden, isNotFound, type KubeClient, nodes } from '@marekvs/runtime';
import { createSharedAnswers, type Found } from './shared-answers.ts';

/** Kubernetes' own label, on hosts, and on Pods from the moment they have one. */
export const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** `HostUnlabelled`: it is in no zone that anybody knows of. `NotReadable`: the operator may not read it. */
export type HostZone =
  | { readonly zoneSource: 'Host'; readonly zone: string }
  | { readonly zoneSource: 'HostUnlabelled' | 'NotReadable' };

export interface HostZones {
  /** What its labels say; undefined while that is not known. Asks in the background, and tells. Cheap.
   *  @param nodeKey whom to tell */
  ask(nodeKey: string, hostName: string): HostZone | undefined;
  /** Runs until aborted. Until then, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface HostZonesOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Clock;
  /** The zone of its host is known: reconcile the node again. */
  readonly onAnswer: (nodeKey: string) => void;
}

/** Pods that start together on a host share an answer. One that starts later may be on another host of the same
 *  name. */
export const FRESH_MS = 60_000;
/** A role comes without an event of ours. */
export const FORBIDDEN_MS = 600_000;
export const FAILED_MS = 5_000;
const GET_LIMIT_MS = 5_000;

const NOT_READABLE: HostZone = { zoneSource: 'NotReadable' };

export function createHostZones({ client, clock, onAnswer }: HostZonesOptions): HostZones {
  /** `gone`: there is no such host. */
  const answers = createSharedAnswers<HostZone | 'gone'>({ clock, read, onAnswer });
  let forbiddenUntilMs = Number.NEGATIVE_INFINITY;

  const isForbiddenNow = (): boolean => clock.steadyMs() < forbiddenUntilMs;

  /** Never throws. Undefined, after a while, when there is no answer: the caller then asks again. */
  async function read(name: string, signal: AbortSignal): Promise<Found<HostZone | 'gone'> | undefined> {
    // What one host is refused for, all are.
    if (isForbiddenNow()) return undefined;
    try {
      const { metadata } = await client.get(nodes, { name }, { signal, timeoutMs: GET_LIMIT_MS });
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
