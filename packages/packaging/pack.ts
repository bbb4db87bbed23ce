// Builds the public packages and lays them out in dist/npm, from where `lerna publish` takes them; with `--out <folder>` also as the
// tarballs that npm would upload. Needs no network. What a user can do with them is tried by try-packages.ts.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stagePackages } from './src/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LIMIT_MS = 300_000;

const { values } = parseArgs({ options: { out: { type: 'string' } } });
run(join(ROOT, 'node_modules/.bin/tsc'), ['-b']);
for (const { manifest, folder, files } of stagePackages(ROOT)) {
  const size = values.out === undefined ? '' : `, ${pack(folder, resolve(values.out))}`;
  console.log(`  ${manifest.name} ${manifest.version}: ${files.length} files${size}`);
}

/** @returns the tarball, for a person */
function pack(folder: string, out: string): string {
  mkdirSync(out, { recursive: true });
  const text = run('npm', ['pack', folder, '--json', '--offline', '--loglevel=error', '--pack-destination', out]);
  const [one]: readonly { readonly filename: string; readonly size: number }[] = JSON.parse(text);
  if (one === undefined) throw new Error(`npm packed nothing of ${folder}`);
  return `${one.filename} of ${Math.ceil(one.size / 1024)} KiB`;
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, [...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });
}
