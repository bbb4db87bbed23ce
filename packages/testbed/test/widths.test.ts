// A comment that is too wide is found; the width of code is left to the formatter.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findWideComments } from '../src/bin/widths.ts';

const wide = (start: string, columns: number): string => start.padEnd(columns, 'x');
const problemsOf = (line: string): string[] => findWideComments([{ path: 'a.ts', text: `const a = 1;\n${line}\n` }]);

describe('the width of comments', () => {
  for (const start of ['// ', '  // ', '/** ', ' *  ', '  /* '])
    it(`is limited to 120 columns in a line that begins with ${JSON.stringify(start)}`, () => {
      expect(problemsOf(wide(start, 120))).to.deep.equal([]);
      expect(problemsOf(wide(start, 121))).to.deep.equal(['a.ts:2: a comment of 121 columns, more than 120']);
    });

  it('is not checked in a line of code that contains such a text', () => {
    expect(problemsOf(wide("const text = '", 130))).to.deep.equal([]);
  });
});
