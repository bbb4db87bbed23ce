// Answers: in which namespaces may the operator act now? Each wanted one has a life of its own (namespace-life.ts).
// This file knows which are wanted, limits how many start at a time, and reports on all of them.

import { type Clock, createBackoff, type Logger, untilAborted } from '@marekvs/runtime';
import { createNamespaceLife, type NamespaceLife, type NamespaceParts, type NamespaceState } from './namespace-life.ts';

export type { NamespaceParts, NamespaceState } from './namespace-life.ts';

export interface NamespaceKeeperOptions {
  readonly parts: NamespaceParts;
  readonly clock: Clock;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly logger: Logger;
  /** A namespace has been started or refused. */
  readonly onBegun?: () => void;
}

export interface RefusedNamespace {
  readonly namespace: string;
  readonly why: string;
}

export interface NamespaceKeeper {
  /** Sets the namespaces that are to be managed. */
  want(namespaces: readonly string[]): void;
  /** Whether the operator may act there now. Synchronous, for every pass and every write. */
  mayAct(namespace: string): boolean;
  /** The API server has refused a watch there: a permission may have been removed. */
  doubt(namespace: string, why: string): void;
  /** A cluster or a node has appeared there or gone. */
  changed(namespace: string): void;
  counts(): Readonly<Record<NamespaceState, number>>;
  /** Sorted by name. */
  refused(): readonly RefusedNamespace[];
  /** How many are wanted beyond the limit of one process. */
  readonly excess: number;
  /** The number of watch streams that all this takes. */
  readonly streams: number;
  /** Whether every wanted namespace has been started or refused. */
  readonly isSettled: boolean;
  /** Runs until aborted. After that, nothing may be done anywhere. */
  run(signal: AbortSignal): Promise<void>;
}

/** One stream per empty namespace. More namespaces are reported, and not managed. */
export const MAX_NAMESPACES = 1_000;
/** Caches, and so streams, of a namespace with a cluster. */
export const STREAMS_EACH = 8;
const MAX_STARTING = 8;
/** However many are refused, at most two a second are tried again. */
const REFUSED_SPACING_MS = 500;

export function createNamespaceKeeper(options: NamespaceKeeperOptions): NamespaceKeeper {
  const { parts, clock, random, logger, onBegun = () => {} } = options;
  const backoff = createBackoff({ baseMs: 5_000, maxMs: 300_000, jitter: 0.2, random });
  const entries = new Map<string, NamespaceLife>();
  let running: AbortSignal | undefined;
  let excess = 0;

  const countOf = (state: NamespaceState): number => [...entries.values()].filter((one) => one.state === state).length;

  function add(namespace: string): void {
    const life = createNamespaceLife(namespace, {
      parts,
      clock,
      logger,
      retryInMs: (failures) => Math.max(backoff(failures), countOf('refused') * REFUSED_SPACING_MS),
      isOver: () => running?.aborted === true,
      onTurn: pump,
      onBegun,
      onLeft: left,
    });
    entries.set(namespace, life);
  }

  /** Starts as many as may start at a time. */
  function pump(): void {
    if (running === undefined || running.aborted) return;
    let free = MAX_STARTING - [...entries.values()].filter(({ isStarting }) => isStarting).length;
    for (const entry of entries.values()) {
      if (free <= 0) return;
      if (entry.state !== 'starting' || entry.isStarting) continue;
      free -= 1;
      entry.start();
    }
  }

  function left({ namespace, isWanted }: NamespaceLife): void {
    entries.delete(namespace);
    // Wanted again meanwhile: it starts like a new one.
    if (isWanted) add(namespace);
    pump();
  }

  return {
    want(namespaces) {
      // Present namespaces take precedence over many new ones.
      const known = namespaces.filter((name) => entries.has(name));
      const fresh = namespaces.filter((name) => !entries.has(name));
      const wanted = new Set([...known, ...fresh].slice(0, MAX_NAMESPACES));
      excess = namespaces.length - wanted.size;
      for (const entry of [...entries.values()]) {
        if (!wanted.has(entry.namespace)) entry.dismiss();
        else entry.isWanted = true;
      }
      for (const name of wanted) if (!entries.has(name)) add(name);
      pump();
    },
    mayAct: (namespace) => entries.get(namespace)?.state === 'held',
    doubt: (namespace, why) => entries.get(namespace)?.doubt(why),
    changed: (namespace) => entries.get(namespace)?.changed(),
    counts() {
      const counts = { starting: 0, quiet: 0, held: 0, refused: 0, leaving: 0 };
      for (const { state } of entries.values()) counts[state] += 1;
      return counts;
    },
    refused: () =>
      [...entries.values()]
        .filter(({ state, why }) => state === 'refused' || (state === 'starting' && why !== ''))
        .map(({ namespace, why }) => ({ namespace, why }))
        .sort((a, b) => (a.namespace < b.namespace ? -1 : 1)),
    get excess() {
      return excess;
    },
    get streams() {
      return countOf('held') * STREAMS_EACH + countOf('quiet');
    },
    get isSettled() {
      return countOf('starting') === 0;
    },
    async run(signal) {
      running = signal;
      pump();
      await untilAborted(signal);
      for (const entry of entries.values()) entry.end(signal.reason);
      entries.clear();
    },
  };
}
