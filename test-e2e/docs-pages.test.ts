// The documentation as a whole: no command of a page is forgotten, and what a page names exists. Commands are run by
// the page's own journey and only counted here. Links are followed by `npm run check`.

import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, proseOf } from '@marekvs/testbed';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Page } from './support/docs/page.ts';
import { pagesWithCommands, testOf } from './support/docs/pages.ts';
import { settingOf } from './support/docs/surroundings.ts';

const linesOf = async (path: string): Promise<readonly string[]> =>
  (await readFile(join(projectRoot, path), 'utf8')).split('\n');
const allPages = (): readonly string[] => ['README.md', ...globSync('docs/**/*.md', { cwd: projectRoot })].sort();

describe('the documentation', () => {
  it('has no block of commands that is neither typed by a test nor declared with a reason', async () => {
    const pages = await pagesWithCommands();
    expect(pages.flatMap(({ problems }) => problems)).to.deep.equal([]);
    for (const { path, story } of pages) {
      settingOf(story);
      const test = await readFile(join(projectRoot, testOf(path)), 'utf8').catch(() => '');
      expect(test, `${testOf(path)} plays ${path}`).to.include(`describePage('${path}')`);
    }
    const typed = pages.map((page) => count(page, 'command')).reduce(sum, 0);
    const declared = pages.map((page) => count(page, 'not run')).reduce(sum, 0);
    console.log(
      `      docs: ${typed} commands of ${pages.length} pages are typed, ${declared} are declared not to run here`,
    );
    expect(typed).to.be.greaterThan(60);
  });

  it('names no npm script, no verb of kubectl mkv and no folder of config/ that does not exist', async () => {
    const { scripts } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
    const verbs = await verbsOfThePlugin();
    const unknown: string[] = [];
    for (const page of allPages()) {
      const text = proseOf(await linesOf(page)).join('\n');
      for (const [, code = ''] of text.matchAll(/`([^`]+)`/g)) {
        const script = /^npm run (?:-s )?([a-z:-]+)/.exec(code)?.[1];
        const verb = /^kubectl mkv ([a-z-]+)/.exec(code)?.[1];
        const folder = /(?:^|[ `])(config\/[a-z0-9./-]*[a-z0-9])/.exec(code)?.[1];
        const isKnown =
          (script === undefined || script in scripts) &&
          (verb === undefined || verbs.has(verb)) &&
          (folder === undefined || existsSync(join(projectRoot, folder)));
        if (!isKnown) unknown.push(`${page}: ${code}`);
      }
    }
    expect(unknown).to.deep.equal([]);
  });
});

const sum = (a: number, b: number): number => a + b;

function count({ parts }: Page, kind: 'command' | 'not run'): number {
  return parts
    .filter((part) => part.kind === kind)
    .map((part) => (part.kind === 'not run' ? part.commands : 1))
    .reduce(sum, 0);
}

/** The verbs that the help of the plugin lists. */
async function verbsOfThePlugin(): Promise<ReadonlySet<string>> {
  const main = join(projectRoot, 'packages/cli/src/main.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=development', main, '--help']);
  return new Set([...stdout.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map(([, verb = '']) => verb));
}
