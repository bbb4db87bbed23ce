import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createMonotonic } from '../src/time/clock.ts';

function rig() {
  const at = { fineMs: 500, coarseMs: 90_000, looks: 0 };
  const now = createMonotonic(
    () => at.fineMs,
    () => {
      at.looks += 1;
      return at.coarseMs;
    },
  );
  return { at, now };
}

describe('monotonic time', () => {
  it('begins at 0 and has the resolution of the fine clock', () => {
    const { at, now } = rig();
    expect(now()).to.equal(0);
    at.fineMs += 7.25;
    expect(now()).to.equal(7.25);
  });

  it('includes a suspend, which only the coarse clock shows, at the next reading', () => {
    const { at, now } = rig();
    at.coarseMs += 3_600_000;
    at.fineMs += 1;
    expect(now()).to.equal(3_600_000);
    at.fineMs += 5;
    expect(now()).to.equal(3_600_005);
  });

  it('never goes back when the coarse clock lags behind', () => {
    const { at, now } = rig();
    at.coarseMs += 1_010;
    at.fineMs += 2;
    let before = now();
    for (let step = 0; step < 40; step += 1) {
      at.fineMs += 3;
      if (step % 4 === 3) at.coarseMs += 10;
      const next = now();
      expect(next).to.be.above(before);
      before = next;
    }
  });

  it('reads the coarse clock at most once a millisecond', () => {
    const { at, now } = rig();
    const looks = at.looks;
    for (let call = 0; call < 1_000; call += 1) {
      at.fineMs += 0.01;
      now();
    }
    expect(at.looks - looks).to.be.within(5, 10);
  });
});
