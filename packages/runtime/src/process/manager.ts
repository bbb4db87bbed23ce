// Starts the parts of a process in order: servers, caches, election, controllers. Stops them in reverse order.
// Nothing is detached: every part is awaited, and the first that fails stops all.

import { EXIT_CODE, type ExitCode, exitCodeOf, failureFields } from '../errors/exit-codes.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import { createChildAbort, untilAborted } from '../time/aborted.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Runnable } from './runnable.ts';
import { type StartedPart, startStage } from './stage.ts';

/** In order of start. Servers first, so that probes are answered while caches fill; controllers last, on synced
 *  caches. */
export const STAGES = ['servers', 'caches', 'election', 'controllers'] as const;
export type Stage = (typeof STAGES)[number];

export interface ManagerOptions {
  readonly logger?: Logger;
  readonly clock?: Clock;
}

export interface ManagerResult {
  readonly exitCode: ExitCode;
  /** The first failure. */
  readonly error?: unknown;
}

export interface Manager {
  /** Before `run` only. Parts of one stage start together. */
  add(stage: Stage, part: Runnable): void;
  /** Runs until the signal, or until a part ends or fails by itself. Never rejects. To be called once. */
  run(signal: AbortSignal): Promise<ManagerResult>;
  /** One short sentence per part that is not ready; empty means ready. Synchronous, for /readyz. */
  notReady(): readonly string[];
}

/** Limit for the whole stop. Parts that still run then are logged and left to the end of the process. */
const STOP_MS = 25_000;

export function createManager(options: ManagerOptions = {}): Manager {
  const { logger = silentLogger, clock = systemClock } = options;
  const parts: Record<Stage, Runnable[]> = { servers: [], caches: [], election: [], controllers: [] };
  const started: StartedPart[][] = [];
  const allStarted = new Set<string>();
  let state: 'new' | 'running' | 'stopping' = 'new';

  async function start(stop: AbortController): Promise<void> {
    for (const stage of STAGES) {
      if (stop.signal.aborted) return;
      logger.debug('Starting stage', { stage, parts: parts[stage].map((part) => part.name) });
      const { running, ready } = startStage(parts[stage], (part, error) => onEnd(part, error, stop));
      started.push(running);
      await readyOrAborted(ready, stop.signal);
      if (!stop.signal.aborted) for (const part of parts[stage]) allStarted.add(part.name);
    }
    if (!stop.signal.aborted) logger.info('Started all parts');
  }

  function onEnd(part: Runnable, error: unknown, stop: AbortController): void {
    if (stop.signal.aborted) return;
    logger.error('A part failed, stopping', { part: part.name, ...failureFields(error) });
    stop.abort(error);
  }

  /** @returns the names of the parts that did not end in time, and the first error of a stop */
  async function stopAll(): Promise<{ stuck: string[]; error: unknown }> {
    const deadlineMs = clock.steadyMs() + STOP_MS;
    const stuck: string[] = [];
    let error: unknown;
    for (const stage of started.reverse()) {
      for (const part of stage) part.stop();
      const leftMs = deadlineMs - clock.steadyMs();
      for (const part of await waitAll(stage, leftMs, clock)) stuck.push(part.name);
      for (const part of stage) {
        if (part.failure === undefined) continue;
        error ??= part.failure.error;
        if (part.failure.isWhileStopping)
          logger.error('A part failed to stop', { part: part.name, err: part.failure.error });
      }
    }
    if (stuck.length > 0) logger.error('Parts did not stop in time', { parts: stuck });
    return { stuck, error };
  }

  return {
    add(stage, part) {
      if (state !== 'new') throw new Error(`add ${part.name}: the manager runs already`);
      parts[stage].push(part);
    },
    async run(signal) {
      if (state !== 'new') throw new Error('run the manager: it ran already');
      state = 'running';
      const stop = createChildAbort(signal);
      try {
        await start(stop);
      } catch (error) {
        logger.error('Starting failed', { ...failureFields(error) });
        if (!stop.signal.aborted) stop.abort(error);
      }
      await untilAborted(stop.signal);
      state = 'stopping';
      const failure = signal.aborted && stop.signal.reason === signal.reason ? undefined : stop.signal.reason;
      const { stuck, error } = await stopAll();
      return toResult(failure ?? error, stuck);
    },
    notReady() {
      if (state === 'stopping') return ['stopping'];
      return STAGES.flatMap((stage) => parts[stage].flatMap((part) => whyNotReady(part, allStarted)));
    },
  };
}

function whyNotReady(part: Runnable, started: ReadonlySet<string>): string[] {
  const why = part.notReady?.() ?? (started.has(part.name) ? undefined : 'not started');
  return why === undefined ? [] : [`${part.name}: ${why}`];
}

function toResult(error: unknown, stuck: readonly string[]): ManagerResult {
  if (error !== undefined) return { exitCode: exitCodeOf(error), error };
  return { exitCode: stuck.length > 0 ? EXIT_CODE.failure : EXIT_CODE.clean };
}

/** Waits for `work` or the abort, whichever is first. A rejection of `work` after the abort is ignored. */
async function readyOrAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const end = untilAborted(signal);
  await Promise.race([work.catch((error: unknown) => (signal.aborted ? undefined : Promise.reject(error))), end]);
}

/** @returns the parts that have not ended after `limitMs` */
async function waitAll(stage: readonly StartedPart[], limitMs: number, clock: Clock): Promise<readonly StartedPart[]> {
  const timeout = new AbortController();
  const limit = clock.delay(Math.max(0, limitMs), timeout.signal).catch(() => {});
  await Promise.race([Promise.all(stage.map((part) => part.ended)), limit]);
  timeout.abort(new Error('all parts ended'));
  return stage.filter((part) => !part.isOver);
}
