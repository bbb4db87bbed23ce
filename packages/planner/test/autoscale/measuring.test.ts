// A rise of the load starts the measurement anew: readings from before it would show only a part of the rise.

import { expect } from 'chai';
import { type Measuring, nextMeasuring } from '../../src/autoscale/measuring.ts';

/** The measurement after signs at these milliseconds; a plus marks a rising load. */
const after = (...signs: readonly string[]): Measuring | undefined =>
  signs.reduce<Measuring | undefined>(
    (before, sign) => nextMeasuring(before, sign.startsWith('+'), Number(sign)),
    undefined,
  );

describe('the close measurement of a load', () => {
  it('starts at the first sign and goes on for 20 s after the last', () => {
    expect(after('1000')).to.include({ sinceMs: 1_000, untilMs: 21_000 });
    expect(after('1000', '9000')).to.include({ sinceMs: 1_000, untilMs: 29_000 });
    expect(after('1000', '21000')).to.include({ sinceMs: 21_000 });
  });
  it('starts anew for as long as the load rises', () => {
    expect(after('+1000', '+2000', '+3000', '4000')).to.include({ sinceMs: 3_000 });
  });
  it('starts at the sign that made the operator ask all members, not at what they show in answer', () => {
    expect(after('+1000', '+1020', '+1500')).to.include({ sinceMs: 1_000, untilMs: 21_500 });
    expect(after('+1000', '+1501')).to.include({ sinceMs: 1_501 });
    // This member shows a high load, and no member was known to rise before.
    expect(after('1000', '+1020')).to.include({ sinceMs: 1_020 });
  });
  it('starts anew for a rise that comes while the load is measured for another reason', () => {
    expect(after('1000', '8000', '16000', '+18000')).to.include({ sinceMs: 18_000 });
    expect(after('+1000', '+2000', '9000', '+15000', '+16000')).to.include({ sinceMs: 16_000 });
  });
  it('does not start anew once the load has risen for 10 s', () => {
    const signs = Array.from({ length: 14 }, (_, n) => `+${1_000 + n * 1_000}`);
    expect(after(...signs)).to.include({ sinceMs: 10_000, untilMs: 34_000 });
  });
});
