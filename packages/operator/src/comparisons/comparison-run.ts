// Drives one comparison: puts the next question to every member, one per member at a time, and returns the answers. The
// planner decides what is asked and what follows; comparisons.ts decides what is reported.

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
  /** Called after every event. `isQuiet`: no question is under way. */
  state(isQuiet: boolean): RunState;
}

export interface RunState {
  readonly isComplete: boolean;
  /** Others need the place more: end here, to go on later. */
  readonly isToPause: boolean;
}

/** A comparison that is kept fresh is swept again this long after it was covered. */
export const SWEEP_MS = 2_000;
/** The shortest wait for the planner's next question, in case it names none. */
const MIN_IDLE_MS = 10;
/** Wait when the planner has neither a question nor an end: a comparison is not complete because nothing is left to
 *  ask. */
const LOST_MS = 1_000;

/** Runs until the comparison is complete or paused, and closes the links. No question is outstanding afterwards.
 *  @throws the reason of `stop`; what the comparison or `state` threw */
export async function runComparison(run: ComparisonRun, stop: AbortSignal): Promise<'complete' | 'paused'> {
  const { clock, comparison, links } = run;
  const end = Promise.withResolvers<'complete' | 'paused'>();
  const over = new AbortController();
  const busy = new Map<ContentLink, Promise<void>>();
  let timer: Timer | undefined;
  let timerAtMs: number | undefined;
  let sweepAtMs: number | undefined;

  /** Asks what can be asked now, and sets the one timer for what is due later. */
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

  /** @returns when the first paused member may be asked again */
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
      // Also after the end of this run: the comparison may be continued, and nothing may be outstanding then.
      comparison.take(question, answer, clock.monotonicMs());
      drive();
    });
  }

  /** No member has a question now. Questions of paused members come when their pause ends. */
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

  /** No caller sees what is thrown here, so it goes to `end`. */
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
