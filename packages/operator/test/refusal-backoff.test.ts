import type { Hold } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createRefusalBackoff } from '../src/pacing/refusal-backoff.ts';

const quota: Hold = { reason: 'QuotaExceeded', message: 'exceeded quota', needsPerson: true };

describe('a refused write (F53)', () => {
  it('is tried again after 1, 2, 4, 8, 16 and then every 30 s', () => {
    const backoff = createRefusalBackoff('write');
    const waits = Array.from({ length: 7 }, () => backoff.refused('a', quota, 0) / 1000);
    expect(waits).to.deep.equal([1, 2, 4, 8, 16, 30, 30]);
  });

  it('stays, with the refusal, until one millisecond before its time, and no longer', () => {
    const backoff = createRefusalBackoff('write');
    backoff.refused('a', quota, 5_000);
    expect(backoff.current('a', 5_999)).to.deep.equal({ hold: quota, leftMs: 1 });
    expect(backoff.current('a', 6_000)).to.equal(undefined);
  });

  it('starts from the first wait again after a success, and delays no other write', () => {
    const backoff = createRefusalBackoff('write');
    backoff.refused('a', quota, 0);
    backoff.refused('a', quota, 0);
    expect(backoff.current('b', 0)).to.equal(undefined);
    backoff.clear('a');
    expect(backoff.current('a', 0)).to.equal(undefined);
    expect(backoff.refused('a', quota, 0)).to.equal(1_000);
  });
});
