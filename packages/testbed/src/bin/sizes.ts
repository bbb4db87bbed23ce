// npm run sizes: how many lines are the product, and how many verify it? Empty lines and comments count.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMade } from '../checks/widths.ts';
import { projectRoot } from '../paths.ts';

const PRODUCT = ['api', 'planner', 'store-client', 'runtime', 'operator', 'cli'];

function linesIn(pattern: string): number {
  const paths = globSync(pattern, { cwd: projectRoot, exclude: isMade });
  return paths.reduce((sum, path) => sum + readFileSync(join(projectRoot, path), 'utf8').split('\n').length - 1, 0);
}

const product = PRODUCT.map((name) => ({ name, lines: linesIn(`packages/${name}/src/**/*.ts`) }));
const total = product.reduce((sum, { lines }) => sum + lines, 0);
const all = linesIn('{packages,test-e2e}/**/*.{ts,mjs}');
for (const { name, lines } of product) process.stdout.write(`${String(lines).padStart(8)}  ${name}\n`);
process.stdout.write(`${String(total).padStart(8)}  product\n${String(all - total).padStart(8)}  verification\n`);
