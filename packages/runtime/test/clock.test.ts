import { expect } from 'chai';
import { describe, it } from 'mocha';
import { systemClock } from '../src/time/clock.ts';
import { createManualClock } from './support/manual-clock.ts';

describe('manual clock', () => {
  it('runs due timers in order of their time, each at its own time', () => {
    const clock = createManualClock();
    const seen: string[] = [];
    clock.after(20, () => seen.push(`b@${clock.monotonicMs()}`));
    clock.after(10, () => {
      seen.push(`a@${clock.monotonicMs()}`);
      clock.after(5, () => seen.push(`c@${clock.monotonicMs()}`));
    });
    clock.after(21, () => seen.push('late'));
    clock.advance(20);
    expect(seen).to.deep.equal(['a@10', 'c@15', 'b@20']);
    expect(clock.pendingTimers).to.equal(1);
  });

  it('does not run what was cancelled', () => {
    const clock = createManualClock();
    const timer = clock.after(10, () => expect.fail('ran'));
    timer.cancel();
    timer.cancel();
    clock.advance(20);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('runs a chain of awaited delays within one run', async () => {
    const clock = createManualClock();
    let endedAtMs = 0;
    void (async () => {
      for (let i = 0; i < 5; i++) await clock.delay(10);
      endedAtMs = clock.monotonicMs();
    })();
    await clock.run(100);
    expect(endedAtMs).to.equal(50);
  });

  it('lets frozen time pass without running timers, then runs those that are due', () => {
    const clock = createManualClock();
    let atMs = 0;
    clock.after(10, () => {
      atMs = clock.monotonicMs();
    });
    clock.freeze(1000);
    expect(atMs).to.equal(0);
    clock.advance(0);
    expect(atMs).to.equal(1000);
  });

  it('moves the wall clock without touching elapsed time', () => {
    const clock = createManualClock(0);
    clock.jumpWall(-3_600_000);
    clock.advance(5);
    expect([clock.nowMs(), clock.monotonicMs()]).to.deep.equal([-3_599_995, 5]);
  });
});

for (const [name, clock] of [
  ['manual', createManualClock()],
  ['system', systemClock],
] as const) {
  describe(`delay of the ${name} clock`, () => {
    it('rejects with the reason of its signal and leaves no listener', async () => {
      const abort = new AbortController();
      const reason = new Error('enough');
      const delayed = clock.delay(60_000, abort.signal).catch((error: unknown) => error);
      abort.abort(reason);
      expect(await delayed).to.equal(reason);
      expect(await clock.delay(1, abort.signal).catch((error: unknown) => error)).to.equal(reason);
    });
  });
}

describe('system clock', () => {
  it('never goes back', () => {
    let last = systemClock.monotonicMs();
    for (let i = 0; i < 1000; i++) {
      const next = systemClock.monotonicMs();
      expect(next).to.be.at.least(last);
      last = next;
    }
  });

  it('never fires before its time, fractions included', async () => {
    const startMs = systemClock.steadyMs();
    await systemClock.delay(3.7);
    expect(systemClock.steadyMs() - startMs).to.be.at.least(3.7);
  });

  it('never fires before its time when it is set late in a millisecond and read early in the next', async () => {
    /** What setTimeout counts by, in whole milliseconds. */
    const isLate = () => process.hrtime.bigint() % 1_000_000n > 900_000n;
    for (let round = 0; round < 10; round += 1) {
      while (!isLate());
      const startMs = systemClock.steadyMs();
      const delayed = systemClock.delay(2);
      while (isLate());
      await delayed;
      expect(systemClock.steadyMs() - startMs).to.be.at.least(2);
    }
  });
});
