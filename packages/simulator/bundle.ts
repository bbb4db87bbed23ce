// Bundles the programs of this package to a file each: a member, many in one process, and many hollow ones. Whoever
// starts many of them has neither 60 modules to find nor types to strip at every start. Takes the folder to write to.

import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { builtinsInPart } from '../runtime/bundle.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const ENTRIES = ['member', 'hosted', 'hollow'];

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, 'dist', 'bundle'));
await mkdir(folder, { recursive: true });
await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES.map((name) => `packages/simulator/src/bin/${name}.ts`),
  outdir: folder,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  conditions: ['development'],
  plugins: [builtinsInPart],
  logLevel: 'warning',
});
await writeFile(join(folder, 'package.json'), '{"type":"module"}\n');
