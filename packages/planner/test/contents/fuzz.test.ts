// Hostile stored values; `npm run fuzz` has many more.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fuzz } from '../../../api/test/fuzz/fuzz.ts';
import { coverageOf } from '../../src/contents/records/record-coverage.ts';
import { storedValues } from './support/fuzzed-records.ts';
import { RECORDED } from './support/recorded.ts';

const INPUTS = 20_000;

describe('20,000 hostile stored values', () => {
  it('cause no error, and cost no more than ten times their bytes', () => {
    const { decoded } = fuzz(storedValues, INPUTS);
    expect(decoded)
      .to.be.greaterThan(INPUTS / 100)
      .and.lessThan(INPUTS);
  });

  it('cover only what is equal to them when they cannot be decoded, and are covered by nothing else', () => {
    let undecoded = 0;
    const checked = {
      ...storedValues,
      decode(chunks: readonly Buffer[]) {
        const bytes = Buffer.concat(chunks);
        if (storedValues.decode(chunks) !== undefined) return 0;
        undecoded += 1;
        expect(coverageOf(bytes, Buffer.from(bytes))).to.equal('covered');
        for (const { values } of RECORDED.slice(0, 3)) {
          for (const real of values.get('0')?.values() ?? []) {
            if (bytes.equals(real)) continue;
            expect(coverageOf(bytes, real)).to.equal('missing');
            expect(coverageOf(real, bytes)).to.equal('missing');
          }
        }
        return 0;
      },
    };
    fuzz(checked, 2_000);
    expect(undecoded).to.be.greaterThan(100);
  });
});
