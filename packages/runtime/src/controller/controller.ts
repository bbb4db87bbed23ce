// Runs a reconcile function over a queue of keys: a bounded number at once, never two of one key, every result
// classified and counted. The caller defines what a pass does; queue.ts decides which key is next.

import { isConflict } from '../errors/errors.ts';
import type { Grant } from '../lease/grant.ts';
import { type LogFields, type Logger, silentLogger } from '../log/logger.ts';
import type { Runnable } from '../process/runnable.ts';
import { type AddOptions, createQueue, type QueueOptions, type QueueStats, type Taken } from '../queue/queue.ts';
import { untilAborted } from '../time/aborted.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Outcome, Reconcile, ReconcileContext } from './reconcile.ts';
import { createRunRecord, type RunInspection } from './run-record.ts';
import { createStep, type Step } from './step.ts';

/** How a pass ended, for counting. `skipped`: no grant, so nothing ran. */
export type PassResult = 'success' | 'requeue_after' | 'conflict' | 'error' | 'timeout' | 'aborted' | 'skipped';

/** What metrics want to know as it happens; called synchronously, must not throw. */
export interface ControllerHooks {
  readonly queue?: QueueOptions['hooks'];
  finished?(result: PassResult, durationMs: number, key: string): void;
}

export interface ControllerOptions {
  /** For log lines, metrics and the manager. */
  readonly name: string;
  /** Passes at once. @default 16 */
  readonly concurrency?: number;
  readonly reconcile: Reconcile;
  /** May this replica act on the key now? Undefined: the key is dropped without a pass, so add all keys
   *  again when ownership is gained. */
  readonly grant: (key: string) => Grant | undefined;
  readonly queue?: Omit<QueueOptions, 'clock' | 'concurrency' | 'onReady' | 'hooks'>;
  /** `context.signal` is aborted when a pass takes longer, in milliseconds. The slot stays taken until the pass really
   *  ends, because two passes of one key must never overlap. @default 30000 */
  readonly stepTimeoutMs?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly hooks?: ControllerHooks;
}

export interface ControllerInspection extends RunInspection {
  readonly queue: QueueStats;
  /** Passes begun so far. */
  readonly passes: number;
}

export interface Controller extends Runnable {
  /** Wants a pass of the key. Accepted before `run`, too; ignored after a stop. */
  enqueue(key: string, options?: AddOptions): void;
  inspect(): ControllerInspection;
  /** Removes the matching keys from the queue; a pass that is under way goes on. */
  forget(isMeant: (key: string) => boolean): void;
  /** Aborts the passes of matching keys that are under way. */
  abort(isMeant: (key: string) => boolean, reason: Error): void;
  /** Resolves when no pass of a matching key is under way, passes that begin meanwhile included. */
  settled(isMeant: (key: string) => boolean): Promise<void>;
}

/** Passes that neither the drain time nor the abort ended. */
export class DrainTimeoutError extends Error {
  override readonly name = 'DrainTimeoutError';
  readonly keys: readonly string[];
  constructor(controller: string, keys: readonly string[]) {
    super(`drain controller ${controller}: ${keys.length} passes do not end: ${keys.slice(0, 5).join(', ')}`);
    this.keys = keys;
  }
}

/** How long a stop waits for running passes before it aborts them. */
const DRAIN_MS = 20_000;
/** How long passes have to react to that abort. */
const ABORT_GRACE_MS = 1000;

export function createController(options: ControllerOptions): Controller {
  const { name, concurrency = 16, reconcile, stepTimeoutMs = 30_000 } = options;
  const { clock = systemClock, hooks = {} } = options;
  const logger = (options.logger ?? silentLogger).child({ controller: name });
  const record = createRunRecord(clock);
  const steps = new Map<string, Step>();
  let isRunning = false;
  let isPumpScheduled = false;
  let passes = 0;
  let onEmpty: (() => void) | undefined;
  /** Called after every pass. */
  const waiters = new Set<() => void>();

  const queue = createQueue({
    ...options.queue,
    clock,
    concurrency,
    ...(hooks.queue === undefined ? {} : { hooks: hooks.queue }),
    onReady: schedulePump,
  });

  // All events of one turn of the event loop cause a single pump, and no handler runs a pass inside its own call.
  function schedulePump(): void {
    if (!isRunning || isPumpScheduled) return;
    isPumpScheduled = true;
    queueMicrotask(pump);
  }

  function pump(): void {
    isPumpScheduled = false;
    if (!isRunning) return;
    for (let taken = queue.take(); taken !== undefined; taken = queue.take()) startPass(taken);
  }

  function startPass(taken: Taken): void {
    let grant: Grant | undefined;
    try {
      grant = options.grant(taken.key);
    } catch (err) {
      hooks.finished?.('error', 0, taken.key);
      logger.error('Asking for the grant failed', { key: taken.key, retryAfterMs: queue.retry(taken.key), err });
      return;
    }
    if (grant === undefined) {
      queue.done(taken.key);
      hooks.finished?.('skipped', 0, taken.key);
      return;
    }
    const step = createStep(clock, stepTimeoutMs, grant.signal);
    steps.set(taken.key, step);
    record.started(taken.key);
    // Not detached: `runPass` never rejects, and a stop waits for `steps` to become empty.
    void runPass(taken, grant, step);
  }

  async function runPass(taken: Taken, grant: Grant, step: Step): Promise<void> {
    const { key, failures } = taken;
    const startedAtMs = clock.steadyMs();
    const reconcileId = `${name}-${++passes}`;
    const passLogger = logger.child({ reconcileId });
    const context: ReconcileContext = { key, reconcileId, signal: step.signal, grant, logger: passLogger, failures };
    let result: PassResult;
    try {
      result = succeed(key, await reconcile(key, context));
    } catch (error) {
      result = fail(taken, error, step, passLogger);
    }
    step.end();
    steps.delete(key);
    record.ended(key, result === 'success' || result === 'requeue_after');
    hooks.finished?.(result, clock.steadyMs() - startedAtMs, key);
    if (steps.size === 0) onEmpty?.();
    for (const check of waiters) check();
  }

  function succeed(key: string, outcome: Outcome): PassResult {
    if (outcome.kind === 'requeue') queue.add(key, { afterMs: outcome.afterMs, priority: 'low' });
    queue.done(key);
    return outcome.kind === 'requeue' ? 'requeue_after' : 'success';
  }

  function fail(taken: Taken, error: unknown, step: Step, passLogger: Logger): PassResult {
    const { key } = taken;
    const result = classifyError(error, step);
    const retryAfterMs = Math.round(queue.retry(key));
    const fields: LogFields = { key, failures: taken.failures + 1, retryAfterMs, err: error };
    if (result === 'conflict' || result === 'aborted') passLogger.debug('Trying again', fields);
    else passLogger.warn('Pass failed', fields);
    return result;
  }

  async function drain(): Promise<void> {
    if (await isEmptyWithin(DRAIN_MS)) return;
    for (const step of steps.values()) step.abort(new Error(`controller ${name} is stopping`));
    if (await isEmptyWithin(ABORT_GRACE_MS)) return;
    throw new DrainTimeoutError(name, [...steps.keys()]);
  }

  function isEmptyWithin(limitMs: number): Promise<boolean> {
    if (steps.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = clock.after(limitMs, () => resolve(false));
      onEmpty = () => {
        timer.cancel();
        resolve(true);
      };
    });
  }

  return {
    name,
    async run(signal) {
      isRunning = !signal.aborted;
      schedulePump();
      await untilAborted(signal);
      isRunning = false;
      queue.close();
      await drain();
    },
    enqueue: (key, addOptions) => queue.add(key, addOptions),
    forget: (isMeant) => queue.forget(isMeant),
    abort(isMeant, reason) {
      for (const [key, step] of steps) if (isMeant(key)) step.abort(reason);
    },
    settled(isMeant) {
      const isOver = (): boolean => ![...steps.keys()].some(isMeant);
      if (isOver()) return Promise.resolve();
      return new Promise((resolve) => {
        const check = (): void => {
          if (!isOver()) return;
          waiters.delete(check);
          resolve();
        };
        waiters.add(check);
      });
    },
    inspect: () => ({ queue: queue.stats(), passes, ...record.inspect() }),
  };
}

/** `conflict`: somebody wrote first, requeue without noise. `timeout`: the step limit. `aborted`: the grant
 *  ended or the process stops. `error`: all else, tried again with backoff. */
type ErrorClass = 'conflict' | 'timeout' | 'aborted' | 'error';

function classifyError(error: unknown, step: Pick<Step, 'isLate' | 'signal'>): ErrorClass {
  if (step.isLate) return 'timeout';
  if (step.signal.aborted) return 'aborted';
  return isConflict(error) ? 'conflict' : 'error';
}
