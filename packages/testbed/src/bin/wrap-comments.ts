// npm run format: wraps the comments that are wider than 120 columns, wherever the check looks for them.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { COMMENTED, isMade, wrapWideComments } from '../checks/widths.ts';

for (const path of globSync(COMMENTED, { exclude: isMade })) {
  const text = readFileSync(path, 'utf8');
  const wrapped = wrapWideComments(text);
  if (wrapped !== text) writeFileSync(path, wrapped);
}
