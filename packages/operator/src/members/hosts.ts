// Answers: may the Kubernetes Node a Pod runs on go away soon? Asked by name and only while somebody may have to go, so
// that no watch over all Nodes has to be paid for. Remembers for half a minute; decides nothing.

import type { HostState } from '@marekvs/planner';
import { type Clock, isForbidden, isNotFound, type KubeClient, nodes } from '@marekvs/runtime';
import { createBoundedWork } from './bounded-work.ts';
import { isBeingEmptied } from './drain-taints.ts';

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
const MAX_IN_FLIGHT = 4;

interface Entry {
  readonly name: string;
  state: HostState;
  /** When the answer came, and for how long it is fresh; steady. */
  atMs: number;
  freshMs: number;
  isAsking: boolean;
  askedAtMs: number;
  /** Clusters that were given an answer. */
  readonly clusters: Set<string>;
}

export function createHosts({ client, clock, taints, onAnswer }: HostsOptions): Hosts {
  const entries = new Map<string, Entry>();
  const due = createBoundedWork<Entry>(MAX_IN_FLIGHT, readHost);

  async function readHost(entry: Entry, signal: AbortSignal): Promise<void> {
    const shown = shownState(entry, clock.steadyMs());
    const answer = await answerFor({ client, taints }, entry.name, signal);
    entry.isAsking = false;
    if (signal.aborted) return;
    entry.state = answer.state;
    entry.freshMs = answer.freshMs;
    entry.atMs = clock.steadyMs();
    if (shown !== answer.state) for (const clusterKey of entry.clusters) onAnswer(clusterKey);
  }

  function entryOf(name: string): Entry {
    const known = entries.get(name);
    if (known !== undefined) return known;
    const fresh: Entry = {
      name,
      state: 'notAsked',
      atMs: Number.NEGATIVE_INFINITY,
      freshMs: 0,
      isAsking: false,
      askedAtMs: 0,
      clusters: new Set(),
    };
    entries.set(name, fresh);
    return fresh;
  }

  return {
    ask(clusterKey, names) {
      const nowMs = clock.steadyMs();
      for (const entry of entries.values()) if (nowMs - entry.askedAtMs > FORGET_MS) entries.delete(entry.name);
      const states = new Map<string, HostState>();
      for (const name of names) {
        const entry = entryOf(name);
        entry.askedAtMs = nowMs;
        entry.clusters.add(clusterKey);
        states.set(name, shownState(entry, nowMs));
        if (entry.isAsking || nowMs - entry.atMs < entry.freshMs) continue;
        entry.isAsking = true;
        due.add(entry);
      }
      return states;
    },
    run: due.run,
  };
}

/** An old answer stands while it is asked for again, so that no decision flickers; a very old one says nothing. */
function shownState({ state, atMs, freshMs }: Entry, nowMs: number): HostState {
  return nowMs - atMs < 2 * freshMs ? state : 'notAsked';
}

interface Answer {
  readonly state: HostState;
  readonly freshMs: number;
}

/** Never throws: who may not ask, or gets no answer, knows nothing. */
async function answerFor(
  { client, taints }: Pick<HostsOptions, 'client' | 'taints'>,
  name: string,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const host = await client.get(nodes, { name }, { signal, timeoutMs: GET_LIMIT_MS });
    return { state: isBeingEmptied(host, taints) ? 'draining' : 'schedulable', freshMs: REMEMBERED_MS };
  } catch (error) {
    if (isNotFound(error)) return { state: 'gone', freshMs: REMEMBERED_MS };
    return { state: 'unknown', freshMs: isForbidden(error) ? FORBIDDEN_MS : FAILED_MS };
  }
}
