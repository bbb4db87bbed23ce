// What becomes of a requested comparison: begun, continued, begun anew, kept fresh, reported, forgotten.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { comparisonsRig, runningRig } from './support/comparisons-rig.ts';
import { comparedMember, comparisonRequest } from './support/fake-comparison.ts';

describe('a comparison of contents', () => {
  it('asks every member on one connection, members in parallel, one question at a time each, and then closes', async () => {
    const { clock, contents, want, report, only, end } = runningRig();
    await clock.run(500);
    want(comparisonRequest());
    await clock.run(100);
    expect(contents.log).to.deep.equal([
      '500 open 1',
      '500 open 2',
      '500 ask 1',
      '500 ask 2',
      '510 ask 1',
      '510 ask 2',
      '520 ask 1',
      '520 ask 2',
      '530 close 1',
      '530 close 2',
    ]);
    expect(only().createdAtMs).to.equal(500);
    expect(report()).to.deep.include({ state: 'complete', startedAtMs: 500, coveredAtMs: 500, partitionsDone: 6 });
    await end();
  });

  it('keeps its report when it is complete, at no further cost', async () => {
    const { clock, want, report, contents, end } = runningRig();
    want(comparisonRequest());
    await clock.run(100);
    const asked = contents.log.length;
    for (let i = 0; i < 5; i += 1) {
      want(comparisonRequest());
      await clock.run(60_000);
    }
    expect([report()?.state, contents.log.length, clock.pendingTimers]).to.deep.equal(['complete', asked, 0]);
    await end();
  });

  it('goes on when the same request comes as a new object, which its report then carries', async () => {
    const { clock, contents, want, report, only, end } = runningRig();
    contents.onAsk = (_host, signal) => clock.delay(1_000, signal);
    await clock.run(1_000);
    want(comparisonRequest({ sinceMs: 1_000 }));
    await clock.run(100);
    const again = comparisonRequest({ sinceMs: 900 });
    want(again);
    await clock.run(100);
    expect(only().taken).to.deep.equal([]);
    expect(report()?.request).to.equal(again);
    await end();
  });

  it('begins anew when it began before the time that the request names, also when it was complete', async () => {
    for (const afterMs of [5, 100]) {
      const { clock, want, report, made, contents, end } = runningRig();
      want(comparisonRequest());
      await clock.run(afterMs);
      want(comparisonRequest({ sinceMs: afterMs }));
      expect(report()).to.deep.include({ state: 'waiting', startedAtMs: undefined, coveredAtMs: undefined });
      await clock.run(100);
      expect(made.map(({ createdAtMs }) => createdAtMs)).to.deep.equal([0, afterMs]);
      expect(report()).to.deep.include({ state: 'complete', startedAtMs: afterMs });
      expect(contents.log.filter((line) => line.includes('open'))).to.have.lengthOf(4);
      await end();
    }
  });

  it('goes on when it began exactly at the time that the request names', async () => {
    const { clock, want, only, end } = runningRig();
    await clock.run(500);
    want(comparisonRequest());
    await clock.run(100);
    want(comparisonRequest({ sinceMs: 500 }));
    await clock.run(100);
    only();
    await end();
  });

  it('is ended by another request for its cluster, also because of a member that has restarted', async () => {
    for (const change of [
      { id: 'op-2' },
      { purpose: 'removal' as const },
      { replicationFactor: 3 },
      { members: [comparedMember(1), comparedMember(2, 101)] },
    ]) {
      const { clock, want, report, made, contents, connections, end } = runningRig();
      contents.onAsk = (_host, signal) => clock.delay(50, signal);
      want(comparisonRequest());
      await clock.run(75);
      want(comparisonRequest(change));
      await clock.run(5);
      expect(connections(), JSON.stringify(change)).to.equal(2);
      expect(made).to.have.lengthOf(2);
      await clock.run(200);
      // Answers to outstanding questions go to the old comparison, and none of them reaches the new one.
      expect(made[0]?.taken).to.deep.equal(['1 digests', '2 digests', '1 failed', '2 failed']);
      expect(made[1]?.taken).to.have.lengthOf(6);
      expect(report()).to.deep.include({ state: 'complete', startedAtMs: 75 });
      await end();
    }
  });

  it('waits for the end of the previous one, even if none was requested in between', async () => {
    const { clock, want, made, contents, end } = runningRig();
    const gate = Promise.withResolvers<void>();
    contents.onOpen = () => gate.promise;
    want(comparisonRequest());
    await clock.run(10);
    want(undefined);
    want(comparisonRequest({ id: 'op-2' }));
    await clock.run(1_000);
    expect(made).to.have.lengthOf(1);
    contents.onOpen = async () => {};
    gate.resolve();
    await clock.run(10);
    expect(made).to.have.lengthOf(2);
    // The connections that opened too late are closed, not used.
    expect(contents.log.slice(0, 4)).to.deep.equal(['0 open 1', '0 open 2', '1010 close 1', '1010 close 2']);
    await end();
  });

  it('is forgotten when it is no longer requested, and reports nothing more', async () => {
    const { clock, want, report, progress, connections, end } = runningRig();
    want(comparisonRequest());
    await clock.run(15);
    const told = progress.length;
    want(undefined);
    expect(report()).to.equal(undefined);
    await clock.run(60_000);
    expect([connections(), clock.pendingTimers, progress.length]).to.deep.equal([0, 0, told]);
    await end();
  });

  it('may be forgotten by the listener that is called for it', async () => {
    const rig = comparisonsRig({}, { onProgress: (key) => rig.comparisons.want(key, undefined) });
    rig.start();
    rig.want(comparisonRequest());
    await rig.clock.run(60_000);
    expect([rig.report(), rig.connections(), rig.clock.pendingTimers]).to.deep.equal([undefined, 0, 0]);
    await rig.end();
  });

  it('waits until comparisons are started, and says so', async () => {
    const { clock, want, report, made, start, end } = comparisonsRig();
    want(comparisonRequest());
    await clock.run(1_000);
    expect(report()).to.deep.include({ state: 'waiting', startedAtMs: undefined, partitionsDone: 0 });
    expect(report()?.partitionsTotal).to.equal(4096);
    expect(made).to.have.lengthOf(0);
    start();
    await clock.run(100);
    expect(report()).to.deep.include({ state: 'complete', startedAtMs: 1_000 });
    await end();
  });

  it('ends with everything else when it is stopped in the middle', async () => {
    for (const afterMs of [0, 5, 15]) {
      const { clock, want, end } = runningRig({ missing: 3 });
      want(comparisonRequest({ isKeptFresh: true }));
      await clock.run(afterMs);
      await end();
    }
  });

  it('waits as long as the planner says before it asks again about what is missing, and without a timer while it asks', async () => {
    const { clock, contents, want, report, only, end } = runningRig({ missing: 2, questions: 1 });
    want(comparisonRequest());
    contents.onAsk = async () => {
      expect(clock.pendingTimers).to.be.at.most(1); // The other member's answer.
      await clock.delay(10);
    };
    await clock.run(10);
    expect(report()).to.deep.include({ state: 'running' });
    expect(clock.nextTimerInMs()).to.equal(1_000);
    await clock.run(3_500);
    expect(contents.log.filter((line) => line.includes('ask'))).to.deep.equal([
      '0 ask 1',
      '0 ask 2',
      '1010 ask 1',
      '2020 ask 1',
      '3030 ask 1',
    ]);
    only().missing = 0;
    await clock.run(1_000);
    expect(report()?.state).to.equal('complete');
    await end();
  });

  it('is complete only by its figures, not because no member is left to ask', async () => {
    const { clock, want, report, end } = runningRig();
    want(comparisonRequest({ members: [], sources: [] }));
    await clock.run(10_000);
    expect(report()?.state).to.equal('running');
    await end();
  });

  it('sweeps every two seconds while it is kept fresh, on the same connections', async () => {
    const { clock, contents, want, report, only, progress, end } = runningRig({ questions: 1 });
    want(comparisonRequest({ isKeptFresh: true }));
    await clock.run(7_000);
    expect(only().sweeps).to.deep.equal([2_010, 4_020, 6_030]);
    expect(contents.log.filter((line) => !line.includes('ask'))).to.deep.equal(['0 open 1', '0 open 2']);
    expect(report()).to.deep.include({ state: 'complete', startedAtMs: 0, coveredAtMs: 6_030 });
    // Once per sweep, at its end.
    expect(progress).to.deep.equal([
      '0 running 0',
      '10 complete 2',
      '2020 complete 4',
      '4030 complete 6',
      '6040 complete 8',
    ]);
    await end();
  });

  it('reports at once when a sweep finds that something is no longer covered, and when it is again', async () => {
    const { clock, want, only, progress, end } = runningRig({ questions: 1 });
    want(comparisonRequest({ isKeptFresh: true }));
    await clock.run(2_000);
    only().missing = 5;
    await clock.run(100);
    expect(progress.slice(2)).to.deep.equal(['2020 running 4']);
    only().missing = 0;
    await clock.run(1_000);
    expect(progress.slice(3)).to.deep.equal(['3020 running 4', '3030 complete 5']);
    await end();
  });

  it('reports mere progress once a second', async () => {
    const { clock, want, report, progress, only, end } = runningRig({ questions: 350 });
    want(comparisonRequest());
    await clock.run(10_000);
    expect(progress).to.deep.equal([
      '0 running 0',
      '1000 running 199',
      '2000 running 399',
      '3000 running 599',
      '3500 complete 700',
    ]);
    // Nor does it compute more figures than it reports, except for the last answers.
    expect(only().figuresMade).to.be.at.most(12);
    expect(report()?.partitionsDone).to.equal(700);
    await end();
  });

  it('reports the current figures whenever it is asked, computed once for every change', async () => {
    const { clock, want, report, only, end } = runningRig({ questions: 100 });
    want(comparisonRequest());
    await clock.run(505);
    expect(report()?.partitionsDone).to.equal(100);
    const made = only().figuresMade;
    expect(report()).to.equal(report());
    expect(only().figuresMade).to.equal(made);
    await end();
  });
});
