// The rules about folders and the length of files.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findHouseProblems } from '../src/checks/house.ts';

const file = (path: string, ...imports: readonly string[]) => ({
  path: `packages/a/src/${path}`,
  text: imports.map((target) => `import { x } from '${target}';\n`).join(''),
});

describe('the folders of a package', () => {
  it('have at most twenty files', () => {
    const files = Array.from({ length: 20 }, (_, no) => file(`many/${no}.ts`));
    expect(findHouseProblems(files)).to.deep.equal([]);
    expect(findHouseProblems([...files, file('many/more.ts')])).to.deep.equal([
      'packages/a/src/many: 21 files, more than 20',
    ]);
  });

  it('do not import each other, by whatever way', () => {
    const files = [file('a/1.ts', '../b/1.ts'), file('b/1.ts', './2.ts'), file('b/2.ts', '../c/d/1.ts')];
    expect(findHouseProblems(files)).to.deep.equal([]);
    expect(findHouseProblems([...files, file('c/d/1.ts', '../../a/1.ts')])).to.deep.equal([
      'packages/a/src/a and packages/a/src/b import each other: packages/a/src/a/1.ts imports packages/a/src/b/1.ts',
      'packages/a/src/b and packages/a/src/c/d import each other: packages/a/src/b/2.ts imports packages/a/src/c/d/1.ts',
      'packages/a/src/c/d and packages/a/src/a import each other: packages/a/src/c/d/1.ts imports packages/a/src/a/1.ts',
    ]);
  });

  it('may all be imported by the index of the package, which nothing imports', () => {
    expect(
      findHouseProblems([file('index.ts', './a/1.ts'), file('a/1.ts', '../error.ts'), file('error.ts')]),
    ).to.deep.equal([]);
  });
});

describe('the files of a package', () => {
  it('have at most 300 lines, tables and generated ones aside', () => {
    const lines = (count: number, path: string) => ({ path: `packages/a/src/${path}`, text: '\n'.repeat(count) });
    expect(findHouseProblems([lines(300, 'a.ts'), lines(301, 'b.ts'), lines(900, 'outlines.ts')])).to.deep.equal([
      'packages/a/src/b.ts: 301 lines, more than 300',
    ]);
  });
});

describe('the types of a package', () => {
  it('do not share a name', () => {
    const typed = (path: string) => ({ path, text: 'export interface Turn {\n}\n' });
    expect(findHouseProblems([typed('packages/a/src/x/1.ts'), typed('packages/b/src/1.ts')])).to.deep.equal([]);
    expect(findHouseProblems([typed('packages/a/src/x/1.ts'), typed('packages/a/src/y/2.ts')])).to.deep.equal([
      'packages/a: two types are called Turn, in packages/a/src/x/1.ts and packages/a/src/y/2.ts',
    ]);
  });
});
