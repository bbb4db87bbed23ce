// Members that cannot be read, and how often a member is asked at rest.

import {
  StoreProtocolError,
  StoreTooLargeError,
  StoreUnreachableError,
  type UnreachableReason,
} from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { runningRig } from './support/comparisons-rig.ts';
import { comparisonRequest, fakeComparisons } from './support/fake-comparison.ts';

const SECOND = '127.0.1.2';
const NOTHING = { next: () => undefined };
const closed = (reason: UnreachableReason = 'closed') => new StoreUnreachableError(reason, `connection ${reason}`);

describe('a comparison with a member that cannot be read', () => {
  it('opens its connection again after 1, 2 and then every 5 s, and goes on with the others meanwhile', async () => {
    const { clock, contents, want, only, report, end } = runningRig();
    contents.onOpen = async (host) => {
      if (host === SECOND) throw closed('refused');
    };
    want(comparisonRequest());
    await clock.run(20_000);
    expect(contents.log.filter((line) => line.endsWith('open 2'))).to.deep.equal([
      '0 open 2',
      '1000 open 2',
      '3000 open 2',
      '8000 open 2',
      '13000 open 2',
      '18000 open 2',
    ]);
    expect(only().taken.filter((line) => line.endsWith('digests'))).to.deep.equal([
      '1 digests',
      '1 digests',
      '1 digests',
    ]);
    expect(only().taken.filter((line) => line.endsWith('failed'))).to.deep.equal(Array(6).fill('2 failed'));
    expect(report()?.state).to.equal('running');
    contents.onOpen = async () => {};
    await clock.run(4_000);
    expect(report()?.state).to.equal('complete');
    await end();
  });

  it('spreads the attempts by making them up to a fifth earlier', async () => {
    const { clock, contents, want, end } = runningRig({}, { random: () => 0.5 });
    contents.onOpen = async (host) => {
      if (host === SECOND) throw closed('refused');
    };
    want(comparisonRequest());
    await clock.run(8_000);
    expect(contents.log.filter((line) => line.endsWith('open 2'))).to.deep.equal([
      '0 open 2',
      '900 open 2',
      '2700 open 2',
      '7200 open 2',
    ]);
    await end();
  });

  it('names it at the third failure in a row, with its error, reports it once, and withdraws that with its next answer', async () => {
    const { clock, contents, want, report, progress, end } = runningRig();
    contents.onOpen = async (host) => {
      if (host === SECOND) throw closed('refused');
    };
    want(comparisonRequest());
    await clock.run(2_999);
    expect(report()?.problem).to.equal(undefined);
    await clock.run(1);
    expect(report()?.problem).to.deep.equal({ nodeId: 2, error: 'connection refused' });
    contents.onOpen = async (host) => {
      if (host === SECOND) throw closed('timeout');
    };
    await clock.run(7_000);
    expect(report()?.problem?.error).to.equal('connection timeout');
    expect(progress).to.deep.equal(['0 running 0', '1000 running 3', '3000 running 3']);
    contents.onOpen = async () => {};
    contents.onAsk = (_host, signal) => clock.delay(100, signal);
    await clock.run(3_099);
    // Connected, but it has not answered yet.
    expect(report()?.problem?.nodeId).to.equal(2);
    await clock.run(1);
    expect(report()?.problem).to.equal(undefined);
    expect(progress.slice(3)).to.deep.equal(['13100 running 4']);
    await end();
  });

  it('names it at the second answer in a row that no member gives', async () => {
    for (const error of [new StoreProtocolError('garbage'), new StoreTooLargeError(8, 'frame of 10 MB')]) {
      const { clock, contents, want, report, end } = runningRig();
      contents.onAsk = async (host) => {
        if (host === SECOND) throw error;
      };
      want(comparisonRequest());
      await clock.run(999);
      expect(report()?.problem).to.equal(undefined);
      await clock.run(1);
      expect(report()?.problem).to.deep.equal({ nodeId: 2, error: error.message });
      await end();
    }
  });

  it('counts only failures in a row, from the last usable answer', async () => {
    const { clock, contents, want, report, only, end } = runningRig({ questions: 30 });
    let asked = 0;
    contents.onAsk = async (host, signal) => {
      await clock.delay(10, signal);
      asked += host === SECOND ? 1 : 0;
      if (host === SECOND && asked % 3 !== 0) throw closed();
    };
    want(comparisonRequest());
    while (report()?.state !== 'complete' && clock.steadyMs() < 200_000) {
      await clock.run(100);
      expect(report()?.problem).to.equal(undefined);
    }
    expect(report()?.state).to.equal('complete');
    expect(only().taken.filter((line) => line === '2 failed')).to.have.lengthOf(60);
    await end();
  });

  it('returns the question as failed, closes the connection, and asks again on a new one', async () => {
    const { clock, contents, want, only, end } = runningRig({ questions: 1 });
    contents.onAsk = async (host) => {
      if (host === SECOND && clock.steadyMs() < 500) throw closed();
    };
    want(comparisonRequest());
    await clock.run(2_000);
    expect(contents.log.filter((line) => line.endsWith(' 2'))).to.deep.equal([
      '0 open 2',
      '0 ask 2',
      '0 close 2',
      '1000 open 2',
      '1000 ask 2',
      '1000 close 2',
    ]);
    expect(only().taken).to.have.members(['1 digests', '2 failed', '2 digests']);
    await end();
  });

  it('is never complete while the member closes at every question, although every connection succeeds', async () => {
    const { clock, contents, want, report, only, end } = runningRig();
    contents.onAsk = async (host) => {
      if (host === SECOND) throw closed();
    };
    want(comparisonRequest());
    await clock.run(600_000);
    expect(report()).to.deep.include({ state: 'running', coveredAtMs: undefined, partitionsDone: 3 });
    expect(report()?.problem).to.deep.equal({ nodeId: 2, error: 'connection closed' });
    expect(only().taken.filter((line) => line === '2 digests')).to.deep.equal([]);
    await end();
  });

  it('is held up only by the pace of its answers when the member closes after each, one a second', async () => {
    const { clock, contents, want, report, only, end } = runningRig({ questions: 5 });
    let isOpen = false;
    contents.onOpen = async (host) => {
      isOpen ||= host === SECOND;
    };
    contents.onAsk = async (host) => {
      if (host !== SECOND) return;
      if (!isOpen) throw closed();
      isOpen = false;
    };
    want(comparisonRequest());
    await clock.run(3_500);
    expect(report()).to.deep.include({ state: 'running', partitionsDone: 9 });
    await clock.run(1_000);
    expect(report()).to.deep.include({ state: 'complete', problem: undefined });
    expect(only().taken.filter((line) => line === '2 failed')).to.have.lengthOf(4);
    await end();
  });

  it('waits for a member that hangs without a timer of its own', async () => {
    const { clock, contents, want, report, end } = runningRig();
    contents.onAsk = async (host, signal) => {
      if (host === SECOND)
        await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    };
    want(comparisonRequest());
    await clock.run(600_000);
    expect([report()?.state, report()?.problem, clock.pendingTimers]).to.deep.equal(['running', undefined, 0]);
    await end();
  });

  it('names in its report at once whatever error the reader throws', async () => {
    for (const error of [new RangeError('not an IPv4 literal'), 'just text', undefined]) {
      for (const where of ['onOpen', 'onAsk'] as const) {
        const { clock, contents, want, report, end } = runningRig();
        contents[where] = async (host) => {
          if (host === SECOND) throw error;
        };
        want(comparisonRequest());
        await clock.run(0);
        const said = error instanceof Error ? error.message : String(error);
        expect(report()?.problem).to.deep.equal({ nodeId: 2, error: said });
        await clock.run(10_000);
        expect(report()?.state).to.equal('running');
        await end();
      }
    }
  });

  it('begins anew half a minute after a failure of the comparison itself, which proves nothing', async () => {
    let isBroken = true;
    const { clock, want, report, made, connections, end } = runningRig({
      onTake(_, question) {
        if (isBroken && question.nodeId === 2) throw new TypeError('no such bucket');
      },
    });
    want(comparisonRequest());
    await clock.run(1_000);
    expect(report()).to.deep.include({ state: 'waiting', startedAtMs: undefined, partitionsDone: 0 });
    expect(report()?.problem).to.deep.equal({ nodeId: 1, error: 'no such bucket' });
    expect(connections()).to.equal(0);
    isBroken = false;
    await clock.run(30_000);
    expect(made.map(({ createdAtMs }) => createdAtMs)).to.deep.equal([0, 30_010]);
    expect(report()).to.deep.include({ state: 'complete', problem: undefined, startedAtMs: 30_010 });
    await end();
  });

  it('survives a comparison that fails before any question', async () => {
    const { createComparison } = fakeComparisons();
    for (const part of ['next', 'figures', 'idleForMs'] as const) {
      const { clock, want, report, end } = runningRig(
        { questions: 0 },
        {
          createComparison(request, nowMs) {
            const broken = () => {
              throw new Error(`no ${part}`);
            };
            return { ...createComparison(request, nowMs), [part]: broken, ...(part === 'idleForMs' ? NOTHING : {}) };
          },
        },
      );
      want(comparisonRequest());
      await clock.run(100_000);
      expect(report()?.problem?.error).to.equal(`no ${part}`);
      await end();
    }
  });

  it('survives a comparison that cannot be created, or fails while no member is asked', async () => {
    const { clock, want, report, end } = runningRig(
      {},
      {
        createComparison() {
          throw new Error('no placement');
        },
      },
    );
    want(comparisonRequest());
    await clock.run(100_000);
    expect(report()?.problem?.error).to.equal('no placement');
    await end();

    const kept = runningRig();
    kept.want(comparisonRequest({ isKeptFresh: true }));
    await kept.clock.run(1_000);
    Object.assign(kept.only(), {
      sweep() {
        throw new Error('no sweep');
      },
    });
    await kept.clock.run(1_500);
    expect(kept.report()).to.deep.include({ state: 'waiting', coveredAtMs: undefined });
    expect(kept.report()?.problem?.error).to.equal('no sweep');
    await kept.end();
  });
});

describe('a comparison at rest', () => {
  const asked = (log: readonly string[]) =>
    log.filter((line) => line.endsWith('ask 1')).map((line) => Number.parseInt(line, 10));

  it('asks every member about sixteen partitions in two seconds', async () => {
    const { clock, contents, want, end } = runningRig({ questions: 10, partitions: 16 });
    contents.onAsk = async () => {};
    want(comparisonRequest({ purpose: 'routine' }));
    await clock.run(8_000);
    expect(asked(contents.log)).to.deep.equal([0, 2_000, 4_000, 6_000, 8_000]);
    expect(clock.pendingTimers).to.equal(1);
    await end();
  });

  it('waits longer after a question about more partitions', async () => {
    const { clock, contents, want, end } = runningRig({ questions: 10, partitions: 64 });
    contents.onAsk = async () => {};
    want(comparisonRequest({ purpose: 'routine' }));
    await clock.run(20_000);
    expect(asked(contents.log)).to.deep.equal([0, 8_000, 16_000]);
    await end();
  });

  it('doubles the wait while answers take longer than a second, and halves it again afterwards', async () => {
    const { clock, contents, want, end } = runningRig({ questions: 20, partitions: 16 });
    contents.onAsk = (_host, signal) => clock.delay(clock.steadyMs() < 10_000 ? 1_500 : 1_000, signal);
    want(comparisonRequest({ purpose: 'routine' }));
    await clock.run(45_000);
    const times = asked(contents.log).slice(0, 7);
    expect(times.slice(1).map((atMs, i) => atMs - (times[i] ?? 0))).to.deep.equal([
      5_500, 9_500, 5_000, 3_000, 3_000, 3_000,
    ]);
    await end();
  });

  it('becomes complete all the same', async () => {
    const { clock, want, report, end } = runningRig({ questions: 5, partitions: 16 });
    want(comparisonRequest({ purpose: 'routine' }));
    await clock.run(8_100);
    expect(report()?.state).to.equal('complete');
    await end();
  });
});
