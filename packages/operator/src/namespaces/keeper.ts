// Answers: in which namespaces may be acted now? Each that is wanted is begun by itself, as at a start: rights first,
// then caches, then passes. One without rights is asked about again, ever more seldom; one that is not wanted any more
// is let go without a write. One in which no cluster is has a single watch, for clusters.

import {
  type Clock,
  createBackoff,
  GrantLostError,
  type Logger,
  type Timer,
  unlessAborted,
  untilAborted,
} from '@marekvs/runtime';

export type NamespaceState = 'starting' | 'quiet' | 'held' | 'refused' | 'leaving';

/** What is done about one namespace elsewhere. */
export interface NamespaceParts {
  /** What this user may not do there, and has to. */
  missing(namespace: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Follows it: only whether there is anything, or all of it. Resolves when that is complete. */
  follow(namespace: string, how: 'little' | 'all'): Promise<void>;
  /** Whether a cluster or a node is there, as far as it is followed. */
  hasAny(namespace: string): boolean;
  /** From all to little. */
  followLess(namespace: string): void;
  unfollow(namespace: string): void;
  /** Wants a pass over everything there. */
  reconcile(namespace: string): void;
  /** Ends every pass there. Resolves when none is under way and nothing of it is wanted or remembered. */
  letGo(namespace: string, reason: Error): Promise<void>;
}

export interface NamespaceKeeperOptions {
  readonly parts: NamespaceParts;
  readonly clock: Clock;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly logger: Logger;
  /** One has been begun, as far as it could be. */
  readonly onBegun?: () => void;
}

export interface RefusedNamespace {
  readonly namespace: string;
  readonly why: string;
}

export interface NamespaceKeeper {
  /** All that are to be managed from now on. */
  want(namespaces: readonly string[]): void;
  /** Whether anything may be done there now. Synchronous, for every pass and every write. */
  mayAct(namespace: string): boolean;
  /** The API server has refused a watch there: rights may have been taken away. */
  doubt(namespace: string, why: string): void;
  /** A cluster or a node came there, or went. */
  changed(namespace: string): void;
  counts(): Readonly<Record<NamespaceState, number>>;
  /** In the order of their names. */
  refused(): readonly RefusedNamespace[];
  /** How many are wanted beyond what one process manages. */
  readonly excess: number;
  /** How many streams all this takes. */
  readonly streams: number;
  /** Whether each that is wanted has been begun, as far as it could be. */
  readonly isSettled: boolean;
  /** Runs until aborted; then nothing may be done anywhere. */
  run(signal: AbortSignal): Promise<void>;
}

/** A stream each, if nothing is there. More are reported, and not managed. */
export const MAX_NAMESPACES = 1_000;
/** Caches that one with a cluster takes. */
export const STREAMS_EACH = 8;
const MAX_STARTING = 8;
/** Whatever hangs makes room for others. */
const START_LIMIT_MS = 60_000;
const QUIET_AFTER_MS = 60_000;
/** However many are refused, no more than two a second are asked about. */
const REFUSED_SPACING_MS = 500;
const DOUBT_SPACING_MS = 30_000;
const MAX_WHY_LENGTH = 300;

interface Entry {
  readonly namespace: string;
  state: NamespaceState;
  /** In its turn: rights are asked, caches are filled. */
  isStarting: boolean;
  isWanted: boolean;
  failures: number;
  why: string;
  doubtedMs: number;
  timer: Timer | undefined;
  /** Ends what is under way for it. */
  end: AbortController;
}

export function createNamespaceKeeper({
  parts,
  clock,
  random,
  logger,
  onBegun = () => {},
}: NamespaceKeeperOptions): NamespaceKeeper {
  const backoff = createBackoff({ baseMs: 5_000, maxMs: 300_000, jitter: 0.2, random });
  const entries = new Map<string, Entry>();
  let running: AbortSignal | undefined;
  let excess = 0;

  const countOf = (state: NamespaceState): number => [...entries.values()].filter((one) => one.state === state).length;

  function add(namespace: string): void {
    entries.set(namespace, {
      namespace,
      state: 'starting',
      isStarting: false,
      isWanted: true,
      failures: 0,
      why: '',
      doubtedMs: Number.NEGATIVE_INFINITY,
      timer: undefined,
      end: new AbortController(),
    });
  }

  /** Begins as many as may be begun at a time. */
  function pump(): void {
    if (running === undefined || running.aborted) return;
    let free = MAX_STARTING - [...entries.values()].filter(({ isStarting }) => isStarting).length;
    for (const entry of entries.values()) {
      if (free <= 0) return;
      if (entry.state !== 'starting' || entry.isStarting) continue;
      free -= 1;
      void start(entry);
    }
  }

  async function start(entry: Entry): Promise<void> {
    const { namespace, end } = entry;
    entry.isStarting = true;
    const limit = clock.after(START_LIMIT_MS, () =>
      end.abort(new Error(`not complete within ${START_LIMIT_MS / 1_000} s`)),
    );
    try {
      const missing = await unlessAborted(parts.missing(namespace, end.signal), end.signal);
      if (missing.length > 0) throw new Error(`may not ${missing.join('; ')}`);
      await unlessAborted(parts.follow(namespace, 'little'), end.signal);
      const isQuiet = !parts.hasAny(namespace);
      if (!isQuiet) await unlessAborted(parts.follow(namespace, 'all'), end.signal);
      begun(entry, isQuiet);
    } catch (error) {
      refuse(entry, error);
    } finally {
      limit.cancel();
      entry.isStarting = false;
      if (entry.state === 'leaving') void leave(entry);
      pump();
      onBegun();
    }
  }

  function begun(entry: Entry, isQuiet: boolean): void {
    // Not wanted any more while it was begun.
    if (entry.state !== 'starting') return;
    entry.failures = 0;
    entry.why = '';
    entry.state = isQuiet ? 'quiet' : 'held';
    if (isQuiet) {
      parts.followLess(entry.namespace);
      return;
    }
    logger.info('Looks after a namespace', { namespace: entry.namespace });
    parts.reconcile(entry.namespace);
  }

  function refuse(entry: Entry, error: unknown): void {
    if (entry.state === 'leaving' || running?.aborted === true) return;
    const why = (error instanceof Error ? error.message : String(error)).slice(0, MAX_WHY_LENGTH);
    parts.unfollow(entry.namespace);
    entry.state = 'refused';
    entry.end = new AbortController();
    entry.failures += 1;
    const retryInMs = Math.max(backoff(entry.failures), countOf('refused') * REFUSED_SPACING_MS);
    if (why !== entry.why)
      logger.warn('Does not look after a namespace', { namespace: entry.namespace, why, retryInMs });
    entry.why = why;
    entry.timer = clock.after(retryInMs, () => {
      entry.timer = undefined;
      entry.state = 'starting';
      pump();
    });
  }

  /** From this moment on nothing is done there. */
  function dismiss(entry: Entry): void {
    entry.isWanted = false;
    if (entry.state === 'leaving') return;
    entry.timer?.cancel();
    entry.timer = undefined;
    entry.state = 'leaving';
    const reason = new GrantLostError(`namespace ${entry.namespace} is not looked after any more`);
    entry.end.abort(reason);
    // What is being begun ends first, and leaves then.
    if (!entry.isStarting) void leave(entry);
  }

  async function leave(entry: Entry): Promise<void> {
    const { namespace } = entry;
    await parts.letGo(namespace, new GrantLostError(`namespace ${namespace} is not looked after any more`));
    parts.unfollow(namespace);
    logger.info('Has let go of a namespace', { namespace });
    entries.delete(namespace);
    // Wanted again meanwhile: it begins as one that is new.
    if (entry.isWanted) add(namespace);
    pump();
  }

  /** Held, and rights are missing: as if it had never been begun. */
  async function suspend(entry: Entry, why: string): Promise<void> {
    if (entry.state !== 'held' && entry.state !== 'quiet') return;
    entry.timer?.cancel();
    entry.timer = undefined;
    entry.state = 'starting';
    entry.isStarting = true;
    await parts.letGo(entry.namespace, new GrantLostError(why));
    entry.isStarting = false;
    if (entry.state === 'starting') refuse(entry, new Error(why));
    else void leave(entry);
    pump();
  }

  async function ask(entry: Entry): Promise<void> {
    try {
      const missing = await parts.missing(entry.namespace, entry.end.signal);
      if (missing.length > 0) await suspend(entry, `may not ${missing.join('; ')}`);
    } catch (err) {
      // Nothing is known: it stays as it is, and the watch that is refused says so again.
      logger.debug('Asking for rights failed', { namespace: entry.namespace, err });
    }
  }

  function rest(entry: Entry): void {
    entry.timer = undefined;
    if (entry.state !== 'held' || parts.hasAny(entry.namespace)) return;
    entry.state = 'quiet';
    parts.followLess(entry.namespace);
  }

  return {
    want(namespaces) {
      // Those that are there already stay before others that are many.
      const known = namespaces.filter((name) => entries.has(name));
      const fresh = namespaces.filter((name) => !entries.has(name));
      const wanted = new Set([...known, ...fresh].slice(0, MAX_NAMESPACES));
      excess = namespaces.length - wanted.size;
      for (const entry of [...entries.values()]) {
        if (!wanted.has(entry.namespace)) dismiss(entry);
        else entry.isWanted = true;
      }
      for (const name of wanted) if (!entries.has(name)) add(name);
      pump();
    },
    mayAct: (namespace) => entries.get(namespace)?.state === 'held',
    doubt(namespace, why) {
      const entry = entries.get(namespace);
      if (entry === undefined) return;
      if (entry.isStarting && entry.state === 'starting') entry.end.abort(new Error(why));
      if (entry.state !== 'held' && entry.state !== 'quiet') return;
      if (clock.steadyMs() - entry.doubtedMs < DOUBT_SPACING_MS) return;
      entry.doubtedMs = clock.steadyMs();
      void ask(entry);
    },
    changed(namespace) {
      const entry = entries.get(namespace);
      if (entry === undefined) return;
      if (entry.state === 'quiet' && parts.hasAny(namespace)) {
        entry.state = 'starting';
        pump();
      } else if (entry.state === 'held' && entry.timer === undefined && !parts.hasAny(namespace))
        entry.timer = clock.after(QUIET_AFTER_MS, () => rest(entry));
    },
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
      for (const { timer, end } of entries.values()) {
        timer?.cancel();
        end.abort(signal.reason);
      }
      entries.clear();
    },
  };
}
