// The life of one namespace that is managed, as at a start: rights first, then caches, then passes. One without rights
// is asked about again, ever more seldom; one in which no cluster is has a single watch, for clusters; one that is not
// wanted any more is let go without a write.

import { type Clock, errorText, GrantLostError, type Logger, type Timer, unlessAborted } from '@marekvs/runtime';

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

export interface NamespaceLifeOptions {
  readonly parts: NamespaceParts;
  readonly clock: Clock;
  readonly logger: Logger;
  /** When one that was refused so often in a row is asked about again. */
  readonly retryInMs: (failures: number) => number;
  /** The process has ended: nothing is begun again. */
  readonly isOver: () => boolean;
  /** It waits to be started, or has made room for others. */
  readonly onTurn: () => void;
  /** It has been begun, as far as it could be. */
  readonly onBegun: () => void;
  /** Nothing of it is left. */
  readonly onLeft: (life: NamespaceLife) => void;
}

export interface NamespaceLife {
  readonly namespace: string;
  readonly state: NamespaceState;
  /** Why it was refused last; empty since it was begun. */
  readonly why: string;
  /** In its turn: rights are asked, caches are filled. */
  readonly isStarting: boolean;
  /** While it leaves: wanted again, so that it begins anew afterwards. */
  isWanted: boolean;
  /** Takes its turn. */
  start(): void;
  /** From this moment on nothing is done there. */
  dismiss(): void;
  /** The API server has refused a watch there: rights may have been taken away. */
  doubt(why: string): void;
  /** A cluster or a node came there, or went. */
  changed(): void;
  /** With the process. */
  end(reason: unknown): void;
}

/** Whatever hangs makes room for others. */
const START_LIMIT_MS = 60_000;
const QUIET_AFTER_MS = 60_000;
const DOUBT_SPACING_MS = 30_000;
const MAX_WHY_LENGTH = 300;

export function createNamespaceLife(namespace: string, options: NamespaceLifeOptions): NamespaceLife {
  const { parts, clock, logger, onTurn } = options;
  let state: NamespaceState = 'starting';
  let isStarting = false;
  let failures = 0;
  let why = '';
  let doubtedMs = Number.NEGATIVE_INFINITY;
  let timer: Timer | undefined;
  /** Ends what is under way for it. */
  let stop = new AbortController();

  async function start(): Promise<void> {
    isStarting = true;
    const end = stop;
    const { signal } = end;
    const limit = clock.after(START_LIMIT_MS, () =>
      end.abort(new Error(`not complete within ${START_LIMIT_MS / 1_000} s`)),
    );
    try {
      const missing = await unlessAborted(parts.missing(namespace, signal), signal);
      if (missing.length > 0) throw new Error(`may not ${missing.join('; ')}`);
      await unlessAborted(parts.follow(namespace, 'little'), signal);
      const isQuiet = !parts.hasAny(namespace);
      if (!isQuiet) await unlessAborted(parts.follow(namespace, 'all'), signal);
      begun(isQuiet);
    } catch (error) {
      refuse(error);
    } finally {
      limit.cancel();
      isStarting = false;
      if (state === 'leaving') void leave();
      onTurn();
      options.onBegun();
    }
  }

  function begun(isQuiet: boolean): void {
    // Not wanted any more while it was begun.
    if (state !== 'starting') return;
    failures = 0;
    why = '';
    state = isQuiet ? 'quiet' : 'held';
    if (isQuiet) {
      parts.followLess(namespace);
      return;
    }
    logger.info('Looks after a namespace', { namespace });
    parts.reconcile(namespace);
  }

  function refuse(error: unknown): void {
    if (state === 'leaving' || options.isOver()) return;
    const text = errorText(error).slice(0, MAX_WHY_LENGTH);
    parts.unfollow(namespace);
    state = 'refused';
    stop = new AbortController();
    failures += 1;
    const retryInMs = options.retryInMs(failures);
    if (text !== why) logger.warn('Does not look after a namespace', { namespace, why: text, retryInMs });
    why = text;
    timer = clock.after(retryInMs, () => {
      timer = undefined;
      state = 'starting';
      onTurn();
    });
  }

  function stopTimer(): void {
    timer?.cancel();
    timer = undefined;
  }

  async function leave(): Promise<void> {
    await parts.letGo(namespace, notLookedAfter());
    parts.unfollow(namespace);
    logger.info('Has let go of a namespace', { namespace });
    options.onLeft(life);
  }

  function notLookedAfter(): GrantLostError {
    return new GrantLostError(`namespace ${namespace} is not looked after any more`);
  }

  function isFollowed(): boolean {
    return state === 'held' || state === 'quiet';
  }

  /** Held, and rights are missing: as if it had never been begun. */
  async function suspend(reason: string): Promise<void> {
    if (!isFollowed()) return;
    stopTimer();
    state = 'starting';
    isStarting = true;
    await parts.letGo(namespace, new GrantLostError(reason));
    isStarting = false;
    if (isToLeave()) void leave();
    else refuse(new Error(reason));
    onTurn();
  }

  /** Asked anew: it may have changed while something was awaited. */
  function isToLeave(): boolean {
    return state === 'leaving';
  }

  async function ask(): Promise<void> {
    try {
      const missing = await parts.missing(namespace, stop.signal);
      if (missing.length > 0) await suspend(`may not ${missing.join('; ')}`);
    } catch (err) {
      // Nothing is known: it stays as it is, and the watch that is refused says so again.
      logger.debug('Asking for rights failed', { namespace, err });
    }
  }

  function rest(): void {
    timer = undefined;
    if (state !== 'held' || parts.hasAny(namespace)) return;
    state = 'quiet';
    parts.followLess(namespace);
  }

  const life: NamespaceLife = {
    namespace,
    get state() {
      return state;
    },
    get why() {
      return why;
    },
    get isStarting() {
      return isStarting;
    },
    isWanted: true,
    start: () => void start(),
    dismiss() {
      life.isWanted = false;
      if (state === 'leaving') return;
      stopTimer();
      state = 'leaving';
      stop.abort(notLookedAfter());
      // What is being begun ends first, and leaves then.
      if (!isStarting) void leave();
    },
    doubt(reason) {
      if (isStarting && state === 'starting') stop.abort(new Error(reason));
      if (!isFollowed() || clock.steadyMs() - doubtedMs < DOUBT_SPACING_MS) return;
      doubtedMs = clock.steadyMs();
      void ask();
    },
    changed() {
      if (state === 'quiet' && parts.hasAny(namespace)) {
        state = 'starting';
        onTurn();
      } else if (state === 'held' && timer === undefined && !parts.hasAny(namespace))
        timer = clock.after(QUIET_AFTER_MS, rest);
    },
    end(reason) {
      timer?.cancel();
      stop.abort(reason);
    },
  };
  return life;
}
