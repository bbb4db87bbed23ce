// Answers: may the Kubernetes Node of a Pod go away soon? Read by name, only while a member may have to be removed, so
// that no watch over all Nodes is needed. Remembers for half a minute; decides nothing.

import type { HostState } from '@marekvs/planner';
import { type Clock, isForbidden, isNotFound, type KubeClient, nodes } from '@marekvs/runtime';
import { createSharedAnswers, type Found } from '../background/shared-answers.ts';
import { ASK_LIMIT_MS, FAILED_MS, FORBIDDEN_MS } from '../pacing/paces.ts';
import { isBeingEmptied } from './drain-taints.ts';

export interface Hosts {
  /** The present state of these hosts. A missing or expired one is asked for in the background. Cheap. */
  ask(clusterKey: string, names: readonly string[]): ReadonlyMap<string, HostState>;
  /** Asks until aborted. Before it runs, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface HostsOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Clock;
  /** Keys of taints that mean that a host is drained, besides the known ones. @default none */
  readonly taints?: ReadonlySet<string> | undefined;
  /** The answer about one of a cluster's hosts has changed: reconcile the cluster again. */
  readonly onAnswer: (clusterKey: string) => void;
}

/** An answer is asked for again at this age, and is still used for as long again meanwhile. */
export const REMEMBERED_MS = 30_000;
/** A host that nobody asked about for this long is forgotten. */
const FORGET_MS = 900_000;

export function createHosts({ client, clock, taints, onAnswer }: HostsOptions): Hosts {
  const answers = createSharedAnswers<HostState>({ clock, read, onAnswer, forgetMs: FORGET_MS });

  /** An old answer is used while it is asked for again, so that no decision flickers; a very old one is not. */
  async function read(name: string, signal: AbortSignal): Promise<Found<HostState>> {
    const { state, freshMs } = await stateOf(name, signal);
    return { answer: state, freshMs, standsMs: 2 * freshMs };
  }

  /** Never throws: the state is `unknown` when the host may not be read, or there is no answer. */
  async function stateOf(name: string, signal: AbortSignal): Promise<{ state: HostState; freshMs: number }> {
    try {
      const host = await client.get(nodes, { name }, { signal, timeoutMs: ASK_LIMIT_MS });
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
