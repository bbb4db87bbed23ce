import { BUCKETS, bucketDigests, EMPTY_BUCKET, EMPTY_DIGEST } from '@marekvs/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { estimateRecords } from '../../src/contents/progress.ts';
import { differingBuckets, emptyBuckets } from '../../src/contents/records/bucket-digests.ts';
import { leb128 } from './support/model.ts';

const number = fc.oneof(
  fc.constant(0n),
  fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  fc.bigInt({ min: 0n, max: 300n }),
);
const digest = fc.array(number, { minLength: BUCKETS, maxLength: BUCKETS }).map((all) => all.map(leb128).join(''));
const damaged = fc
  .tuple(digest, fc.nat(), fc.constantFrom('', '\0', '\x80', '\xff', '\x01', 'Ā'), fc.nat(2))
  .map(([text, at, put, cut]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut));

describe('the digests of a partition', () => {
  it('are valid exactly when they can be decoded, with any number of empty buckets', () => {
    const naive = (text: string) => bucketDigests(text)?.filter((bucket) => bucket === EMPTY_BUCKET).length;
    fc.assert(
      fc.property(fc.oneof(digest, damaged), (text) => {
        expect(emptyBuckets(text)).to.equal(naive(text));
      }),
    );
    expect(emptyBuckets(EMPTY_DIGEST)).to.equal(BUCKETS);
    expect(emptyBuckets('')).to.equal(undefined);
  });

  it('refuse numbers of more than 64 bits', () => {
    const rest = '\0'.repeat(BUCKETS - 1);
    const longest = `${'\xff'.repeat(9)}\x01`;
    expect(emptyBuckets(longest + rest)).to.equal(BUCKETS - 1);
    for (const wrong of [`${'\xff'.repeat(9)}\x02`, `${'\xff'.repeat(10)}\x01`, '\x80\0', 'Ā']) {
      expect(emptyBuckets(wrong + rest)).to.equal(undefined);
    }
  });

  it('differ where the source holds something and the home holds something else', () => {
    fc.assert(
      fc.property(
        digest,
        digest,
        fc.array(fc.boolean(), { minLength: BUCKETS, maxLength: BUCKETS }),
        (a, b, isSame) => {
          const source = bucketDigests(a) ?? [];
          const home = (bucketDigests(b) ?? []).map((one, i) => (isSame[i] ? (source[i] ?? '') : one));
          const expected = source.flatMap((one, i) => (one !== EMPTY_BUCKET && one !== home[i] ? [i] : []));
          expect([...differingBuckets(a, home.join(''))]).to.deep.equal(expected);
        },
      ),
    );
  });
});

describe('the estimated number of records', () => {
  it('is exact for an empty partition and close while buckets are empty', () => {
    expect(estimateRecords(BUCKETS)).to.equal(0);
    expect(estimateRecords(BUCKETS - 1)).to.be.closeTo(1, 0.01);
    expect(estimateRecords(128)).to.be.closeTo(177, 1);
  });

  it('stays at a lower bound when no bucket is empty', () => {
    expect(estimateRecords(0)).to.be.closeTo(1597, 1);
  });
});
