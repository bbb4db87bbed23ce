// Lays out every public package as it is published, in its folder dist/npm. Lerna publishes it from there (lerna.json),
// and tests try it there. The files are those that npm names, without what an earlier build has left behind.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Manifest, publishedManifest } from './manifest.ts';

export interface StagedPackage {
  readonly manifest: Manifest;
  /** Absolute path of its layout. */
  readonly folder: string;
  /** Relative to the folder, package.json included. */
  readonly files: readonly string[];
}

/** Relative to a package; see lerna.json. */
export const STAGE_FOLDER = 'dist/npm';
const NPM_LIMIT_MS = 600_000;

/** The folders of the public packages, from which the compiler finds their dependencies. */
export function publicFolders(root: string): readonly string[] {
  return publicPackages(root).map(({ folder }) => folder);
}

/** Expects the packages to be built. @returns them in order of name */
export function stagePackages(root: string): readonly StagedPackage[] {
  const open = publicPackages(root);
  for (const { folder } of open) rmSync(join(folder, STAGE_FOLDER), { recursive: true, force: true });
  const files = filesByNpm(
    root,
    open.map(({ manifest }) => manifest.name),
  );
  return open.map(({ folder, manifest }) => stage(folder, manifest, files.get(manifest.name) ?? []));
}

function publicPackages(root: string): readonly { readonly folder: string; readonly manifest: Manifest }[] {
  const folders = globSync('packages/*', { cwd: root }).sort();
  const all = folders.map((folder) => ({ folder: join(root, folder), manifest: readManifest(join(root, folder)) }));
  return all.filter(({ manifest }) => manifest.private !== true);
}

function stage(folder: string, manifest: Manifest, files: readonly string[]): StagedPackage {
  const target = join(folder, STAGE_FOLDER);
  const published = publishedManifest(manifest);
  const kept = files.filter((file) => file !== 'package.json' && isShipped(folder, file));
  for (const file of kept) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(folder, file), join(target, file));
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  return { manifest: published, folder: target, files: [...kept, 'package.json'] };
}

/** The compiler deletes no old output, and keeps its .tsbuildinfo files beside it. */
function isShipped(folder: string, file: string): boolean {
  if (file.endsWith('.tsbuildinfo')) return false;
  const module = /^dist\/(.+?)\.(?:d\.ts|js)(?:\.map)?$/.exec(file)?.[1];
  return module === undefined || existsSync(join(folder, 'src', `${module}.ts`));
}

/** The files of each package as npm lists them. Runs the script `prepack` of packages that have one. */
function filesByNpm(root: string, names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const args = ['pack', '--dry-run', '--json', '--offline', ...names.flatMap((name) => ['--workspace', name])];
  const text = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: NPM_LIMIT_MS,
  });
  const packed: readonly { readonly name: string; readonly files: readonly { readonly path: string }[] }[] =
    // The output of scripts comes before the list.
    JSON.parse(text.slice(text.search(/^\[$/m)));
  return new Map(packed.map(({ name, files }) => [name, files.map(({ path }) => path)]));
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
