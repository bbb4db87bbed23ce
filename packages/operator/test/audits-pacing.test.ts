// How the work on test keys is paced, bounded and given up: a store made of promises, a clock by hand.

import { homesAt, placementOf } from '@marekvs/api';
import { canaryPartitions } from '@marekvs/planner';
import { createManualClock } from '@marekvs/runtime';
import {
  StoreAuthError,
  type StoreClient,
  type StoreCommand,
  type StoreSession,
  StoreUnreachableError,
} from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type AuditsOptions, createAudits } from '../src/members/audits.ts';
import { ALL, KEY, request, SURVIVORS, TARGET } from './support/audit-requests.ts';

/** Audits over a store made of promises, on a clock by hand. */
function scripted(change: Partial<Record<keyof StoreClient, unknown>> = {}, options: Partial<AuditsOptions> = {}) {
  const clock = createManualClock();
  const stop = new AbortController();
  const opened: string[] = [];
  const progress: string[] = [];
  const answer: StoreSession['commands'] = async (list) => list.map(() => 'OK');
  const session: StoreSession = { commands: answer, close: () => {}, [Symbol.asyncDispose]: async () => {} };
  const store: Partial<Record<keyof StoreClient, unknown>> = {
    async session(address: { readonly host: string }) {
      opened.push(address.host);
      return session;
    },
    ...change,
  };
  const audits = createAudits({
    store: store as StoreClient,
    clock,
    passwordOf: async () => undefined,
    onProgress: (key) => void progress.push(key),
    onOwnExchange: () => () => {},
    ...options,
  });
  const done = audits.run(stop.signal);
  return {
    clock,
    audits,
    opened,
    progress,
    async end() {
      stop.abort();
      await clock.run(0);
      await done;
      expect(clock.pendingTimers, 'timers after the stop').to.equal(0);
    },
  };
}

/** Never answers, but gives up when it is told to. */
const hangs = (asked: string[]) => (address: { readonly host: string }, options: { readonly signal: AbortSignal }) =>
  new Promise((_, reject) => {
    asked.push(address.host);
    options.signal.addEventListener('abort', () => reject(options.signal.reason));
  });

describe('the work on test keys', () => {
  it('goes on when the same is asked for again, as a new object', async () => {
    const asked: string[] = [];
    const { clock, audits, end } = scripted({ session: hangs(asked) });
    for (let i = 0; i < 5; i += 1) {
      audits.want(KEY, request('write'));
      await clock.run(100);
    }
    expect(asked).to.have.lengthOf(1);
    await end();
  });

  it('is ended by another request of the cluster, which begins when the old attempt is over', async () => {
    for (const change of [
      { operationId: 'another' },
      { partitions: [1, 2, 3] },
      { members: [{ nodeId: TARGET, podUid: 'pod-new', ip: '127.0.1.4' }] },
    ]) {
      const asked: string[] = [];
      const { clock, audits, end } = scripted({ session: hangs(asked) });
      audits.want(KEY, request('write'));
      await clock.run(100);
      audits.want(KEY, request('write', change));
      expect(audits.report(KEY)).to.deep.include({ state: 'running', request: request('write', change) });
      await clock.run(0);
      expect(asked, JSON.stringify(change)).to.have.lengthOf(2);
      await end();
    }
  });

  it('waits for the end of an attempt that was given up, even if nothing was wanted in between', async () => {
    const gate = Promise.withResolvers<never>();
    const asked: string[] = [];
    const session = (address: { readonly host: string }) => {
      asked.push(address.host);
      return gate.promise;
    };
    const { clock, audits, end } = scripted({ session });
    audits.want(KEY, request('write'));
    await clock.run(0);
    audits.want(KEY, undefined);
    audits.want(KEY, request('clean'));
    await clock.run(1_000);
    expect(asked).to.deep.equal(['127.0.1.4']);
    gate.reject(new StoreUnreachableError('reset', 'connection reset'));
    await clock.run(0);
    expect(asked).to.have.lengthOf(4);
    await end();
  });

  it('ends and is forgotten when nothing is wanted any more, also when its answer comes later', async () => {
    const gate = Promise.withResolvers<StoreSession>();
    const { clock, audits, progress, end } = scripted({ session: () => gate.promise });
    audits.want(KEY, request('write'));
    await clock.run(0);
    audits.want(KEY, undefined);
    expect(audits.report(KEY)).to.equal(undefined);
    gate.reject(new StoreUnreachableError('reset', 'connection reset'));
    await clock.run(60_000);
    expect([progress, clock.pendingTimers]).to.deep.equal([[], 0]);
    await end();
  });

  it('tries again after 1, 2, 4 and then every 5 s while nobody answers, and says so once', async () => {
    const times: number[] = [];
    const { clock, audits, progress, end } = scripted({
      async session() {
        times.push(clock.steadyMs());
        throw new StoreUnreachableError('refused', 'connection refused');
      },
    });
    audits.want(KEY, request('write'));
    await clock.run(22_000);
    expect(times).to.deep.equal([0, 1_000, 3_000, 7_000, 12_000, 17_000, 22_000]);
    expect(audits.report(KEY)).to.deep.include({ state: 'incomplete', error: 'connection refused' });
    expect(progress).to.deep.equal([KEY]);
    await end();
  });

  it('gives one attempt 10 s, keeps what it brought, and ends in the report, whatever is thrown', async () => {
    const asked: string[] = [];
    const slow = hangs(asked);
    const wanted = request('clean');
    const { clock, audits, end } = scripted({
      async session(address: { readonly host: string }, options: { readonly signal: AbortSignal }) {
        if (address.host === '127.0.1.2') return slow(address, options);
        if (address.host === '127.0.1.3') throw new RangeError('nonsense');
        const commands = async (list: readonly StoreCommand[]) => list.map(() => 1);
        return { commands, close: () => {} };
      },
    });
    audits.want(KEY, wanted);
    await clock.run(9_999);
    expect(audits.report(KEY)?.state).to.equal('running');
    await clock.run(1);
    const report = audits.report(KEY);
    const left = wanted.partitions.filter((partition) => homesAt(placementOf(SURVIVORS, 2), partition)[0] !== 1);
    expect(report).to.deep.include({ state: 'incomplete', missingCount: left.length });
    expect(report?.error).to.be.oneOf(['not done within 10 s', 'nonsense']);
    await end();
  });

  it('is done for eight clusters at once, and for the ninth when one of them is through', async () => {
    const gates = Array.from({ length: 9 }, () => Promise.withResolvers<StoreSession>());
    let asked = 0;
    const { clock, audits, end } = scripted({
      session() {
        asked += 1;
        return gates[asked - 1]?.promise;
      },
    });
    for (let i = 0; i < 9; i += 1) audits.want(`default/c${i}`, request('write'));
    await clock.run(0);
    expect(asked).to.equal(8);
    gates[0]?.reject(new StoreUnreachableError('reset', 'connection reset'));
    await clock.run(0);
    expect(asked).to.equal(9);
    for (const gate of gates) gate.reject(new StoreUnreachableError('reset', 'connection reset'));
    await end();
  });

  it('is complete at once when there is nothing to look for: one copy of everything, or no partition', async () => {
    for (const change of [{ replicationFactor: 1, partitions: canaryPartitions(ALL, 1, TARGET) }, { partitions: [] }]) {
      const { clock, audits, opened, end } = scripted();
      audits.want(KEY, request('readBefore', change));
      await clock.run(0);
      expect(audits.report(KEY)?.state).to.equal('complete');
      expect(opened).to.deep.equal([]);
      await end();
    }
  });

  it('is not complete while one reply is not OK', async () => {
    const replies = async (list: readonly StoreCommand[]) => list.map((_, i) => (i === 3 ? 'QUEUED' : 'OK'));
    const { clock, audits, end } = scripted({ session: async () => ({ commands: replies, close: () => {} }) });
    audits.want(KEY, request('write'));
    await clock.run(0);
    expect(audits.report(KEY)).to.deep.include({ state: 'incomplete', missingCount: 1 });
    await end();
  });

  it('is not complete when replies are missing', async () => {
    const { clock, audits, end } = scripted({
      session: async () => ({ commands: async () => ['OK'], close: () => {} }),
    });
    audits.want(KEY, request('write'));
    await clock.run(0);
    expect(audits.report(KEY)?.missingCount).to.equal(request('write').partitions.length - 1);
    await end();
  });

  it('says what keeps it from asking at all: no password to be had', async () => {
    const { clock, audits, opened, end } = scripted(
      {},
      {
        passwordOf: async () => {
          throw new Error('Secret default/demo does not exist');
        },
      },
    );
    audits.want(KEY, request('write'));
    await clock.run(0);
    expect(audits.report(KEY)?.error).to.equal('Secret default/demo does not exist');
    expect(opened).to.deep.equal([]);
    await end();
  });

  it('asks for the password anew only after a refusal', async () => {
    const stale: boolean[] = [];
    const { clock, audits, end } = scripted(
      {
        async session() {
          throw new StoreAuthError('wrongPassword');
        },
      },
      {
        passwordOf: async (_key, isStale) => {
          stale.push(isStale);
          return 'x';
        },
      },
    );
    audits.want(KEY, request('write'));
    await clock.run(3_000);
    expect(stale).to.deep.equal([false, true, true]);
    await end();
  });

  it('begins when it is run, with what was wanted until then', async () => {
    const asked: string[] = [];
    const clock = createManualClock();
    const audits = createAudits({
      store: { session: hangs(asked) } as Partial<Record<keyof StoreClient, unknown>> as StoreClient,
      clock,
      passwordOf: async () => undefined,
      onProgress: () => {},
      onOwnExchange: () => () => {},
    });
    audits.want(KEY, request('write'));
    await clock.run(1_000);
    expect(asked).to.deep.equal([]);
    const stop = new AbortController();
    const done = audits.run(stop.signal);
    await clock.run(0);
    expect(asked).to.have.lengthOf(1);
    stop.abort();
    await done;
    expect(clock.pendingTimers).to.equal(0);
  });
});
