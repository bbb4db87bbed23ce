// The test of one page: each file below journeys/docs is one call of this. One file per page, so that pages are played
// in parallel.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Page, parsePage } from './page.ts';
import { play } from './play.ts';
import { type Surroundings, surround } from './surroundings.ts';

/** @param path from the project's folder: `docs/getting-started.md` */
export function describePage(path: string): void {
  describe(`the commands of ${path}`, function () {
    this.timeout(240_000);
    let page: Page;
    let surroundings: Surroundings;

    before(async () => {
      page = await readPage(path);
      expect(page.problems).to.deep.equal([]);
      surroundings = await surround(page);
    });
    after(() => surroundings?.close());

    it('run, and print what the page says', async () => {
      const { typed, untyped, differences, failed } = await play(page, surroundings);
      console.log(countedOf(path, typed, untyped));
      expect(differences.map(({ text }) => text).join('\n'), 'npm run docs:record writes what was printed').to.equal(
        '',
      );
      expect(failed).to.equal(undefined);
      expect(typed + untyped.length).to.be.greaterThan(0);
    });
  });
}

function countedOf(path: string, typed: number, untyped: readonly string[]): string {
  const times = Map.groupBy(untyped, (reason) => reason);
  const reasons = [...times].map(([reason, { length }]) => `\n        ${length} not run: ${reason}`);
  return `      ${path}: commands run: ${typed}, not run: ${untyped.length}${reasons.join('')}`;
}

export async function readPage(path: string): Promise<Page> {
  return parsePage(path, await readFile(join(projectRoot, path), 'utf8'));
}
