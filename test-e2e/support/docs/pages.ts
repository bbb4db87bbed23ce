// The pages with commands, and the test that plays each of them.

import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { projectRoot } from '@marekvs/testbed';
import { readPage } from './describe-page.ts';
import { hasCommands, type Page } from './page.ts';

/** No stories from top to bottom: references, whose commands errors-page.test.ts types one by one. */
const REFERENCES = /^docs\/(errors\.md|reliability\.md|reference\/)/;

/** Pages with commands, README.md among them. */
export async function pagesWithCommands(): Promise<readonly Page[]> {
  const paths = ['README.md', ...globSync('docs/**/*.md', { cwd: projectRoot })].sort();
  const pages = await Promise.all(paths.filter((path) => !REFERENCES.test(path)).map(readPage));
  return pages.filter(hasCommands);
}

/** `docs/operations/install.md` is played by `test-e2e/journeys/docs/install.test.ts`. */
export function testOf(path: string): string {
  return `test-e2e/journeys/docs/${basename(path, '.md').toLowerCase()}.test.ts`;
}
