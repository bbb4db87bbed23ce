// npm run format: wraps the comments that are wider than 120 columns, in the folders that Biome formats.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { wrapWideComments } from '../checks/widths.ts';

for (const path of globSync(['packages/*/{src,test,bench}/**/*.ts', 'test-e2e/**/*.ts'])) {
  const text = readFileSync(path, 'utf8');
  const wrapped = wrapWideComments(text);
  if (wrapped !== text) writeFileSync(path, wrapped);
}
