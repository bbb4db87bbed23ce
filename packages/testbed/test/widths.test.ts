// A comment that is too wide is found; the width of code is left to the formatter.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findWideComments, wrapWideComments } from '../src/checks/widths.ts';

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

describe('a comment that is too wide', () => {
  const long = `${'word '.repeat(25)}end`;

  it('is wrapped with the lines that follow, in its own form', () => {
    const [plain, block] = [`  // ${long}\n  // and more.`, `  /** ${long}\n   *  and more. */`].map(wrapWideComments);
    expect(plain).to.match(/^ {2}\/\/ (?:word )+word\n {2}\/\/ (?:word )*end and more\.$/);
    expect(block).to.match(/^ {2}\/\*\* (?:word )+word\n {3}\* {2}(?:word )*end and more\. \*\/$/);
    for (const text of [plain, block]) expect(findWideComments([{ path: 'a.ts', text: text ?? '' }])).to.deep.equal([]);
  });

  it('leaves code, tags, lists and what is narrow as they are', () => {
    const text = `const a = '${long}';\n// short\n// lines\n/** One.\n *  @param a ${'x'.repeat(20)}\n *  - an item */`;
    expect(wrapWideComments(text)).to.equal(text);
    expect(wrapWideComments(`// ${long}\n// - an item`)).to.match(/\n\/\/ - an item$/);
  });
});
