// docs/security.md: every promise names tests, and these exist under the titles that the page gives. Whether a test
// holds what is promised is for a person to judge.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { projectRoot } from '../src/index.ts';

const PAGE = join(projectRoot, 'docs', 'security.md');

interface Promised {
  readonly promise: string;
  readonly tests: readonly { readonly path: string; readonly titles: readonly string[] }[];
}

/** The rows of every table whose last column is `held by`. */
function promisesOf(page: string): readonly Promised[] {
  return page
    .split('\n\n')
    .filter((block) => block.startsWith('| promise | held by |'))
    .flatMap((block) => block.trim().split('\n').slice(2))
    .map((row) => {
      const [promise = '', heldBy = ''] = row.replace(/^\| | \|$/g, '').split(' | ');
      const parts = heldBy.split('; ').map((part) => ({
        path: /\]\(([^)]+)\)/.exec(part)?.[1] ?? '',
        titles: [...part.matchAll(/\*([^*]+)\*/g)].map(([, title = '']) => title),
      }));
      return { promise, tests: parts };
    });
}

/** Titles of describe and it as they are written; a title that is made of parts is named by one of them. */
function lacks(path: string, titles: readonly string[]): readonly string[] {
  const file = resolve(dirname(PAGE), path);
  if (!/\.test\.ts$/.test(file) || !existsSync(file)) return [`${path} is no test`];
  const text = readFileSync(file, 'utf8').replaceAll("\\'", "'");
  return titles.length === 0
    ? [`${path} without a title`]
    : titles.filter((title) => !text.includes(title)).map((title) => `${path} has no ${title}`);
}

describe('the security page', () => {
  const promises = promisesOf(readFileSync(PAGE, 'utf8'));

  it('has a table of promises for each party', () => {
    expect(promises.length).to.be.at.least(15);
    expect(new Set(promises.map(({ promise }) => promise)).size).to.equal(promises.length);
  });

  for (const { promise, tests } of promises)
    it(`names tests that exist for: ${promise.slice(0, 80)}`, () => {
      expect(tests.flatMap(({ path, titles }) => lacks(path, titles))).to.deep.equal([]);
    });

  it('would notice a title or a file that is not there', () => {
    const page = '| promise | held by |\n|---|---|\n| a | [x](../packages/testbed/test/none.test.ts) *y* |\n';
    const [row] = promisesOf(page);
    expect(row?.tests.flatMap(({ path, titles }) => lacks(path, titles))).to.deep.equal([
      '../packages/testbed/test/none.test.ts is no test',
    ]);
    expect(lacks('../packages/operator/test/rbac.test.ts', ['has a wildcard'])).to.have.lengthOf(1);
    expect(lacks('../packages/operator/test/rbac.test.ts', [])).to.have.lengthOf(1);
  });
});
