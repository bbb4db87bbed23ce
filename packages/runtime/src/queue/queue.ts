// The work queue: which keys to reconcile, and when. A key is queued at most once, never runs twice at once, and runs
// again when it was added while it ran. Holds keys only, never objects or events. fair-ready.ts picks the next.

import { namespaceOf } from '../objects/kinds.ts';
import { type BackoffOptions, createBackoff } from '../time/backoff.ts';
import type { Clock } from '../time/clock.ts';
import { createDelays, type Delay } from './delays.ts';
import { createFairReady, type Priority, type Ticket } from './fair-ready.ts';
import { createFifo } from './fifo.ts';

export type { Priority } from './fair-ready.ts';

export interface AddOptions {
  /** Low is for initial lists and for requeues after a time. A key added with both is high. @default 'high' */
  readonly priority?: Priority;
  /** Milliseconds from now before the key may run; of several adds the earliest time counts. @default 0 */
  readonly afterMs?: number;
}

/** A key handed out by `take`. */
export interface Taken {
  readonly key: string;
  /** Milliseconds between being ready and being taken. */
  readonly waitMs: number;
  /** Failed runs in a row. */
  readonly failures: number;
}

/** What metrics want to know as it happens. All are called synchronously and must not throw. */
export interface QueueHooks {
  added?(priority: Priority): void;
  started?(waitMs: number, priority: Priority): void;
  retried?(delayMs: number): void;
}

export interface QueueStats {
  readonly high: number;
  readonly low: number;
  readonly delayed: number;
  readonly running: number;
  /** Milliseconds the longest waiting ready key has waited; 0 when none waits. */
  readonly oldestWaitMs: number;
}

export interface QueueOptions {
  readonly clock: Clock;
  /** Keys running at once. @default 16 */
  readonly concurrency?: number;
  /** Minimum milliseconds between two starts of one key: the first add of a burst starts a run at once, the rest share
   *  another. @default 200 */
  readonly minIntervalMs?: number;
  /** Milliseconds. A failing key that gets an event starts again after its backoff or this time since its last start,
   *  whichever is less: a repair is noticed soon, and a key that triggers itself cannot spin. @default 2000 */
  readonly failingIntervalMs?: number;
  /** A low key becomes high after this wait. @default 1000 */
  readonly ageAfterMs?: number;
  readonly backoff?: BackoffOptions;
  readonly hooks?: QueueHooks;
  /** Called whenever a key became ready. Must not call `take` synchronously. */
  readonly onReady?: () => void;
}

export interface WorkQueue {
  /** Queues the key. Cheap when it is queued already. Ignored after `close`. */
  add(key: string, options?: AddOptions): void;
  /** The next key to run, or undefined. Every key taken is given back with exactly one `done` or `retry`. */
  take(): Taken | undefined;
  /** The run succeeded: its failures are forgotten. */
  done(key: string): void;
  /** The run failed: the key comes back after its backoff. @returns that delay in milliseconds */
  retry(key: string): number;
  stats(): QueueStats;
  /** Keys known for any reason: waiting, delayed, running, or within their minimum interval. */
  readonly size: number;
  /** Removes matching keys that wait or are delayed. A matching key that runs is not run again for earlier adds. */
  forget(isMeant: (key: string) => boolean): void;
  /** Drops every key that is not running and ignores further adds. */
  close(): void;
}

interface Entry {
  readonly key: string;
  readonly group: string;
  /** Set while ready. */
  ticket: Ticket | undefined;
  /** Set while delayed. */
  delay: Delay<Entry> | undefined;
  isRunning: boolean;
  /** While running: when the key should run again; Infinity when it should not. */
  againAtMs: number;
  priority: Priority;
  lastStartMs: number;
  failures: number;
  backoffMs: number;
  isInRecent: boolean;
}

/** Keys that have waited this long take every second start, oldest first, whatever their priority and group. */
const MAX_WAIT_MS = 10_000;

export function createQueue(options: QueueOptions): WorkQueue {
  const { clock, concurrency = 16, minIntervalMs = 200, failingIntervalMs = 2000 } = options;
  const { ageAfterMs = 1000, hooks = {}, onReady = () => {} } = options;
  const backoff = createBackoff(options.backoff);
  const entries = new Map<string, Entry>();
  const ready = createFairReady({ concurrency, ageAfterMs, maxWaitMs: MAX_WAIT_MS });
  const delays = createDelays<Entry>(clock, (entry, nowMs) => makeReady(entry, nowMs));
  /** Idle entries, kept only because their minimum interval may not be over. */
  const recent = createFifo<Entry>();
  let isClosed = false;

  function want(entry: Entry, wantedAtMs: number, nowMs: number): void {
    const intervalMs = Math.max(minIntervalMs, Math.min(entry.backoffMs, failingIntervalMs));
    const atMs = Math.max(wantedAtMs, entry.lastStartMs + intervalMs);
    if (entry.delay !== undefined && entry.delay.atMs <= atMs) return;
    if (entry.delay !== undefined) delays.cancel(entry.delay);
    if (atMs <= nowMs) makeReady(entry, nowMs);
    else entry.delay = delays.start(entry, atMs);
  }

  function makeReady(entry: Entry, nowMs: number): void {
    const { key, priority } = entry;
    entry.delay = undefined;
    entry.ticket = { key, group: entry.group, readyAtMs: nowMs, priority, isWaiting: true };
    ready.push(entry.ticket);
    onReady();
  }

  function entryOf(key: string, priority: Priority): Entry {
    let entry = entries.get(key);
    if (entry === undefined) {
      // Namespaces are the tenants of a process; they take turns.
      entry = createEntry(key, namespaceOf(key), priority);
      entries.set(key, entry);
    } else if (isIdle(entry)) {
      entry.priority = priority;
    }
    return entry;
  }

  function running(key: string): Entry {
    const entry = entries.get(key);
    if (entry === undefined || !entry.isRunning) throw new Error(`give back ${key}: it is not running`);
    return entry;
  }

  /** Ends a run. @param wantedAtMs when the key should run again; Infinity when it should not */
  function finish(entry: Entry, wantedAtMs: number, nowMs: number): void {
    entry.isRunning = false;
    entry.againAtMs = Number.POSITIVE_INFINITY;
    ready.finished(entry.group);
    if (isClosed) entries.delete(entry.key);
    else if (wantedAtMs < Number.POSITIVE_INFINITY) want(entry, wantedAtMs, nowMs);
    else rest(entry, nowMs);
    if (!isClosed && ready.waiting('high') + ready.waiting('low') > 0) onReady();
  }

  function rest(entry: Entry, nowMs: number): void {
    if (entry.lastStartMs + minIntervalMs <= nowMs) {
      if (!entry.isInRecent) entries.delete(entry.key);
    } else if (!entry.isInRecent) {
      entry.isInRecent = true;
      recent.push(entry);
    }
    forgetRested(nowMs);
  }

  function forgetRested(nowMs: number): void {
    for (let entry = recent.peek(); entry !== undefined; entry = recent.peek()) {
      const isOver = entry.lastStartMs + minIntervalMs <= nowMs;
      if (isIdle(entry) && !isOver) return;
      recent.shift();
      entry.isInRecent = false;
      if (isIdle(entry)) entries.delete(entry.key);
    }
  }

  return {
    add(key, { priority = 'high', afterMs = 0 } = {}) {
      if (isClosed) return;
      hooks.added?.(priority);
      const entry = entryOf(key, priority);
      if (priority === 'high' && entry.priority === 'low') {
        entry.priority = 'high';
        if (entry.ticket !== undefined) ready.promote(entry.ticket);
      }
      if (entry.ticket !== undefined) return;
      const nowMs = clock.steadyMs();
      if (entry.isRunning) entry.againAtMs = Math.min(entry.againAtMs, nowMs + afterMs);
      else want(entry, nowMs + afterMs, nowMs);
    },
    take() {
      const nowMs = clock.steadyMs();
      const ticket = ready.take(nowMs);
      const entry = ticket === undefined ? undefined : entries.get(ticket.key);
      if (ticket === undefined || entry === undefined) return undefined;
      entry.ticket = undefined;
      entry.isRunning = true;
      entry.lastStartMs = nowMs;
      const waitMs = nowMs - ticket.readyAtMs;
      hooks.started?.(waitMs, ticket.priority);
      return { key: entry.key, waitMs, failures: entry.failures };
    },
    done(key) {
      const entry = running(key);
      entry.failures = 0;
      entry.backoffMs = 0;
      finish(entry, entry.againAtMs, clock.steadyMs());
    },
    retry(key) {
      const entry = running(key);
      const nowMs = clock.steadyMs();
      entry.failures++;
      entry.backoffMs = backoff(entry.failures);
      const { backoffMs } = entry;
      hooks.retried?.(backoffMs);
      finish(entry, Math.min(entry.againAtMs, nowMs + backoffMs), nowMs);
      return backoffMs;
    },
    stats() {
      const oldest = ready.oldestReadyAtMs();
      return {
        high: ready.waiting('high'),
        low: ready.waiting('low'),
        delayed: delays.size,
        running: ready.running,
        oldestWaitMs: oldest === undefined ? 0 : clock.steadyMs() - oldest,
      };
    },
    get size() {
      return entries.size;
    },
    forget(isMeant) {
      for (const entry of entries.values()) {
        if (!isMeant(entry.key)) continue;
        entry.againAtMs = Number.POSITIVE_INFINITY;
        entry.failures = 0;
        entry.backoffMs = 0;
        if (entry.delay !== undefined) delays.cancel(entry.delay);
        entry.delay = undefined;
        if (entry.ticket !== undefined) ready.withdraw(entry.ticket);
        entry.ticket = undefined;
        if (!entry.isRunning && !entry.isInRecent) entries.delete(entry.key);
      }
    },
    close() {
      isClosed = true;
      delays.cancelAll();
      ready.clear();
      for (const entry of entries.values()) if (!entry.isRunning) entries.delete(entry.key);
    },
  };
}

function createEntry(key: string, group: string, priority: Priority): Entry {
  return {
    key,
    group,
    ticket: undefined,
    delay: undefined,
    isRunning: false,
    againAtMs: Number.POSITIVE_INFINITY,
    priority,
    lastStartMs: Number.NEGATIVE_INFINITY,
    failures: 0,
    backoffMs: 0,
    isInRecent: false,
  };
}

function isIdle(entry: Entry): boolean {
  return !entry.isRunning && entry.ticket === undefined && entry.delay === undefined;
}
