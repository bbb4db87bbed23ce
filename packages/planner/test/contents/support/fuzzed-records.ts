// Stored values of real members, with something done to them, beside real ones.

import { type FuzzedDecoder, sizeOf } from '../../../../api/test/fuzz/fuzz.ts';
import { coverageOf } from '../../../src/contents/records/record-coverage.ts';
import { decodeStoredValue } from '../../../src/contents/records/stored-value.ts';
import { RECORDED } from './recorded.ts';

const REAL = RECORDED.flatMap(({ values }) => [...values.values()].flatMap((side) => [...side.values()]));

/** Whatever the bytes are, it throws nothing; what it does not know is undefined. */
export const storedValues: FuzzedDecoder = {
  name: 'stored values',
  samples: REAL,
  piece(chance) {
    const piece = Buffer.from(Array.from({ length: chance.below(30) }, () => chance.below(256)));
    if (piece.length > 0 && chance.below(2) === 0) piece[0] = chance.of([0, 1, 2, 4, 8, 12, 16, 20, 24, 28]);
    return piece;
  },
  decode(chunks) {
    const bytes = Buffer.concat(chunks);
    const other = REAL[bytes.length % REAL.length] ?? bytes;
    coverageOf(other, bytes);
    coverageOf(bytes, other);
    const value = decodeStoredValue(bytes);
    return value === undefined ? undefined : sizeOf(value);
  },
  isRefusal: () => false,
};
