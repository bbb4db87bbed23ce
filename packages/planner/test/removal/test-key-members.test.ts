import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { testKeyBaselines, testKeysOf } from '../../src/removal/test-key-members.ts';

describe('the members a removal has test keys for', () => {
  it('are one short text of ranges in an ordinary cluster', () => {
    expect(testKeyBaselines([4, 0, 1, 2, 7])).to.deep.equal({ audit: '0-2,4,7' });
  });

  it('come back from the record, however many and whatever their ids, in pieces no longer than the schema allows', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 65_534 }), { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(ids, (memberIds) => {
        const baselines = testKeyBaselines(memberIds);
        expect(Math.max(...Object.values(baselines).map(({ length }) => length))).to.be.at.most(64);
        const sorted = [...memberIds].sort((a, b) => a - b);
        expect(testKeysOf({ baselines })).to.deep.equal({ kind: 'of', memberIds: sorted });
      }),
    );
  });

  it('are none where no test keys were asked for, and unsaid in a record of an earlier version', () => {
    expect(testKeysOf({ baselines: testKeyBaselines(undefined) })).to.deep.equal({ kind: 'none' });
    expect(testKeysOf({ baselines: { idleRounds: '7' } })).to.deep.equal({ kind: 'unsaid' });
    expect(testKeysOf({})).to.deep.equal({ kind: 'unsaid' });
  });
});
