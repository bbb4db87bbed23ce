// Hostile inputs to everything that reads a member's bytes; `npm run fuzz` gives it many more.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type FuzzedDecoder, fuzz } from '../../api/test/fuzz/fuzz.ts';
import { DECODERS } from './fuzz/decoders.ts';

const INPUTS = 20_000;

describe('20,000 hostile inputs', () => {
  for (const decoder of DECODERS) {
    it(`to ${decoder.name} cause no error but a typed one, and cost no more than ten times their bytes`, () => {
      const { decoded } = fuzz(decoder, INPUTS);
      // Both happen: what is always refused, or never, was not tried in depth.
      expect(decoded)
        .to.be.greaterThan(INPUTS / 100)
        .and.lessThan(INPUTS);
    });
  }

  it('find a decoder that throws anything else, or makes too much of its input', () => {
    const decoder = (decode: FuzzedDecoder['decode']): FuzzedDecoder => ({
      name: 'text',
      samples: [Buffer.from('0123456789abcdef')],
      piece: () => 'a',
      isRefusal: (error) => error instanceof RangeError,
      decode,
    });
    const bytesIn = (chunks: readonly Buffer[]) => Buffer.concat(chunks).length;
    const refusing = decoder(() => {
      throw new RangeError('refused');
    });
    expect(fuzz(refusing, 100).decoded).to.equal(0);
    const failing = decoder((chunks) => {
      if (bytesIn(chunks) > 20) throw new TypeError('oops');
      return 0;
    });
    expect(() => fuzz(failing, 1_000)).to.throw(/^text, input [0-9]+: TypeError: oops$/);
    const costly = decoder((chunks) => 64 + 10 * bytesIn(chunks) + (bytesIn(chunks) > 20 ? 1 : 0));
    expect(() => fuzz(costly, 1_000)).to.throw(/^text, input [0-9]+: [0-9]+ bytes cost [0-9]+$/);
  });
});
