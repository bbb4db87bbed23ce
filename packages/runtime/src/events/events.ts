// Records what happened as events.k8s.io/v1 objects. Best effort: a failed write is counted and never fails a pass.
// Only for transitions a person acts on; never one per retry.

import { type Logger, silentLogger } from '../log/logger.ts';
import type { Runnable } from '../process/runnable.ts';
import { createFifo } from '../queue/fifo.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { withTimeLimit } from '../time/time-limit.ts';
import { buildEvent, type EventInput, type EventObject, eventKey } from './event-object.ts';

/** Writes one event. An event whose name is taken counts as written: a resolved promise. */
export type WriteEvent = (event: EventObject, signal: AbortSignal) => Promise<void>;

/** Called synchronously, must not throw. */
export interface EventHooks {
  /** `duplicate`: recorded already within the window. `dropped`: too many waiting. */
  recorded?(result: 'written' | 'duplicate' | 'dropped' | 'failed'): void;
}

export interface EventRecorderOptions {
  readonly write: WriteEvent;
  /** `marekvs.io/operator` */
  readonly reportingController: string;
  /** The pod's name; cut to 128 characters. */
  readonly reportingInstance: string;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly hooks?: EventHooks;
}

/** A part of the manager. Events recorded before `run` are kept; those that wait at the stop get one more second. */
export interface EventRecorder extends Runnable {
  /** Synchronous, never throws, never waits. */
  record(event: EventInput): void;
}

/** Event keys that are remembered. The oldest are forgotten first, and may then be recorded again early. */
const MAX_REMEMBERED = 4096;
/** Of events with the same key (`eventKey`) only one is recorded in this time. */
const WINDOW_MS = 600_000;
/** Events waiting to be written; more are dropped. */
const MAX_WAITING = 256;
const WRITE_LIMIT_MS = 5000;
const FLUSH_LIMIT_MS = 1000;
/** Concurrent writes. A hundred clusters formed together have two events each, which should not take a minute. */
const WRITERS = 4;

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { write, clock = systemClock, logger = silentLogger, hooks = {} } = options;
  const reportedAtMs = new Map<string, number>();
  const waiting = createFifo<EventObject>();
  let wake = (): void => {};

  function isRepeated(key: string, nowMs: number): boolean {
    const atMs = reportedAtMs.get(key);
    if (atMs !== undefined && nowMs - atMs < WINDOW_MS) return true;
    reportedAtMs.delete(key);
    reportedAtMs.set(key, nowMs);
    if (reportedAtMs.size > MAX_REMEMBERED) reportedAtMs.delete(reportedAtMs.keys().next().value ?? '');
    return false;
  }

  async function writeOne(event: EventObject): Promise<void> {
    try {
      await withTimeLimit(clock, WRITE_LIMIT_MS, (signal) => write(event, signal));
      hooks.recorded?.('written');
    } catch (err) {
      hooks.recorded?.('failed');
      logger.debug('Writing an event failed', { reason: event.reason, err });
    }
  }

  async function writeWaiting(isOver: () => boolean): Promise<void> {
    const work = async (): Promise<void> => {
      while (!isOver()) {
        const event = waiting.shift();
        if (event === undefined) return;
        await writeOne(event);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, work));
  }

  /** Writes the events still waiting at the stop, for at most FLUSH_LIMIT_MS. */
  async function writeLast(): Promise<void> {
    const enough = new AbortController();
    const limit = clock.delay(FLUSH_LIMIT_MS, enough.signal).catch(() => {});
    let isOver = false;
    await Promise.race([writeWaiting(() => isOver), limit]);
    isOver = true;
    enough.abort(new Error('all events written'));
  }

  return {
    name: 'events',
    record(input) {
      const nowMs = clock.nowMs();
      if (isRepeated(eventKey(input), clock.steadyMs())) {
        hooks.recorded?.('duplicate');
      } else if (waiting.size >= MAX_WAITING) {
        hooks.recorded?.('dropped');
      } else {
        waiting.push(buildEvent(input, { ...options, windowMs: WINDOW_MS, nowMs }));
        wake();
      }
    },
    async run(signal) {
      const onAbort = (): void => wake();
      signal.addEventListener('abort', onAbort, { once: true });
      while (!signal.aborted) {
        await writeWaiting(() => signal.aborted);
        if (signal.aborted || waiting.size > 0) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      await writeLast();
    },
  };
}
