// What was measured before a step does not count, however long the load has been measured already.

import { expect } from 'chai';
import { type Measuring, nextMeasuring } from '../../src/autoscale/measuring.ts';

/** After signs at these milliseconds: rising ones are given with a plus. */
const after = (...signs: readonly string[]): Measuring | undefined =>
  signs.reduce<Measuring | undefined>(
    (before, sign) => nextMeasuring(before, sign.startsWith('+'), Number(sign)),
    undefined,
  );

describe('a load that is measured closely', () => {
  it('counts from the first sign, and goes on for 20 s after the last', () => {
    expect(after('1000')).to.include({ sinceMs: 1_000, untilMs: 21_000 });
    expect(after('1000', '9000')).to.include({ sinceMs: 1_000, untilMs: 29_000 });
    expect(after('1000', '21000')).to.include({ sinceMs: 21_000 });
  });
  it('counts anew for as long as it rises', () => {
    expect(after('+1000', '+2000', '+3000', '4000')).to.include({ sinceMs: 3_000 });
  });
  it('counts from the sign that made all be asked, not from what they show in answer to it', () => {
    expect(after('+1000', '+1020', '+1500')).to.include({ sinceMs: 1_000, untilMs: 21_500 });
    expect(after('+1000', '+1501')).to.include({ sinceMs: 1_501 });
    // Somebody has a load that is high: nobody was known to rise by then.
    expect(after('1000', '+1020')).to.include({ sinceMs: 1_020 });
  });
  it('counts anew for a step that comes while it is measured for another reason', () => {
    expect(after('1000', '8000', '16000', '+18000')).to.include({ sinceMs: 18_000 });
    expect(after('+1000', '+2000', '9000', '+15000', '+16000')).to.include({ sinceMs: 16_000 });
  });
  it('is decided on as it is when it rises for longer than 10 s', () => {
    const signs = Array.from({ length: 14 }, (_, n) => `+${1_000 + n * 1_000}`);
    expect(after(...signs)).to.include({ sinceMs: 10_000, untilMs: 34_000 });
  });
});
