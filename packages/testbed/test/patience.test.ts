import { expect } from 'chai';
import { describe, it } from 'mocha';
import { limit, stretched } from '../src/patience.ts';

describe('a limit', () => {
  for (const [load, processors, ms] of [
    [0, 2, 2_000],
    [2, 2, 2_000],
    [3, 2, 3_000],
    [20, 2, 20_000],
    [20, 16, 2_500],
  ] as const)
    it(`of a second is ${ms} ms where ${load} processes want ${processors} processors`, () => {
      expect(stretched(1_000, load, processors)).to.equal(ms);
    });

  it('is reported once it is over', async () => {
    const startedAt = performance.now();
    await new Promise<void>((resolve) => limit(1, resolve));
    expect(performance.now() - startedAt).to.be.at.least(1);
  });

  it('is not reported when it was cancelled before', async () => {
    let isLate = false;
    const end = limit(1, () => {
      isLate = true;
    });
    end();
    await new Promise<void>((resolve) => limit(2, resolve));
    expect(isLate).to.equal(false);
  });
});
