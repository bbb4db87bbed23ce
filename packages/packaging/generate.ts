// Writes config/chart from the rest of config/. With --check it writes nothing and exits 1 when a file differs, lacks or is left over.

import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BY_HAND, chartFiles } from './src/chart.ts';
import { openSource } from './src/source.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CHART = join(ROOT, 'config', 'chart');

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const wanted = new Map(chartFiles(openSource(ROOT)).map(({ path, text }) => [path, text]));
const there = globSync('**/*', { cwd: CHART, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(CHART.length + 1))
  .filter((path) => !BY_HAND.includes(path));

const differing = [...wanted]
  .filter(([path, text]) => !there.includes(path) || read(path) !== text)
  .map(([path]) => path);
const leftOver = there.filter((path) => !wanted.has(path));
if (values.check) {
  for (const path of differing) console.error(`config/chart/${path} differs from config/: run npm run generate`);
  for (const path of leftOver)
    console.error(`config/chart/${path} comes from nothing in config/: run npm run generate`);
  process.exitCode = differing.length + leftOver.length > 0 ? 1 : 0;
} else {
  for (const path of differing) write(path, wanted.get(path) ?? '');
  for (const path of leftOver) rmSync(join(CHART, path));
}

function read(path: string): string {
  return readFileSync(join(CHART, path), 'utf8');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(CHART, path)), { recursive: true });
  writeFileSync(join(CHART, path), text);
}
