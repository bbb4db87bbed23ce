import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { createLineSplitter, LineTooLongError } from '../src/http/lines.ts';

/** Cuts bytes at these places, in any order and also beyond the end. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((p) => p % (bytes.length + 1)))].sort((a, b) => a - b);
  const edges = [0, ...sorted, bytes.length];
  return edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
}

describe('line splitter', () => {
  it('returns the same lines wherever the bytes are cut, also inside a character', () => {
    const text = fc.string({ unit: 'grapheme' }).map((s) => s.replaceAll('\n', ''));
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 8 }),
        text,
        fc.array(fc.nat(), { maxLength: 20 }),
        (lines, rest, places) => {
          const bytes = Buffer.from(lines.map((l) => `${l}\n`).join('') + rest, 'utf8');
          const got: string[] = [];
          const splitter = createLineSplitter(1 << 20, (line) => got.push(line.toString('utf8')));
          for (const chunk of cut(bytes, places)) splitter.push(chunk);
          expect(got).to.deep.equal(lines);
          expect(splitter.pendingBytes).to.equal(Buffer.byteLength(rest));
        },
      ),
    );
  });

  it('refuses one byte more than a line may have, in one chunk and in many', () => {
    for (const size of [1, 3, 9, 16]) {
      const fits = createLineSplitter(8, () => undefined);
      const tooLong = createLineSplitter(8, () => undefined);
      const feed = (splitter: ReturnType<typeof createLineSplitter>, line: Buffer): void => {
        for (let at = 0; at < line.length; at += size) splitter.push(line.subarray(at, at + size));
      };
      feed(fits, Buffer.from('12345678\n'));
      expect(() => feed(tooLong, Buffer.from('123456789\n'))).to.throw(LineTooLongError);
    }
  });
});
