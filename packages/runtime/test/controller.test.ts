import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type Controller,
  type ControllerOptions,
  createController,
  type PassResult,
} from '../src/controller/controller.ts';
import type { ReconcileContext } from '../src/controller/reconcile.ts';
import { StepTimeoutError } from '../src/controller/step.ts';
import { ApiError } from '../src/errors/errors.ts';
import type { Grant } from '../src/lease/grant.ts';
import { createManualClock, type ManualClock } from './support/manual-clock.ts';
import { createRecordingLogger, type RecordingLogger } from './support/recording-logger.ts';

interface Rig {
  readonly clock: ManualClock;
  readonly controller: Controller;
  readonly logger: RecordingLogger;
  readonly results: PassResult[];
  stop(): void;
  readonly ended: Promise<void>;
}

function start(options: Partial<ControllerOptions> & Pick<ControllerOptions, 'reconcile'>): Rig {
  const clock = createManualClock();
  const logger = createRecordingLogger();
  const results: PassResult[] = [];
  const controller = createController({
    name: 'test',
    clock,
    logger,
    grant: endlessGrant,
    hooks: { finished: (result) => results.push(result) },
    ...options,
    queue: { backoff: { jitter: 0 }, ...options.queue },
  });
  const stop = new AbortController();
  const ended = controller.run(stop.signal);
  return { clock, controller, logger, results, stop: () => stop.abort(new Error('stop')), ended };
}

const conflict = (reason: string): ApiError =>
  new ApiError({ verb: 'update', subject: 'pods a/b', path: '/x', status: 409, reason });

/** Runs until its signal, like a well-behaved pass. */
const hang = (_key: string, { signal }: ReconcileContext): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('controller', () => {
  it('starts a pass in the turn of the event, but never inside the call of enqueue', async () => {
    const seen: string[] = [];
    const { controller, clock, stop, ended } = start({
      async reconcile(key) {
        seen.push(key);
        return { kind: 'done' };
      },
    });
    controller.enqueue('ns/a');
    expect(seen).to.deep.equal([]);
    await Promise.resolve();
    expect(seen).to.deep.equal(['ns/a']);
    await clock.run(0);
    stop();
    await ended;
  });

  it('keeps what is enqueued before run', async () => {
    const seen: string[] = [];
    const clock = createManualClock();
    const controller = createController({
      grant: endlessGrant,
      name: 'test',
      clock,
      async reconcile(key) {
        seen.push(key);
        return { kind: 'done' };
      },
    });
    controller.enqueue('ns/a');
    await clock.run(1000);
    expect(seen).to.deep.equal([]);
    const stop = new AbortController();
    const ended = controller.run(stop.signal);
    await clock.run(0);
    expect(seen).to.deep.equal(['ns/a']);
    stop.abort();
    await ended;
  });

  it('runs no more passes at once than its concurrency, and never two for one key', async () => {
    let running = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const { controller, clock } = start({
      concurrency: 3,
      async reconcile() {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => release.push(resolve));
        running--;
        return { kind: 'done' };
      },
    });
    for (let i = 0; i < 10; i++) controller.enqueue(`ns-${i}/a`);
    await clock.run(0);
    controller.enqueue('ns-0/a');
    while (release.length > 0) {
      release.shift()?.();
      await clock.run(0);
    }
    expect(most).to.equal(3);
    await clock.run(500);
    expect(release).to.have.length(1);
  });

  it('runs again after the time that a pass requests, or earlier when an event comes', async () => {
    const at: number[] = [];
    const { controller, clock, results } = start({
      async reconcile() {
        at.push(clock.steadyMs());
        return { kind: 'requeue', afterMs: 30_000, reason: 'WaitingForProof' };
      },
    });
    controller.enqueue('ns/a');
    await clock.run(30_000);
    await clock.run(5000);
    controller.enqueue('ns/a');
    await clock.run(29_999);
    expect(at).to.deep.equal([0, 30_000, 35_000]);
    expect(results).to.deep.equal(['requeue_after', 'requeue_after', 'requeue_after']);
  });

  it('survives whatever a pass throws, at once or later, and tries again with backoff', async () => {
    const thrown: unknown[] = [new Error('later'), 'a string', undefined];
    const { controller, clock, results, logger } = start({
      queue: { minIntervalMs: 0, backoff: { jitter: 0 } },
      reconcile(_key, { failures }) {
        if (failures === 3) throw new Error('synchronous');
        if (failures < 3) return Promise.reject(thrown[failures]);
        return Promise.resolve({ kind: 'done' });
      },
    });
    controller.enqueue('ns/a');
    await clock.run(50 + 100 + 200 + 400);
    expect(results).to.deep.equal(['error', 'error', 'error', 'error', 'success']);
    expect(logger.messages('warn')).to.have.length(4);
    expect(logger.lines[0]?.fields).to.include({ key: 'ns/a', controller: 'test', failures: 1, retryAfterMs: 50 });
  });

  it('tries again without an error in the log after a conflict (F12)', async () => {
    const { controller, clock, results, logger } = start({
      async reconcile(_key, { failures }) {
        if (failures === 0) throw conflict('Conflict');
        return { kind: 'done' };
      },
    });
    controller.enqueue('ns/a');
    await clock.run(200);
    expect(results).to.deep.equal(['conflict', 'success']);
    expect(logger.messages('warn')).to.deep.equal([]);
  });

  it('treats AlreadyExists as an error, since another pass does not resolve it', async () => {
    const { controller, clock, results } = start({ reconcile: () => Promise.reject(conflict('AlreadyExists')) });
    controller.enqueue('ns/a');
    await clock.run(0);
    expect(results).to.deep.equal(['error']);
  });

  it('aborts a pass at its step timeout and counts it', async () => {
    let reason: unknown;
    const { controller, clock, results } = start({
      stepTimeoutMs: 30_000,
      async reconcile(key, context) {
        try {
          return await hang(key, context);
        } finally {
          reason = context.signal.reason;
        }
      },
    });
    controller.enqueue('ns/a');
    await clock.run(29_999);
    expect(results).to.deep.equal([]);
    await clock.run(1);
    expect(results).to.deep.equal(['timeout']);
    expect(reason).to.be.instanceOf(StepTimeoutError);
  });

  it('runs nothing for a key without a grant', async () => {
    let passes = 0;
    const { controller, clock, results } = start({
      grant: (key) => (key === 'ns/mine' ? endlessGrant() : undefined),
      async reconcile() {
        passes++;
        return { kind: 'done' };
      },
    });
    controller.enqueue('ns/mine');
    controller.enqueue('ns/other');
    await clock.run(1000);
    expect(passes).to.equal(1);
    expect(results.toSorted()).to.deep.equal(['skipped', 'success']);
  });

  it('outlives a grant function that throws, and asks it again', async () => {
    let asked = 0;
    const { controller, clock, results } = start({
      grant: () => {
        if (asked++ === 0) throw new Error('no');
        return endlessGrant();
      },
      reconcile: async () => ({ kind: 'done' }),
    });
    controller.enqueue('ns/a');
    await clock.run(1000);
    expect(results).to.deep.equal(['error', 'success']);
  });

  it('aborts a running pass when its grant is lost, without calling it an error', async () => {
    const lost = new AbortController();
    let isLost = false;
    const { controller, clock, results, logger } = start({
      grant: () => (isLost ? undefined : { left: () => 1000, signal: lost.signal }),
      reconcile: hang,
    });
    controller.enqueue('ns/a');
    await clock.run(0);
    isLost = true;
    lost.abort(new Error('lease lost'));
    await clock.run(1000);
    expect(results).to.deep.equal(['aborted', 'skipped']);
    expect(logger.messages('warn')).to.deep.equal([]);
  });

  it('on stop starts nothing more, lets running passes end, and then ends', async () => {
    let finish = (): void => {};
    const seen: string[] = [];
    const { controller, clock, stop, ended, results } = start({
      concurrency: 1,
      async reconcile(key) {
        seen.push(key);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return { kind: 'done' };
      },
    });
    controller.enqueue('ns/a');
    controller.enqueue('ns/b');
    await clock.run(0);
    stop();
    controller.enqueue('ns/c');
    await clock.run(10_000);
    expect(results).to.deep.equal([]);
    finish();
    await ended;
    expect(seen).to.deep.equal(['ns/a']);
    expect(results).to.deep.equal(['success']);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('aborts passes that still run 20 s after the stop', async () => {
    const { controller, clock, stop, ended, results } = start({ reconcile: hang, stepTimeoutMs: 60_000 });
    controller.enqueue('ns/a');
    await clock.run(0);
    stop();
    await clock.run(19_999);
    expect(results).to.deep.equal([]);
    await clock.run(1);
    await ended;
    expect(results).to.deep.equal(['aborted']);
  });

  it('names the passes that ignore even that abort', async () => {
    const { controller, clock, stop, ended } = start({ reconcile: () => new Promise(() => {}) });
    controller.enqueue('ns/stubborn');
    await clock.run(0);
    stop();
    const failed = ended.then(
      () => undefined,
      (error: unknown) => error,
    );
    await clock.run(21_000);
    expect(String(await failed)).to.match(
      /DrainTimeoutError: drain controller test: 1 passes do not end: ns\/stubborn/,
    );
  });

  it('reports which pass runs since when, and when a key last succeeded', async () => {
    const { controller, clock } = start({
      reconcile: (key, context) => (key === 'ns/slow' ? hang(key, context) : Promise.resolve({ kind: 'done' })),
    });
    controller.enqueue('ns/fast');
    controller.enqueue('ns/slow');
    await clock.run(0);
    const startMs = clock.nowMs();
    clock.advance(700);
    const { running, lastSuccessAtMs } = controller.inspect();
    expect(running).to.deep.equal([{ key: 'ns/slow', forMs: 700 }]);
    expect(lastSuccessAtMs('ns/fast')).to.equal(startMs);
    expect(lastSuccessAtMs('ns/slow')).to.equal(undefined);
  });
});

function endlessGrant(): Grant {
  return { left: () => Number.POSITIVE_INFINITY, signal: new AbortController().signal };
}
