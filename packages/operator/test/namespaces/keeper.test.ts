// Namespaces that come and go, over caches and rights that a test controls.

import { silentLogger } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../../runtime/test/support/manual-clock.ts';
import { createNamespaceKeeper, MAX_NAMESPACES, type NamespaceKeeper } from '../../src/namespaces/keeper.ts';

function setUp(options: { readonly withClusters?: readonly string[]; readonly without?: readonly string[] } = {}) {
  const clock = createManualClock();
  const log: string[] = [];
  const withClusters = new Set(options.withClusters ?? ['team-a', 'team-b']);
  const without = new Set(options.without ?? []);
  /** What is watched in which state, and what a list waits for. */
  const followed = new Map<string, 'little' | 'all'>();
  const hanging = new Map<string, PromiseWithResolvers<void>>();
  const passes = new Map<string, PromiseWithResolvers<void>>();
  const keeper: NamespaceKeeper = createNamespaceKeeper({
    clock,
    random: () => 0,
    logger: silentLogger,
    parts: {
      async missing(namespace) {
        log.push(`asks ${namespace}`);
        return without.has(namespace) ? ['list pods'] : [];
      },
      async follow(namespace, how) {
        followed.set(namespace, how);
        log.push(`follows ${how} of ${namespace}`);
        if (how === 'all') await hanging.get(namespace)?.promise;
      },
      hasAny: (namespace) => withClusters.has(namespace),
      followLess: (namespace) => void followed.set(namespace, 'little'),
      unfollow: (namespace) => void followed.delete(namespace),
      reconcile: (namespace) => void log.push(`reconciles ${namespace}`),
      async letGo(namespace) {
        log.push(`lets go of ${namespace}, ${keeper.mayAct(namespace) ? 'may act' : 'may not act'}`);
        await passes.get(namespace)?.promise;
      },
    },
  });
  const stop = new AbortController();
  const ended = keeper.run(stop.signal);
  const settle = () => clock.run(0);
  return { clock, log, withClusters, without, followed, hanging, passes, keeper, stop, ended, settle };
}

describe('a namespace that is wanted', () => {
  it('is managed once its rights and all its caches are there, and is then reconciled as a whole', async () => {
    const { keeper, log, hanging, settle } = setUp();
    const list = Promise.withResolvers<void>();
    hanging.set('team-a', list);
    keeper.want(['team-a']);
    await settle();
    expect(keeper.mayAct('team-a')).to.equal(false);
    expect(keeper.isSettled).to.equal(false);
    list.resolve();
    await settle();
    expect(keeper.mayAct('team-a')).to.equal(true);
    expect(keeper.isSettled).to.equal(true);
    expect(log).to.deep.equal([
      'asks team-a',
      'follows little of team-a',
      'follows all of team-a',
      'reconciles team-a',
    ]);
    expect(keeper.mayAct('team-b')).to.equal(false);
  });

  it('needs one watch while there is no cluster in it, and all when there is', async () => {
    const { keeper, clock, withClusters, followed, settle } = setUp({ withClusters: [] });
    keeper.want(['team-a']);
    await settle();
    expect([keeper.counts().quiet, keeper.streams, followed.get('team-a'), keeper.mayAct('team-a')]).to.deep.equal([
      1,
      1,
      'little',
      false,
    ]);
    withClusters.add('team-a');
    keeper.changed('team-a');
    await settle();
    expect([keeper.counts().held, keeper.streams, followed.get('team-a')]).to.deep.equal([1, 8, 'all']);
    withClusters.delete('team-a');
    keeper.changed('team-a');
    await clock.run(59_999);
    expect(keeper.mayAct('team-a')).to.equal(true);
    await clock.run(1);
    expect([keeper.counts().quiet, followed.get('team-a')]).to.deep.equal([1, 'little']);
  });

  it('keeps all watches when a cluster came back within a minute', async () => {
    const { keeper, clock, log, withClusters, settle } = setUp();
    keeper.want(['team-a']);
    await settle();
    const before = log.length;
    withClusters.delete('team-a');
    keeper.changed('team-a');
    await clock.run(30_000);
    withClusters.add('team-a');
    keeper.changed('team-a');
    await clock.run(120_000);
    expect([keeper.mayAct('team-a'), log.slice(before)]).to.deep.equal([true, []]);
  });

  it('is reported with its missing rights, does not stop others, and is checked ever less often', async () => {
    const { keeper, clock, log, without, settle } = setUp({ without: ['team-a'] });
    keeper.want(['team-a', 'team-b']);
    await settle();
    expect(keeper.mayAct('team-b')).to.equal(true);
    expect(keeper.isSettled).to.equal(true);
    expect(keeper.refused()).to.deep.equal([{ namespace: 'team-a', why: 'may not list pods' }]);
    await clock.run(3_600_000);
    const asked = log.filter((line) => line === 'asks team-a').length;
    // 5, 10, 20, … 300 s: seven times in the first ten minutes, then once in five.
    expect(asked).to.be.within(15, 20);
    without.delete('team-a');
    await clock.run(300_000);
    expect(keeper.mayAct('team-a')).to.equal(true);
    expect(keeper.refused()).to.deep.equal([]);
  });

  it('causes, together with a thousand others without rights, no more than two questions a second', async () => {
    const names = Array.from({ length: MAX_NAMESPACES }, (_, at) => `team-${at}`);
    const { keeper, clock, log, settle } = setUp({ without: names });
    keeper.want(names);
    await settle();
    await clock.run(600_000);
    const before = log.length;
    await clock.run(600_000);
    expect(log.length - before).to.be.at.most(1_300);
  });

  it('makes room for others after a minute when its lists hang, and is tried again', async () => {
    const names = Array.from({ length: 9 }, (_, at) => `team-${at}`);
    const { keeper, clock, hanging, settle } = setUp({ withClusters: names });
    for (const name of names.slice(0, 8)) hanging.set(name, Promise.withResolvers<void>());
    keeper.want(names);
    await settle();
    expect(keeper.mayAct('team-8')).to.equal(false);
    await clock.run(60_000);
    expect(keeper.mayAct('team-8')).to.equal(true);
    expect(keeper.refused().map(({ why }) => why)).to.include('not complete within 60 s');
    for (const list of hanging.values()) list.resolve();
    await clock.run(10_000);
    expect(keeper.counts().held).to.equal(9);
  });

  it('is let go when its rights are removed, as soon as a watch is refused, and comes back with them', async () => {
    const { keeper, clock, log, without, settle } = setUp();
    keeper.want(['team-a', 'team-b']);
    await settle();
    keeper.doubt('team-a', '403');
    await settle();
    expect(keeper.mayAct('team-a'), 'a refused watch alone proves nothing').to.equal(true);
    without.add('team-a');
    await clock.run(30_000);
    keeper.doubt('team-a', '403');
    await settle();
    expect([keeper.mayAct('team-a'), keeper.mayAct('team-b')]).to.deep.equal([false, true]);
    expect(log).to.include('lets go of team-a, may not act');
    without.delete('team-a');
    await clock.run(5_000);
    expect(keeper.mayAct('team-a')).to.equal(true);
  });

  it('is not checked again and again because its watches are refused', async () => {
    const { keeper, clock, log, settle } = setUp();
    keeper.want(['team-a']);
    await settle();
    const before = log.length;
    for (let second = 0; second < 60; second += 1) {
      keeper.doubt('team-a', '403');
      await clock.run(1_000);
    }
    expect(log.length - before).to.equal(2);
  });

  it('is reported and left alone beyond a thousand, and the earlier ones stay', async () => {
    const { keeper, log, settle } = setUp({ withClusters: [] });
    keeper.want(['zoo']);
    await settle();
    const names = Array.from({ length: MAX_NAMESPACES }, (_, at) => `team-${String(at).padStart(4, '0')}`);
    keeper.want([...names, 'zoo']);
    await settle();
    expect(keeper.excess).to.equal(1);
    expect(keeper.counts().quiet).to.equal(MAX_NAMESPACES);
    expect(log.filter((line) => line === 'asks zoo' || line === 'asks team-0999')).to.deep.equal(['asks zoo']);
    keeper.want(['zoo']);
    await settle();
    expect([keeper.excess, keeper.counts().quiet]).to.deep.equal([0, 1]);
  });
});

describe('a namespace that is no longer wanted', () => {
  it('is no longer managed from that moment on, and gone when passes under way have ended', async () => {
    const { keeper, log, passes, followed, settle } = setUp();
    const pass = Promise.withResolvers<void>();
    passes.set('team-a', pass);
    keeper.want(['team-a', 'team-b']);
    await settle();
    keeper.want(['team-b']);
    expect([keeper.mayAct('team-a'), keeper.mayAct('team-b')]).to.deep.equal([false, true]);
    await settle();
    expect([keeper.counts().leaving, followed.has('team-a')]).to.deep.equal([1, true]);
    pass.resolve();
    await settle();
    expect([keeper.counts().leaving, followed.has('team-a')]).to.deep.equal([0, false]);
    expect(log.at(-1)).to.equal('lets go of team-a, may not act');
  });

  it('begins anew when it is wanted again in the meantime, once it has ended', async () => {
    const { keeper, log, passes, settle } = setUp();
    const pass = Promise.withResolvers<void>();
    passes.set('team-a', pass);
    keeper.want(['team-a']);
    await settle();
    keeper.want([]);
    keeper.want(['team-a']);
    await settle();
    expect(keeper.mayAct('team-a')).to.equal(false);
    const before = log.length;
    pass.resolve();
    await settle();
    expect(keeper.mayAct('team-a')).to.equal(true);
    expect(log.slice(before)).to.include('asks team-a');
  });

  it('is never managed when it was still starting', async () => {
    const { keeper, log, hanging, followed, settle } = setUp();
    hanging.set('team-a', Promise.withResolvers<void>());
    keeper.want(['team-a']);
    await settle();
    keeper.want([]);
    await settle();
    expect([keeper.mayAct('team-a'), followed.has('team-a')]).to.deep.equal([false, false]);
    expect(log).not.to.include('reconciles team-a');
    expect(keeper.counts()).to.deep.equal({ starting: 0, quiet: 0, held: 0, refused: 0, leaving: 0 });
  });

  it('leaves nothing that could wake it, neither a retry nor a timer', async () => {
    const { keeper, clock, log, settle } = setUp({ without: ['team-a'] });
    keeper.want(['team-a']);
    await settle();
    keeper.want([]);
    await settle();
    const before = log.length;
    await clock.run(3_600_000);
    expect(log.length).to.equal(before);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('is managed nowhere once the process stops', async () => {
    const { keeper, stop, ended, settle } = setUp();
    keeper.want(['team-a']);
    await settle();
    stop.abort(new Error('stop'));
    await ended;
    expect(keeper.mayAct('team-a')).to.equal(false);
  });
});
