import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT_CODE, ExitError } from '../src/errors/exit-codes.ts';
import { createManager, type Manager } from '../src/process/manager.ts';
import type { Runnable } from '../src/process/runnable.ts';
import { createManualClock, type ManualClock } from './support/manual-clock.ts';

interface Rig {
  readonly manager: Manager;
  readonly clock: ManualClock;
  readonly log: string[];
  readonly stop: AbortController;
  /** A part that logs its start and end. */
  part(name: string, extra?: Partial<Runnable>): Runnable;
}

function setUp(): Rig {
  const clock = createManualClock();
  const log: string[] = [];
  return {
    manager: createManager({ clock }),
    clock,
    log,
    stop: new AbortController(),
    part: (name, extra = {}) => ({
      name,
      async run(signal) {
        log.push(`+${name}`);
        await aborted(signal);
        log.push(`-${name}`);
      },
      ...extra,
    }),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

describe('manager', () => {
  it('starts servers, caches, election, controllers in this order and stops them in reverse, each stage awaited', async () => {
    const { manager, clock, log, stop, part } = setUp();
    manager.add('controllers', part('controller'));
    manager.add('election', part('lease'));
    manager.add('caches', part('pods'));
    manager.add('servers', part('health'));
    const result = manager.run(stop.signal);
    await clock.run(0);
    stop.abort(new Error('SIGTERM'));
    expect(await result).to.deep.equal({ exitCode: 0 });
    expect(log).to.deep.equal([
      '+health',
      '+pods',
      '+lease',
      '+controller',
      '-controller',
      '-lease',
      '-pods',
      '-health',
    ]);
  });

  it('starts no controller before every cache is synced', async () => {
    const { manager, clock, log, stop, part } = setUp();
    const synced = Promise.withResolvers<void>();
    manager.add('caches', part('pods'));
    manager.add('caches', part('nodes', { ready: () => synced.promise }));
    manager.add('controllers', part('controller'));
    const result = manager.run(stop.signal);
    await clock.run(60_000);
    expect(log).to.deep.equal(['+pods', '+nodes']);
    synced.resolve();
    await clock.run(0);
    expect(log.at(-1)).to.equal('+controller');
    stop.abort();
    await result;
  });

  it('waits for a controller to drain before it stops the lease', async () => {
    const { manager, clock, log, stop, part } = setUp();
    const drained = Promise.withResolvers<void>();
    manager.add('election', part('lease'));
    manager.add('controllers', {
      name: 'controller',
      async run(signal) {
        await aborted(signal);
        await drained.promise;
        log.push('-controller');
      },
    });
    const result = manager.run(stop.signal);
    await clock.run(0);
    stop.abort();
    await clock.run(10_000);
    expect(log).to.deep.equal(['+lease']);
    drained.resolve();
    await result;
    expect(log).to.deep.equal(['+lease', '-controller', '-lease']);
  });

  it('names parts that are not ready, and is not ready while it stops', async () => {
    const { manager, clock, stop, part } = setUp();
    let why: string | undefined = 'customresourcedefinition marekvsnodes.marekvs.io is not installed';
    manager.add('caches', part('nodes', { notReady: () => why }));
    manager.add('controllers', part('controller'));
    expect(manager.notReady()).to.deep.equal([
      'nodes: customresourcedefinition marekvsnodes.marekvs.io is not installed',
      'controller: not started',
    ]);
    const result = manager.run(stop.signal);
    why = undefined;
    await clock.run(0);
    expect(manager.notReady()).to.deep.equal([]);
    stop.abort();
    await result;
    expect(manager.notReady()).to.deep.equal(['stopping']);
  });

  it('stops everything when one part fails, with the exit code its error asks for', async () => {
    const { manager, log, stop, part } = setUp();
    manager.add('servers', part('health'));
    manager.add('caches', {
      name: 'pods',
      run: () => Promise.reject(new ExitError(EXIT_CODE.forbidden, 'list pods: forbidden')),
    });
    const { exitCode, error } = await manager.run(stop.signal);
    expect(exitCode).to.equal(77);
    expect(String(error)).to.contain('list pods: forbidden');
    expect(log).to.deep.equal(['+health', '-health']);
  });

  it('stops everything when a part ends by itself', async () => {
    const { manager, clock, stop } = setUp();
    manager.add('controllers', { name: 'short', run: async () => {} });
    const result = manager.run(stop.signal);
    await clock.run(0);
    const { exitCode, error } = await result;
    expect(exitCode).to.equal(1);
    expect(String(error)).to.contain('run short: it ended by itself');
  });

  it('stops everything when the wait for readiness fails or throws', async () => {
    for (const ready of [
      () => Promise.reject(new Error('no')),
      () => {
        throw new Error('no');
      },
    ]) {
      const { manager, log, stop, part } = setUp();
      manager.add('caches', part('pods', { ready }));
      manager.add('controllers', part('controller'));
      const { exitCode } = await manager.run(stop.signal);
      expect(exitCode).to.equal(1);
      expect(log).to.deep.equal(['+pods', '-pods']);
    }
  });

  it('stops what has started when it is stopped before all parts are ready', async () => {
    const { manager, clock, log, stop, part } = setUp();
    manager.add('caches', part('pods', { ready: () => new Promise(() => {}) }));
    manager.add('controllers', part('controller'));
    const result = manager.run(stop.signal);
    await clock.run(0);
    stop.abort();
    expect(await result).to.deep.equal({ exitCode: 0 });
    expect(log).to.deep.equal(['+pods', '-pods']);
  });

  it('gives up on a part that does not stop within 25 s, and goes on with the others', async () => {
    const { manager, clock, log, stop, part } = setUp();
    manager.add('caches', part('pods'));
    manager.add('controllers', { name: 'stubborn', run: () => new Promise(() => {}) });
    const result = manager.run(stop.signal);
    await clock.run(0);
    stop.abort();
    await clock.run(25_000);
    expect((await result).exitCode).to.equal(1);
    expect(log).to.deep.equal(['+pods', '-pods']);
  });

  it('exits with failure when a part fails while it stops', async () => {
    const { manager, clock, stop } = setUp();
    manager.add('controllers', {
      name: 'controller',
      async run(signal) {
        await aborted(signal);
        throw new Error('drain: 1 passes do not end');
      },
    });
    const result = manager.run(stop.signal);
    await clock.run(0);
    stop.abort();
    expect((await result).exitCode).to.equal(1);
  });

  it('accepts no more parts once it runs', async () => {
    const { manager, stop, part } = setUp();
    stop.abort();
    await manager.run(stop.signal);
    expect(() => manager.add('caches', part('late'))).to.throw(/late/);
  });
});
