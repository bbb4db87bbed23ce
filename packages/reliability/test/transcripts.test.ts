// The main stories happen as in their reviewed transcripts. `npm run sim -- --golden` writes these again, for a diff
// that a person reads.

import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { GOLDEN_FOLDER, GOLDEN_STORIES, tellGolden } from '../src/run/golden.ts';

describe('the reviewed transcript', function () {
  this.timeout(60_000);
  for (const golden of GOLDEN_STORIES) {
    it(`of ${golden.name} is what happens`, async () => {
      const { text, report } = await tellGolden(golden);
      expect(report.violation).to.equal(undefined);
      const file = new URL(`${golden.name}.txt`, GOLDEN_FOLDER);
      expect(text, 'npm run sim -- --golden rewrites it').to.equal(await readFile(file, 'utf8'));
    });
  }
});
