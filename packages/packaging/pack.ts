// Builds the public packages and lays them out in dist/npm, from where `lerna publish` takes them. With `--out
// <folder>` it also writes the tarballs that npm would upload, the OLM bundle, and the manifest by which krew finds the
// tarball of the plugin. Needs no network. try-packages.ts tries what a user can do with the packages.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { dump } from 'js-yaml';
import { KREW_NAME, krewManifest, olmBundle, publicFolders, type StagedPackage, stagePackages } from './src/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LIMIT_MS = 1_200_000;
const PLUGIN = '@marekvs/cli';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    /** The URL of the folder from which the tarballs can be downloaded. */
    archives: { type: 'string' },
    /** The image of the operator, with its tag. */
    image: { type: 'string' },
  },
});
run(join(ROOT, 'node_modules/.bin/tsc'), ['-b', ...publicFolders(ROOT)]);
const staged = stagePackages(ROOT);
if (values.out === undefined) {
  for (const one of staged) console.log(described(one));
} else {
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  const packed = pack(staged, out);
  for (const one of staged) {
    const { filename, size } = tarballOf(one, packed);
    console.log(`${described(one)}, ${filename} of ${Math.ceil(size / 1024)} KiB`);
    if (one.manifest.name === PLUGIN) writeKrewManifest(one, join(out, filename), out);
  }
  writeBundle(out);
}

function described({ manifest, files }: StagedPackage): string {
  return `  ${manifest.name} ${manifest.version}: ${files.length} files`;
}

interface Tarball {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
}

/** Packs all of them in one call: npm takes longer to start than to pack. */
function pack(packages: readonly StagedPackage[], out: string): readonly Tarball[] {
  const folders = packages.map(({ folder }) => folder);
  const options = ['--json', '--offline', '--loglevel=error', '--pack-destination', out];
  return JSON.parse(run('npm', ['pack', ...folders, ...options]));
}

function tarballOf({ manifest: { name } }: StagedPackage, packed: readonly Tarball[]): Tarball {
  const found = packed.find((one) => one.name === name);
  if (found === undefined) throw new Error(`npm packed nothing of ${name}`);
  return found;
}

function writeKrewManifest({ folder }: StagedPackage, tarball: string, out: string): void {
  if (values.archives === undefined) {
    console.log('  no manifest for krew: --archives says where tarballs are');
    return;
  }
  const uri = `${values.archives.replace(/\/$/, '')}/${tarball.split('/').at(-1)}`;
  const sha256 = createHash('sha256').update(readFileSync(tarball)).digest('hex');
  const manifest = krewManifest(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), { uri, sha256 });
  write(join(out, `${KREW_NAME}.yaml`), dump(manifest));
  console.log(`  krew: ${KREW_NAME}.yaml, of ${uri}`);
}

function writeBundle(out: string): void {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(ROOT, 'lerna.json'), 'utf8'));
  const image = values.image ?? `marekvs-operator:${version}`;
  const folder = join(out, 'olm-bundle');
  rmSync(folder, { recursive: true, force: true });
  const files = olmBundle(ROOT, { version, image });
  for (const [path, text] of files) write(join(folder, path), text);
  console.log(`  OLM: olm-bundle, ${files.size} files, with the image ${image}`);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, [...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  });
}
