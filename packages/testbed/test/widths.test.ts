// A comment wider than a reader's window is found; what the formatter cares for is not.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findWideComments } from '../src/bin/widths.ts';

const wide = (start: string, columns: number): string => start.padEnd(columns, 'x');
const problemsOf = (line: string): string[] => findWideComments([{ path: 'a.ts', text: `const a = 1;\n${line}\n` }]);

describe('the width of comments', () => {
  for (const start of ['// ', '  // ', '/** ', ' *  ', '  /* '])
    it(`is held to 120 columns in a line that begins with ${JSON.stringify(start)}`, () => {
      expect(problemsOf(wide(start, 120))).to.deep.equal([]);
      expect(problemsOf(wide(start, 121))).to.deep.equal(['a.ts:2: a comment of 121 columns, more than 120']);
    });

  it('is no matter of a line of code with a text in it', () => {
    expect(problemsOf(wide("const text = '", 130))).to.deep.equal([]);
  });
});
