// `npm run try-packages`: packs every public package, installs the tarballs into an empty folder with npm, and uses
// them there like a new user. Run by hand, since npm asks the registry (or its cache) for their dependencies; the gate
// does the same with links in test/npm.test.ts. `--keep` leaves the folder, `--out <folder>` keeps the tarballs.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Question, stagePackages, writeConsumer } from './src/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/.bin/tsc');
const NPM_LIMIT_MS = 300_000;
const QUESTION_LIMIT_MS = 120_000;

const { values } = parseArgs({ options: { keep: { type: 'boolean', default: false }, out: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'marekvs-try-'));
const tarballs = resolve(values.out ?? join(folder, 'tarballs'));
const project = join(folder, 'project');
mkdirSync(tarballs, { recursive: true });

run('Building', TSC, ['-b'], ROOT);
const staged = stagePackages(ROOT);
const packed = staged.map(({ manifest, folder: from }) => {
  const text = run(`Packing ${manifest.name}`, 'npm', ['pack', from, '--json', '--pack-destination', tarballs], folder);
  const [one]: readonly { readonly filename: string; readonly size: number }[] = JSON.parse(text);
  if (one === undefined) throw new Error(`npm packed nothing of ${manifest.name}`);
  console.log(`  ${one.filename}: ${Math.ceil(one.size / 1024)} KiB`);
  return join(tarballs, one.filename);
});
const questions = writeConsumer(
  project,
  staged.map(({ manifest }) => manifest),
  TSC,
);
run(
  'Installing them into an empty folder',
  'npm',
  [...'install --prefer-offline --ignore-scripts --no-audit --no-fund'.split(' '), typesOfNode(), ...packed],
  project,
);
const failed = questions.filter((question) => !answers(question));
if (values.keep || failed.length > 0) console.log(`Kept in ${folder}`);
else rmSync(folder, { recursive: true, force: true });
console.log(`${questions.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Every project that compiles for Node has these types. */
function typesOfNode(): string {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return `@types/node@${devDependencies['@types/node']}`;
}

function answers({ title, command, args, expect }: Question): boolean {
  const { stdout, stderr, error } = spawnSync(command, [...args], {
    cwd: project,
    encoding: 'utf8',
    timeout: QUESTION_LIMIT_MS,
  });
  const isRight = error === undefined && expect.test(stdout + stderr);
  console.log(`  ${isRight ? '✓' : '✗'} ${title}`);
  if (!isRight) console.log(`${error?.message ?? ''}${stdout}${stderr}`.replace(/^/gm, '      '));
  return isRight;
}

function run(what: string, command: string, args: readonly string[], cwd: string): string {
  console.log(what);
  return execFileSync(command, [...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: NPM_LIMIT_MS,
  });
}
