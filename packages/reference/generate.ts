// Writes the generated pages: docs/errors.md, docs/limits.md, docs/scale.md, docs/design/checks.md and docs/reference,
// and the list in docs/design/contract.md. With --check it writes nothing and exits 1 when a file differs.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { madeFiles } from './src/files.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
for (const { path, text } of madeFiles()) {
  const file = join(ROOT, path);
  if (presentText(file) === text) continue;
  if (values.check) {
    console.error(`${path} differs from what it is made of: run npm run generate`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function presentText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
