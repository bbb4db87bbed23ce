// Drives one comparison: asks every member what is next for it, members side by side, one question each, and gives the
// answers back. What is asked and what follows is decided in the planner; what of it is reported is decided in
// comparisons.ts.

import type { Comparison, ContentQuestion } from '@marekvs/planner';
import type { Clock, Timer } from '@marekvs/runtime';
import type { ContentLink } from './content-link.ts';
import type { WorkStretch } from './work-stretch.ts';

export interface ComparisonRun {
  readonly clock: Clock;
  readonly comparison: Comparison;
  readonly links: readonly ContentLink[];
  readonly isKeptFresh: boolean;
  readonly stretch: WorkStretch;
  /** Called after everything that happens. `isQuiet`: nothing is under way at any member. */
  state(isQuiet: boolean): RunState;
}

export interface RunState {
  readonly isComplete: boolean;
  /** Others need the place more: end here, to be gone on with later. */
  readonly isToPause: boolean;
}

/** What is covered and kept fresh is compared again after so long. */
export const SWEEP_MS = 2_000;
/** The shortest wait for the planner's next question, in case it says none. */
const MIN_IDLE_MS = 10;
/** When the planner knows neither a question nor an end. Nothing is complete because nothing is left to ask. */
const LOST_MS = 1_000;

/** Goes on until it is complete or paused, and closes the links. No question is outstanding afterwards.
 *  @throws the reason of `stop`; what the comparison or `state` threw */
export async function runComparison(run: ComparisonRun, stop: AbortSignal): Promise<'complete' | 'paused'> {
  const { clock, comparison, links } = run;
  const end = Promise.withResolvers<'complete' | 'paused'>();
  const over = new AbortController();
  const busy = new Map<ContentLink, Promise<void>>();
  let timer: Timer | undefined;
  let timerAtMs: number | undefined;
  let sweepAtMs: number | undefined;

  /** Asks everything that can be asked now, and a timer for what is possible later: one for all members. */
  function drive(): void {
    if (over.signal.aborted) return;
    const nowMs = clock.steadyMs();
    if (sweepAtMs !== undefined && nowMs >= sweepAtMs) {
      sweepAtMs = undefined;
      comparison.sweep(clock.monotonicMs());
    }
    const freeAtMs = askEverybody(nowMs);
    const { isComplete, isToPause } = run.state(busy.size === 0);
    if (isToPause) finish('paused');
    else if (busy.size > 0) wakeAt(Math.min(freeAtMs, sweepAtMs ?? Number.POSITIVE_INFINITY));
    else if (!isComplete) wakeAt(Math.min(freeAtMs, nowMs + idleMs(freeAtMs)));
    else if (!run.isKeptFresh) finish('complete');
    else {
      sweepAtMs ??= nowMs + SWEEP_MS;
      wakeAt(Math.min(freeAtMs, sweepAtMs));
    }
  }

  /** @returns when the first of those that are left alone now may be asked again */
  function askEverybody(nowMs: number): number {
    let freeAtMs = Number.POSITIVE_INFINITY;
    for (const link of links) {
      if (busy.has(link)) continue;
      if (link.pausedUntilMs > nowMs) freeAtMs = Math.min(freeAtMs, link.pausedUntilMs);
      else {
        const question = comparison.next(link.nodeId, clock.monotonicMs());
        if (question !== undefined) busy.set(link, ask(link, question).catch(fail));
        else link.rest();
      }
    }
    return freeAtMs;
  }

  async function ask(link: ContentLink, question: ContentQuestion): Promise<void> {
    const answer = await link.ask(question, over.signal);
    await run.stretch.work(() => {
      busy.delete(link);
      // Also when this run is over: the comparison may be gone on with, and nothing may be outstanding then.
      comparison.take(question, answer, clock.monotonicMs());
      drive();
    });
  }

  /** Nobody has a question, but for those that are left alone now: theirs come when their time does. */
  function idleMs(freeAtMs: number): number {
    const idleForMs = comparison.idleForMs(clock.monotonicMs()) ?? LOST_MS;
    const isHeld = freeAtMs < Number.POSITIVE_INFINITY;
    return isHeld && idleForMs <= 0 ? Number.POSITIVE_INFINITY : Math.max(idleForMs, MIN_IDLE_MS);
  }

  function wakeAt(atMs: number): void {
    if (over.signal.aborted || timerAtMs === atMs) return;
    timer?.cancel();
    timerAtMs = undefined;
    if (atMs === Number.POSITIVE_INFINITY) return;
    timerAtMs = atMs;
    timer = clock.after(atMs - clock.steadyMs(), () => {
      timerAtMs = undefined;
      start();
    });
  }

  /** Nobody above hears what is thrown here: it ends in `end`. */
  function start(): void {
    try {
      drive();
    } catch (error) {
      fail(error);
    }
  }

  function fail(error: unknown): void {
    close();
    end.reject(error);
  }

  function finish(how: 'complete' | 'paused'): void {
    close();
    end.resolve(how);
  }

  function close(): void {
    over.abort(new Error('the comparison has ended'));
    timer?.cancel();
    for (const link of links) link.close();
  }

  const onStop = (): void => fail(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  try {
    if (stop.aborted) onStop();
    else start();
    return await end.promise;
  } finally {
    stop.removeEventListener('abort', onStop);
    await Promise.all(busy.values());
  }
}
