// `npm run docs:record [words of paths]`: plays the pages and writes into them what was printed, where it differs. What
// differs only by what masks.ts masks stays as it is, so that a second run changes nothing. An output with an ellipsis
// that is no longer true is written whole, for the author to shorten.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '@marekvs/testbed';
import { rewritten } from './compare.ts';
import type { Page } from './page.ts';
import { pagesWithCommands } from './pages.ts';
import { play } from './play.ts';
import { surround } from './surroundings.ts';

const words = process.argv.slice(2);
const pages = (await pagesWithCommands()).filter(({ path }) => words.every((word) => path.includes(word)));
if (pages.length === 0) {
  console.error(`no page with commands has ${words.join(' and ')} in its path`);
  process.exitCode = 2;
}
for (const page of pages) {
  if (!(await record(page))) process.exitCode = 1;
}

/** @returns whether it was played to the end */
async function record(page: Page): Promise<boolean> {
  if (page.problems.length > 0) throw new Error(page.problems.join('\n'));
  const surroundings = await surround(page);
  try {
    const { typed, untyped, differences, failed } = await play(page, surroundings);
    await writeFile(join(projectRoot, page.path), rewritten(page.lines, differences).join('\n'));
    console.log(`${page.path}: commands run: ${typed}, not run: ${untyped.length}, written: ${differences.length}`);
    if (failed !== undefined) console.error(failed);
    return failed === undefined;
  } finally {
    await surroundings.close();
  }
}
