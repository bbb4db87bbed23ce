// Answers: may the Kubernetes Node a Pod runs on go away soon? Asked by name and only while somebody may have to go, so
// that no watch over all Nodes has to be paid for. Remembers for half a minute; decides nothing.

import type { HostState } from '@marekvs/planner';
import { type Clock, isForbidden, isNotFound, type KubeClient, nodes } from '@marekvs/runtime';
import { isBeingEmptied } from './drain-taints.ts';
import { createSharedAnswers, type Found } from './shared-answers.ts';

export interface Hosts {
  /** What is known of these hosts now; what is not known yet, or not any more, is asked for in the background.
   *  Cheap. */
  ask(clusterKey: string, names: readonly string[]): ReadonlyMap<string, HostState>;
  /** Runs until aborted. Until then, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface HostsOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Clock;
  /** Keys of taints that say that a host is drained, beside those that are known. @default none */
  readonly taints?: ReadonlySet<string> | undefined;
  /** The answer about one of a cluster's hosts has changed: reconcile the cluster again. */
  readonly onAnswer: (clusterKey: string) => void;
}

/** An answer is asked for again when it is so old, and stands meanwhile for as long again. */
export const REMEMBERED_MS = 30_000;
/** Who may not read Nodes, as in a namespaced installation, will not be allowed to soon. */
export const FORBIDDEN_MS = 600_000;
export const FAILED_MS = 5_000;
/** A host nobody asked about for so long is forgotten. */
const FORGET_MS = 900_000;
const GET_LIMIT_MS = 5_000;

export function createHosts({ client, clock, taints, onAnswer }: HostsOptions): Hosts {
  const answers = createSharedAnswers<HostState>({ clock, read, onAnswer, forgetMs: FORGET_MS });

  /** An old answer stands while it is asked for again, so that no decision flickers; a very old one says nothing. */
  async function read(name: string, signal: AbortSignal): Promise<Found<HostState>> {
    const { state, freshMs } = await stateOf(name, signal);
    return { answer: state, freshMs, standsMs: 2 * freshMs };
  }

  /** Never throws: who may not ask, or gets no answer, knows nothing. */
  async function stateOf(name: string, signal: AbortSignal): Promise<{ state: HostState; freshMs: number }> {
    try {
      const host = await client.get(nodes, { name }, { signal, timeoutMs: GET_LIMIT_MS });
      return { state: isBeingEmptied(host, taints) ? 'draining' : 'schedulable', freshMs: REMEMBERED_MS };
    } catch (error) {
      if (isNotFound(error)) return { state: 'gone', freshMs: REMEMBERED_MS };
      return { state: 'unknown', freshMs: isForbidden(error) ? FORBIDDEN_MS : FAILED_MS };
    }
  }

  return {
    ask: (clusterKey, names) => new Map(names.map((name) => [name, answers.ask(clusterKey, name) ?? 'notAsked'])),
    run: answers.run,
  };
}
