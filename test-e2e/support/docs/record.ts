// `npm run docs:record [words of paths]`: plays the pages and writes into them what was printed, where that is something else than
// they say. What only differs by what masks.ts names stays as it is, so that a second run changes nothing.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '@marekvs/testbed';
import type { Page } from './page.ts';
import { pagesWithCommands } from './pages.ts';
import { type Difference, play } from './play.ts';
import { surround } from './surroundings.ts';

const words = process.argv.slice(2);
const pages = (await pagesWithCommands()).filter(({ path }) => words.every((word) => path.includes(word)));
for (const page of pages) await record(page);

async function record(page: Page): Promise<void> {
  if (page.problems.length > 0) throw new Error(page.problems.join('\n'));
  const surroundings = await surround(page);
  try {
    const { typed, untyped, differences, failed } = await play(page, surroundings);
    await writeFile(join(projectRoot, page.path), rewritten(page.lines, differences).join('\n'));
    console.log(`${page.path}: commands run: ${typed}, not run: ${untyped.length}, written: ${differences.length}`);
    if (failed !== undefined) {
      console.error(failed);
      process.exitCode = 1;
    }
  } finally {
    await surroundings.close();
  }
}

/** From the end to the beginning, so that what is still to be replaced stands where it stood. */
function rewritten(lines: readonly string[], differences: readonly Difference[]): readonly string[] {
  const text = [...lines];
  for (const { at, printed } of differences.toReversed()) text.splice(at.from, at.to - at.from, ...printed);
  return text;
}
