// Ownership mode `single` (docs/design/contract.md#ownership): one Lease, one holder, standbys that watch it.
// Does not fence writes: that is what preconditions are for. lease-view.ts decides when a lease may be taken, term.ts
// how long a grant lasts.

import { isAlreadyExists, isConflict, isNotFound } from '../errors/errors.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { untilAborted } from '../time/aborted.ts';
import { type Clock, systemClock, type Timer } from '../time/clock.ts';
import { withTimeLimit } from '../time/time-limit.ts';
import type { Ownership, OwnershipChange } from './grant.ts';
import type { LeaseFeed } from './lease-feed.ts';
import {
  type LeaseApi,
  type LeaseIdentity,
  type LeaseNotes,
  type LeaseRecord,
  placeholderSpec,
  releasedSpec,
  renewedSpec,
} from './lease-record.ts';
import { createLeaseView, isTakenFrom, type LeaseMove, leaseTiming, ownValidityMs } from './lease-view.ts';
import { createListeners } from './listeners.ts';
import { createTerm, type Term } from './term.ts';

/** Called synchronously, must not throw. */
export interface LeaderElectionHooks {
  leading?(isLeading: boolean): void;
  renewed?(durationMs: number): void;
  failed?(): void;
}

export interface LeaderElectionOptions {
  readonly api: LeaseApi;
  readonly feed: LeaseFeed;
  readonly identity: LeaseIdentity;
  /** The same for all replicas. @default 15000 */
  readonly leaseMs?: number;
  /** Between two renewals. @default 4000 */
  readonly renewMs?: number;
  /** @default 0.03 */
  readonly clockRateError?: number;
  /** @default 1500 */
  readonly marginMs?: number;
  readonly clock?: Clock;
  /** Uniform in [0, 1). @default Math.random */
  readonly random?: () => number;
  readonly logger?: Logger;
  readonly hooks?: LeaderElectionHooks;
  /** Annotations that the holder writes on the lease. Called for each write, with the version that it replaces. */
  readonly notes?: (previous: LeaseRecord | undefined) => LeaseNotes;
  /** False: a lease that this replica does not hold is not taken for now. Asked again every second.
   *  @default always true */
  readonly mayTake?: () => boolean;
  /** Log messages for the beginning and the end of a term. @default those of a leader */
  readonly lines?: { readonly begun: string; readonly ended: string };
}

export interface LeaderElection extends Ownership {
  readonly name: string;
  /** Milliseconds of validity left; 0 when not leading. */
  leftMs(): number;
  /** The version of the lease with which the current term began; undefined without a term. */
  readonly termVersion: string | undefined;
  /** Writes the lease now, if this replica holds it, because its annotations have changed. */
  renewNow(): void;
}

/** Between two attempts after a failed one, while leading. */
const RETRY_MS = 1000;
/** Longest wait of a failing standby between attempts. */
const MAX_RETRY_MS = 8000;
const RELEASE_ATTEMPTS = 3;
/** Less is too short for a round trip to a busy API server. */
const MIN_LIMIT_MS = 1000;

/** Costs when idle: the leader 60000/renewMs updates a minute, a standby nothing but the feed's watch.
 *  @throws RangeError when the times leave no room for two renewals within one validity */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { api, feed, identity, renewMs = 4000, clock = systemClock, random = Math.random } = options;
  const { logger = silentLogger, hooks = {}, notes, mayTake = () => true } = options;
  const { lines = { begun: 'Became leader', ended: 'Stopped leading' } } = options;
  const timing = leaseTiming(options);
  const { leaseMs, marginMs } = timing;
  if (leaseMs - marginMs < 2 * renewMs + RETRY_MS) {
    throw new RangeError(
      `lease of ${leaseMs} ms: too short for renewals every ${renewMs} ms and a margin of ${marginMs} ms`,
    );
  }
  const view = createLeaseView(identity, timing);
  const listeners = createListeners<OwnershipChange>('ownership changes', logger);
  let term: Term | undefined;
  let termVersion: string | undefined;
  let nextRenewMs = 0;
  let failures = 0;
  /** Consecutive writes that were refused because the lease had changed. */
  let surprises = 0;
  /** The annotations have changed since the last successful write was built. */
  let hasNews = false;
  /** Only a live read can tell the state of the lease. */
  let mustRead = true;
  let isLeaving = false;
  let release: Promise<void> | undefined;
  let loop: Promise<void> = Promise.resolve();
  let wake = (): void => {};

  const validUntilMs = (): number => (term === undefined || term.isOver ? Number.NEGATIVE_INFINITY : term.validUntilMs);

  function note(record: LeaseRecord | undefined, isLive: boolean): boolean {
    const isNews = view.note(record, clock.monotonicMs(), isLive);
    if (isNews && isTakenFrom(identity, record)) term?.end(`the lease names ${record?.holder || 'nobody'}`);
    return isNews;
  }

  function onFeed(record: LeaseRecord | undefined): void {
    // A late delete event may be about the lease before ours: confirm it by a live read before giving up a valid term.
    if (record === undefined && validUntilMs() > clock.monotonicMs()) mustRead = true;
    else note(record, false);
    wake();
  }

  function lead(record: LeaseRecord, sentAtMs: number): void {
    const untilMs = sentAtMs + ownValidityMs(timing);
    nextRenewMs = sentAtMs + renewMs * (0.95 + 0.1 * random());
    // No term begins from a placeholder, from an answer older than what the feed has shown, or from an answer that came
    // too late to be valid. The next write will tell.
    if (!note(record, false) || record.holder !== identity.text || untilMs <= clock.monotonicMs()) return;
    if (isLeaving) return;
    // An expired term has to end before the next begins, or its signal would come back to life.
    if (term?.grant() !== undefined) {
      term.extend(untilMs);
      return;
    }
    term = createTerm(clock, untilMs, onTermEnd);
    termVersion = record.resourceVersion;
    logger.info(lines.begun, { lease: record.name, transitions: record.transitions });
    hooks.leading?.(true);
    listeners.emit({ gained: [0], lost: [] });
  }

  function onTermEnd(why: string): void {
    logger.warn(lines.ended, { why });
    hooks.leading?.(false);
    listeners.emit({ gained: [], lost: [0] });
  }

  async function attempt(move: LeaseMove): Promise<void> {
    const sentAtMs = clock.monotonicMs();
    if (move.kind === 'read') {
      note(await limited((signal) => api.read(signal)), true);
      mustRead = false;
      return;
    }
    const wallMs = clock.nowMs();
    const wasNews = hasNews;
    hasNews = false;
    const record = await limited((signal) =>
      move.kind === 'create'
        ? api.create(placeholderSpec(identity, leaseMs, wallMs), signal, notes?.(undefined))
        : api.update(move.record, renewedSpec(move.record, identity, leaseMs, wallMs), signal, notes?.(move.record)),
    ).catch((error: unknown) => {
      hasNews ||= wasNews;
      throw error;
    });
    surprises = 0;
    hooks.renewed?.(clock.monotonicMs() - sentAtMs);
    lead(record, sentAtMs);
  }

  /** While leading, three attempts have to fit into the remaining validity (F1: 5 s of silence demote no leader). */
  function limited<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const leftMs = validUntilMs() - clock.monotonicMs();
    const limitMs = leftMs > 0 ? Math.min(renewMs, Math.max(MIN_LIMIT_MS, leftMs / 3)) : renewMs;
    return withTimeLimit(clock, limitMs, call);
  }

  function nextMove(): { move: LeaseMove; dueMs: number } {
    if (mustRead) return { move: { kind: 'read' }, dueMs: 0 };
    const move = view.next();
    if (move.kind === 'read') return { move, dueMs: 0 };
    const isRenewal = move.kind === 'take' && move.isOurs;
    if (!isRenewal && !mayTake()) return { move, dueMs: clock.monotonicMs() + RETRY_MS };
    return { move, dueMs: isRenewal && !hasNews ? Math.max(nextRenewMs, move.notBeforeMs) : move.notBeforeMs };
  }

  async function takePart(): Promise<void> {
    let notBeforeMs = 0;
    while (!isLeaving) {
      const { move, dueMs } = nextMove();
      const atMs = Math.max(dueMs, notBeforeMs);
      if (atMs > clock.monotonicMs()) {
        await sleepUntil(atMs);
        continue;
      }
      try {
        await attempt(move);
        failures = 0;
        notBeforeMs = 0;
      } catch (error) {
        notBeforeMs = clock.monotonicMs() + onFailure(error);
      }
    }
  }

  /** @returns milliseconds to wait before the next attempt */
  function onFailure(error: unknown): number {
    if (isConflict(error) || isNotFound(error) || isAlreadyExists(error)) {
      // The lease has changed. A renewal whose answer was lost shows up here, too.
      mustRead = true;
      return surprises++ === 0 ? 0 : RETRY_MS;
    }
    failures++;
    hooks.failed?.();
    const isLeading = validUntilMs() > clock.monotonicMs();
    const delayMs = isLeading ? RETRY_MS : Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** Math.min(failures - 1, 10));
    if (failures === 1) logger.warn('Writing the lease failed, trying again', { isLeading, err: error });
    else logger.debug('Writing the lease failed again', { isLeading, failures, err: error });
    return delayMs * (0.8 + 0.4 * random());
  }

  function sleepUntil(atMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer: Timer = clock.after(atMs - clock.monotonicMs(), () => resolve());
      wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  function leave(): Promise<void> {
    release ??= (async () => {
      isLeaving = true;
      term?.end('leaving');
      wake();
      await loop;
      await giveBack();
    })();
    return release;
  }

  /** Reads the lease live and clears the holder only if it is this replica: memory may be long out of date (F36). */
  async function giveBack(): Promise<void> {
    for (let left = RELEASE_ATTEMPTS; left > 0; left--) {
      try {
        const record = await limited((signal) => api.read(signal));
        if (record === undefined || record.holder !== identity.text) return;
        await limited((signal) => api.update(record, releasedSpec(record, clock.nowMs()), signal));
        logger.info('Released the lease', { lease: record.name });
        return;
      } catch (error) {
        if (isConflict(error)) continue;
        logger.warn('Releasing the lease failed, it will run out', { err: error });
        return;
      }
    }
  }

  return {
    name: 'leader-election',
    async run(signal) {
      const stopObserving = feed.observe(onFeed);
      const onAbort = (): void => void leave();
      if (!signal.aborted) {
        signal.addEventListener('abort', onAbort, { once: true });
        loop = takePart();
        await loop;
        await untilAborted(signal);
      }
      stopObserving();
      await leave();
    },
    grant: () => (isLeaving ? undefined : term?.grant()),
    onChange: listeners.add,
    leave,
    leftMs: () => term?.grant()?.left() ?? 0,
    get termVersion() {
      return term?.grant() === undefined ? undefined : termVersion;
    },
    renewNow() {
      hasNews = true;
      wake();
    },
  };
}
