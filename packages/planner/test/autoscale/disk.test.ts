// How full the fullest volume is known to be, and for how long that is known.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { diskFillOf } from '../../src/volumes/disk-fill.ts';
import { MONOTONIC_MS, nodes, observation } from '../support/builders.ts';
import { factsOf } from '../support/facts.ts';

/** Three members, one of them with figures of this age. */
function fillOf(ageMs: number, figures: object = {}) {
  const all = nodes(3);
  const facts = all.map(({ id, pod }) => {
    const change = id === 1 ? { atMs: MONOTONIC_MS - ageMs, figures: { diskAvailBytes: 4e9, ...figures } } : {};
    return factsOf(id, { ids: [0, 1, 2], podUid: pod?.uid ?? '', ...change });
  });
  return diskFillOf(observation({ nodes: all, facts }), all);
}

describe('the known fill level of the fullest volume', () => {
  it('comes from figures that are at most five minutes old', () => {
    expect(fillOf(300_000)).to.include({ now: 60, fullest: 'demo-1' });
    expect(fillOf(300_001)).to.include({ now: 10 });
  });
  it('has no forecast while a figure of one member is unknown', () => {
    expect(fillOf(0).afterRemoval).to.be.a('number');
    expect(fillOf(300_001).afterRemoval).to.equal(undefined);
    expect(fillOf(0, { diskTotalBytes: 0 }).afterRemoval).to.equal(undefined);
  });
});
