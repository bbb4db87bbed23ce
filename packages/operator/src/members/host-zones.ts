// Answers: in which zone is this host? For Pods that do not say it themselves, as they do from Kubernetes 1.35 on.
// Asked by name when a Pod is new: what is found is recorded in the status of its node and stands as long as the Pod,
// so that at rest nobody is asked.

import { type Clock, isForbidden, isNotFound, type KubeClient, nodes } from '@marekvs/runtime';
import { createBoundedWork } from './bounded-work.ts';

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
const MAX_IN_FLIGHT = 4;

const NOT_READABLE: HostZone = { zoneSource: 'NotReadable' };

interface Entry {
  readonly hostName: string;
  readonly nodeKeys: Set<string>;
  /** `gone`: there is no such host. */
  zone: HostZone | 'gone' | undefined;
  /** When the answer came; steady. */
  atMs: number;
}

export function createHostZones({ client, clock, onAnswer }: HostZonesOptions): HostZones {
  const entries = new Map<string, Entry>();
  let forbiddenUntilMs = Number.NEGATIVE_INFINITY;
  const due = createBoundedWork<Entry>(MAX_IN_FLIGHT, (entry, signal) => readZone(entry, signal));

  const isForbiddenNow = (): boolean => clock.steadyMs() < forbiddenUntilMs;

  async function readZone(entry: Entry, signal: AbortSignal): Promise<void> {
    // What one host is refused for, all are.
    if (!isForbiddenNow()) entry.zone = await answerFor(entry.hostName, signal);
    if (signal.aborted) return;
    if (entry.zone === undefined) entries.delete(entry.hostName);
    entry.atMs = clock.steadyMs();
    for (const nodeKey of entry.nodeKeys) onAnswer(nodeKey);
    entry.nodeKeys.clear();
  }

  /** Never throws. Undefined, after a while, when there is no answer: the caller then asks again. */
  async function answerFor(name: string, signal: AbortSignal): Promise<Entry['zone']> {
    try {
      const { metadata } = await client.get(nodes, { name }, { signal, timeoutMs: GET_LIMIT_MS });
      const zone = metadata?.labels?.[ZONE_LABEL] ?? '';
      return zone === '' ? { zoneSource: 'HostUnlabelled' } : { zoneSource: 'Host', zone };
    } catch (error) {
      if (isNotFound(error)) return 'gone';
      if (isForbidden(error)) forbiddenUntilMs = clock.steadyMs() + FORBIDDEN_MS;
      else await clock.delay(FAILED_MS, signal).catch(() => undefined);
      return undefined;
    }
  }

  return {
    ask(nodeKey, hostName) {
      if (isForbiddenNow()) return NOT_READABLE;
      const nowMs = clock.steadyMs();
      for (const [name, { zone, atMs }] of entries)
        if (zone !== undefined && nowMs - atMs >= FRESH_MS) entries.delete(name);
      const known = entries.get(hostName);
      if (known?.zone !== undefined) return known.zone === 'gone' ? undefined : known.zone;
      const entry: Entry = known ?? { hostName, nodeKeys: new Set(), zone: undefined, atMs: 0 };
      entry.nodeKeys.add(nodeKey);
      if (known !== undefined) return undefined;
      entries.set(hostName, entry);
      due.add(entry);
      return undefined;
    },
    run: due.run,
  };
}
