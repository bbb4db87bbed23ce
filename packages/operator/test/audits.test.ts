// Test keys on simulated members over virtual time: written, found, missed, healed by anti-entropy, deleted.

import { homesAt, placementOf } from '@marekvs/api';
import { type AuditRequest, canaryKey, canaryValue } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import { createMemberNetwork, createNetworkStoreClient } from '@marekvs/simulator';
import type { StoreClient, StoreCommand } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type AuditsOptions, createAudits } from '../src/members/audits.ts';
import { ALL, KEY, OPERATION, request, SURVIVORS, TARGET } from './support/audit-requests.ts';

interface Command {
  readonly host: string;
  readonly words: StoreCommand;
}

/** The members, and audits that talk to them. `commands`: what was sent in sessions. */
function rig(change: Partial<AuditsOptions> = {}) {
  const net = createMemberNetwork({ seed: 7 });
  net.formed(ALL, { knobs: { reorderRate: 0 } });
  net.advance(3_000);
  const virtual = net.clock;
  const after: Clock['after'] = (ms, fn) => ({ cancel: virtual.after(ms, fn) });
  const clock: Clock = {
    nowMs: () => virtual.now(),
    monotonicMs: () => virtual.now(),
    steadyMs: () => virtual.now(),
    after,
    delay: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = after(ms, resolve);
        signal?.addEventListener('abort', () => {
          timer.cancel();
          reject(signal.reason);
        });
      }),
  };
  const real = createNetworkStoreClient(net);
  const commands: Command[] = [];
  const tables: string[] = [];
  const store: StoreClient = {
    ...real,
    slots(address, options) {
      tables.push(address.host);
      return real.slots(address, options);
    },
    async session(address, options) {
      const session = await real.session(address, options);
      return {
        ...session,
        commands(list, each) {
          for (const words of list) commands.push({ host: address.host, words });
          return session.commands(list, each);
        },
      };
    },
  };
  const progress: string[] = [];
  const exchanges = new Map<string, number>();
  const stop = new AbortController();
  const audits = createAudits({
    store,
    clock,
    passwordOf: async () => undefined,
    onProgress: (key) => {
      const report = audits.report(key);
      progress.push(`${report?.state} ${report?.missingCount}`);
    },
    onOwnExchange(podUid) {
      exchanges.set(podUid, (exchanges.get(podUid) ?? 0) + 1);
      return () => exchanges.set(podUid, (exchanges.get(podUid) ?? 0) - 1);
    },
    ...change,
  });
  const done = audits.run(stop.signal);

  /** Time passes, and what promises do in an instant is done before it goes on. */
  async function advance(ms: number): Promise<void> {
    for (let n = 0; n < ms; n += 10) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      net.advance(10);
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  return {
    net,
    audits,
    commands,
    tables,
    progress,
    exchanges,
    advance,
    report: () => audits.report(KEY),
    /** Asks for it and lets time pass until it is complete. */
    async complete(wanted: AuditRequest, limitMs: number) {
      audits.want(KEY, wanted);
      for (let ms = 0; ms <= limitMs; ms += 100) {
        await advance(100);
        const report = audits.report(KEY);
        if (report?.state === 'complete') return report;
      }
      throw new Error(`not complete within ${limitMs} ms: ${JSON.stringify(audits.report(KEY)?.error)}`);
    },
    holders: (partition: number) =>
      ALL.filter((id) => {
        const version = net.isUp(id) ? net.member(id).store.get(canaryKey(OPERATION, partition)) : undefined;
        return version !== undefined && !version.isDead;
      }),
    async drain() {
      await real.drain({ host: `127.0.1.${TARGET}` });
      await advance(3_000);
    },
    async end() {
      stop.abort();
      await advance(20);
      await done;
      expect(
        [...exchanges.values()].every((open) => open === 0),
        'exchanges that never ended',
      ).to.equal(true);
    },
  };
}

describe('test keys', function () {
  // Seconds of members on a busy machine.
  this.timeout(30_000);

  it('are written through the target and are then on all homes', async () => {
    const { complete, commands, holders, advance, progress, report, end } = rig();
    const wanted = request('write');
    const done = await complete(wanted, 1_000);
    expect(done).to.deep.include({ request: wanted, missing: [], missingCount: 0, error: undefined });
    expect(done.doneAtMs).to.be.a('number');
    expect(new Set(commands.map(({ host }) => host))).to.deep.equal(new Set(['127.0.1.4']));
    expect(commands.every(({ words }) => words[0] === 'SET')).to.equal(true);
    expect(commands).to.have.lengthOf(wanted.partitions.length);
    expect(progress).to.deep.equal(['complete 0']);
    await advance(1_000);
    const placement = placementOf(ALL, 2);
    for (const partition of wanted.partitions)
      expect(holders(partition)).to.have.members([...homesAt(placement, partition)]);
    await advance(5_000);
    expect(commands, 'nothing is done twice').to.have.lengthOf(wanted.partitions.length);
    expect(report()?.doneAtMs).to.equal(done.doneAtMs);
    await end();
  });

  it('are found on all other homes before the target leaves, which is not asked itself', async () => {
    const { complete, commands, drain, advance, tables, end } = rig();
    await complete(request('write'), 1_000);
    await drain();
    await advance(1_000);
    commands.length = 0;
    await complete(request('readBefore'), 2_000);
    expect(tables).to.have.members(['127.0.1.1', '127.0.1.2', '127.0.1.3']);
    expect(commands.some(({ host }) => host === '127.0.1.4')).to.equal(false);
    expect(commands.every(({ words }) => words[0] === 'GET')).to.equal(true);
    expect(commands).to.have.lengthOf(request('readBefore').partitions.length);
    await end();
  });

  it('that were not pushed are missing until anti-entropy brings them, and only they are asked for again', async () => {
    const { net, audits, complete, commands, drain, advance, report, progress, end } = rig();
    await drain();
    net.member(TARGET).setKnobs({ pushLossRate: 0.5 });
    await complete(request('write'), 1_000);
    commands.length = 0;
    progress.length = 0;
    const wanted = request('readBefore');
    audits.want(KEY, wanted);
    await advance(300);
    const early = report();
    expect([early?.state, early?.doneAtMs, early?.error]).to.deep.equal(['incomplete', undefined, undefined]);
    expect(early?.missingCount).to.be.within(wanted.partitions.length / 4, (wanted.partitions.length * 3) / 4);
    expect(early?.missing).to.have.lengthOf(10);
    for (const { partition, nodeId } of early?.missing ?? [])
      expect(net.member(nodeId).store.get(canaryKey(OPERATION, partition))).to.equal(undefined);
    commands.length = 0;
    await advance(1_000);
    expect(commands.length).to.be.within(1, early?.missingCount ?? 0);
    const done = await complete(wanted, 30_000);
    expect(done.missingCount).to.equal(0);
    expect(progress.length).to.be.above(2);
    expect(new Set(progress).size, 'told only when something changed').to.equal(progress.length);
    await end();
  });

  it('arrive at the new homes after the target has gone', async () => {
    const { net, complete, drain, holders, advance, report, audits, end } = rig();
    await complete(request('write'), 1_000);
    await drain();
    net.kill(TARGET);
    net.until(() => net.isAgreed(SURVIVORS), 20_000, 'departure');
    const wanted = request('readAfter');
    audits.want(KEY, wanted);
    await advance(300);
    expect(report()?.state).to.equal('incomplete');
    await complete(wanted, 60_000);
    const placement = placementOf(SURVIVORS, 2);
    for (const partition of wanted.partitions)
      expect(holders(partition)).to.have.members([...homesAt(placement, partition)]);
    await end();
  });

  it('are not read on a member with another placement, which would keep a copy of each', async () => {
    const { net, complete, drain, audits, advance, report, commands, holders, end } = rig();
    await complete(request('write'), 1_000);
    await drain();
    net.member(1).setKnobs({ keptInView: [TARGET] });
    net.kill(TARGET);
    net.until(() => net.isAgreed([2, 3]) || net.member(2).view.members.length === 3, 20_000, 'departure');
    await advance(2_000);
    commands.length = 0;
    audits.want(KEY, request('readAfter'));
    await advance(15_000);
    expect(report()).to.deep.include({ state: 'incomplete' });
    expect(report()?.error).to.equal('member 1 shows another placement than expected: nothing is read there');
    expect(report()?.missing.every(({ nodeId }) => nodeId === 1)).to.equal(true);
    expect(commands.some(({ host }) => host === '127.0.1.1')).to.equal(false);
    const placement = placementOf(SURVIVORS, 2);
    for (const partition of request('readAfter').partitions)
      expect(homesAt(placement, partition)).to.include.members(holders(partition));
    net.member(1).setKnobs({ keptInView: null });
    await complete(request('readAfter'), 60_000);
    await end();
  });

  it('are not read before the target is seen leaving', async () => {
    const { complete, audits, advance, report, commands, drain, end } = rig();
    await complete(request('write'), 1_000);
    commands.length = 0;
    audits.want(KEY, request('readBefore'));
    await advance(2_000);
    expect(report()?.error).to.include('another placement than expected');
    expect(commands).to.deep.equal([]);
    await drain();
    await complete(request('readBefore'), 10_000);
    await end();
  });

  it('with another value than the operation’s are missing', async () => {
    const { net, complete, drain, audits, advance, report, end } = rig();
    const wanted = request('readBefore');
    await complete(request('write'), 1_000);
    await drain();
    const [partition = 0] = wanted.partitions;
    net.member(TARGET).write([{ key: canaryKey(OPERATION, partition), value: canaryValue('another') }]);
    await advance(1_000);
    audits.want(KEY, wanted);
    await advance(500);
    expect(report()).to.deep.include({ state: 'incomplete', missingCount: 1 });
    expect(report()?.missing[0]?.partition).to.equal(partition);
    await end();
  });

  it('are not written by a target that dies, and the report says what happened', async () => {
    const { net, audits, advance, report, end } = rig();
    net.freeze(TARGET);
    audits.want(KEY, request('write'));
    await advance(100);
    expect(report()).to.deep.include({ state: 'running', missingCount: 0, error: undefined });
    net.kill(TARGET);
    await advance(5_000);
    expect(report()).to.deep.include({ state: 'incomplete', missingCount: request('write').partitions.length });
    expect(report()?.error).to.be.a('string').and.not.include('mkv:');
    await end();
  });

  it('refused by the target for want of disk are not written until it takes writes again (MISCONF)', async () => {
    const { net, audits, advance, report, complete, end } = rig();
    net.member(TARGET).setKnobs({ diskTotalBytes: 1e9, diskAvailableBytes: 1e6 });
    await advance(4_000);
    audits.want(KEY, request('write'));
    await advance(1_000);
    expect(report()?.state).to.equal('incomplete');
    expect(report()?.error).to.include('MISCONF');
    net.member(TARGET).setKnobs({ diskTotalBytes: null, diskAvailableBytes: null });
    await complete(request('write'), 20_000);
    await end();
  });

  it('are deleted through one home each, by the next one when the first does not answer', async () => {
    const { net, complete, drain, commands, holders, advance, end } = rig();
    await complete(request('write'), 1_000);
    await drain();
    net.kill(TARGET);
    net.until(() => net.isAgreed(SURVIVORS), 20_000, 'departure');
    await complete(request('readAfter'), 60_000);
    net.freeze(2);
    commands.length = 0;
    const done = await complete(request('clean'), 20_000);
    expect(done.error).to.equal(undefined);
    net.thaw(2);
    await advance(15_000);
    expect(request('clean').partitions.flatMap(holders)).to.deep.equal([]);
    const deletions = commands.filter(({ host }) => host !== '127.0.1.2');
    expect(deletions).to.have.lengthOf(request('clean').partitions.length);
    await end();
  });

  it('are written with the password, and with the new one after the old one was refused', async () => {
    const stale: boolean[] = [];
    const { net, complete, end } = rig({
      passwordOf: async (_key, isStale) => {
        stale.push(isStale);
        return isStale ? 'new' : 'old';
      },
    });
    net.member(TARGET).requirepass = 'new';
    await complete(request('write'), 5_000);
    expect(stale).to.deep.equal([false, true]);
    await end();
  });
});
