// The life of one managed namespace, like a start of the operator: first permissions, then caches, then passes. Without
// permissions it is tried again, ever more rarely. Without a cluster it has a single watch, for clusters. One that is
// no longer wanted is released without a write.

import { type Clock, errorText, GrantLostError, type Logger, type Timer, unlessAborted } from '@marekvs/runtime';

export type NamespaceState = 'starting' | 'quiet' | 'held' | 'refused' | 'leaving';

/** What is done elsewhere for one namespace. */
export interface NamespaceParts {
  /** The permissions that the operator needs there and does not have. */
  missing(namespace: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Watches only whether there is anything, or everything. Resolves when that is complete. */
  follow(namespace: string, how: 'little' | 'all'): Promise<void>;
  /** Whether a cluster or a node is there, as far as it is watched. */
  hasAny(namespace: string): boolean;
  /** From everything back to little. */
  followLess(namespace: string): void;
  unfollow(namespace: string): void;
  /** Requests a pass over every object there. */
  reconcile(namespace: string): void;
  /** Ends every pass there. Resolves when none is under way and nothing of it is queued or remembered. */
  letGo(namespace: string, reason: Error): Promise<void>;
}

export interface NamespaceLifeOptions {
  readonly parts: NamespaceParts;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Delay of the next try after so many refusals in a row. */
  readonly retryInMs: (failures: number) => number;
  /** True when the process ends: nothing is started again. */
  readonly isOver: () => boolean;
  /** The namespace waits to be started, or has made room for others. */
  readonly onTurn: () => void;
  /** The namespace has been started or refused. */
  readonly onBegun: () => void;
  /** The namespace has been released completely. */
  readonly onLeft: (life: NamespaceLife) => void;
}

export interface NamespaceLife {
  readonly namespace: string;
  readonly state: NamespaceState;
  /** Why it was refused last; empty once it has been started. */
  readonly why: string;
  /** True while permissions are checked and caches filled, or it is being suspended. */
  readonly isStarting: boolean;
  /** True while it is leaving: wanted again, so that it starts anew afterwards. */
  isWanted: boolean;
  /** Starts it now. */
  start(): void;
  /** Releases it: from this moment on nothing is done there. */
  dismiss(): void;
  /** The API server has refused a watch there: a permission may have been removed. */
  doubt(why: string): void;
  /** A cluster or a node has appeared there or gone. */
  changed(): void;
  /** Ends it together with the process. */
  end(reason: unknown): void;
}

/** A start that hangs makes room for others. */
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
  /** Aborts what is under way for it. */
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
    // It was dismissed while it was being started.
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
    if (text !== why) logger.warn('Does not manage a namespace', { namespace, why: text, retryInMs });
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
    await parts.letGo(namespace, notManaged());
    parts.unfollow(namespace);
    logger.info('Has let go of a namespace', { namespace });
    options.onLeft(life);
  }

  function notManaged(): GrantLostError {
    return new GrantLostError(`namespace ${namespace} is not managed any more`);
  }

  function isFollowed(): boolean {
    return state === 'held' || state === 'quiet';
  }

  /** A permission is missing while it is managed: back to the state before its start. */
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

  /** Read again, because it may have changed during an await. */
  function isToLeave(): boolean {
    return state === 'leaving';
  }

  async function ask(): Promise<void> {
    try {
      const missing = await parts.missing(namespace, stop.signal);
      if (missing.length > 0) await suspend(`may not ${missing.join('; ')}`);
    } catch (err) {
      // Nothing is known: the state stays, and the refused watch reports again.
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
      stop.abort(notManaged());
      // A start under way ends first, and leaves then.
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
