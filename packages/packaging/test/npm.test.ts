// The public packages as they are published: complete, without anything that is valid only in this project, and usable
// with only their dependencies. `npm run try-packages` does the same with tarballs that npm installs.

import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import {
  type Manifest,
  publicFolders,
  publishedManifest,
  type StagedPackage,
  stagePackages,
  writeConsumer,
} from '../src/index.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Every file to which a manifest points, without `./`. */
function targetsOf({ exports = {}, bin = {} }: Manifest): readonly string[] {
  const targets = [...Object.values(exports).flatMap((entry) => Object.values(entry)), ...Object.values(bin)];
  return targets.map((target) => target.replace(/^\.\//, ''));
}

const TSC = join(ROOT, 'node_modules/.bin/tsc');

describe('a published package.json', () => {
  const manifest: Manifest = {
    name: '@marekvs/x',
    version: '1.2.3',
    files: ['dist'],
    scripts: { prepack: 'make' },
    exports: { '.': { development: './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' } },
    dependencies: { zod: '4' },
  };

  it('has no export condition that other projects may set for themselves, and no script', () => {
    expect(publishedManifest(manifest)).to.deep.equal({
      name: '@marekvs/x',
      version: '1.2.3',
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      dependencies: { zod: '4' },
    });
  });

  it('of a program in one file needs no other package', () => {
    const bin = { x: 'dist/x.cjs' };
    expect(publishedManifest({ ...manifest, bin })).to.deep.equal({ name: '@marekvs/x', version: '1.2.3', bin });
  });
});

describe('the public packages', function () {
  this.timeout(900_000);
  let folder = '';
  let staged: readonly StagedPackage[] = [];

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'marekvs-npm-'));
    execFileSync(TSC, ['-b', ...publicFolders(ROOT)], { cwd: ROOT, stdio: 'pipe' });
    staged = stagePackages(ROOT);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are those that are useful outside of this project', () => {
    const names = staged.map(({ manifest }) => manifest.name.replace('@marekvs/', ''));
    const expected = ['api', 'operator', 'planner', 'runtime', 'simulator', 'store-client'];
    expect(names.filter((name) => name !== 'cli')).to.deep.equal(expected);
  });

  it('have every file to which they point, and a module for every source', () => {
    for (const { manifest, files } of staged) {
      expect(
        targetsOf(manifest).filter((target) => !files.includes(target)),
        manifest.name,
      ).to.deep.equal([]);
      const sources = files.flatMap((file) => /^src\/(.+)\.ts$/.exec(file)?.[1] ?? []);
      const lacking = sources.filter(
        (name) => !files.includes(`dist/${name}.js`) || !files.includes(`dist/${name}.d.ts`),
      );
      expect(lacking, manifest.name).to.deep.equal([]);
    }
  });

  it('have no test, no notes of a tool and nothing of an earlier build', () => {
    for (const { manifest, folder: at, files } of staged) {
      const odd = files.filter((file) =>
        /(^|\/)(test|bench|node_modules)\/|\.test\.|tsbuildinfo|tsconfig|\.tgz$/.test(file),
      );
      expect(odd, manifest.name).to.deep.equal([]);
      const stale = files
        .flatMap((file) => /^dist\/(.+)\.js$/.exec(file)?.[1] ?? [])
        .filter((name) => !existsSync(join(at, 'src', `${name}.ts`)));
      expect(manifest.bin === undefined ? stale : [], manifest.name).to.deep.equal([]);
    }
  });

  it('contain the text of the licence that they name', () => {
    const text = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
    expect(text).to.include('Apache License').and.include('Version 2.0, January 2004').and.include('END OF TERMS');
    for (const { manifest, folder: at, files } of staged) {
      expect(manifest.license, manifest.name).to.equal('Apache-2.0');
      expect(files, manifest.name).to.include('LICENSE');
      expect(readFileSync(join(at, 'LICENSE'), 'utf8') === text, manifest.name).to.equal(true);
    }
  });

  it('depend on each other in their present version', () => {
    for (const { manifest } of staged) {
      for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
        const other = staged.find((one) => one.manifest.name === name);
        if (name.startsWith('@marekvs/'))
          expect(other?.manifest.version, `${manifest.name} on ${name}`).to.equal(version);
      }
    }
  });

  it('can be used by a project that has only them and their declared dependencies', async () => {
    const project = join(folder, 'project');
    const questions = writeConsumer(
      project,
      staged.map(({ manifest }) => manifest),
      TSC,
    );
    installByHand(project, staged);
    for (const { title, command, args, expect: wanted } of questions) {
      const { stdout, stderr } = await promisify(execFile)(command, [...args], {
        cwd: project,
        env: { PATH: process.env.PATH },
      }).catch((error: { stdout: string; stderr: string }) => error);
      expect(stdout + stderr, title).to.match(wanted);
    }
  });
});

/** Installs like npm, but with links to the dependencies of this project. Our packages are copied, because Node
 *  resolves  their imports from their real path. */
function installByHand(project: string, staged: readonly StagedPackage[]): void {
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, '@marekvs'), { recursive: true });
  mkdirSync(join(modules, '.bin'), { recursive: true });
  for (const { manifest, folder } of staged) {
    execFileSync('cp', ['-R', folder, join(modules, manifest.name)]);
    for (const [name, path] of Object.entries(manifest.bin ?? {})) {
      // npm makes executable what `bin` names.
      chmodSync(join(modules, manifest.name, path), 0o755);
      symlinkSync(join('..', manifest.name, path), join(modules, '.bin', name));
    }
    for (const name of Object.keys(manifest.dependencies ?? {})) link(name);
  }
  // Every project that is compiled for Node has these types.
  link('@types/node');

  function link(name: string): void {
    const target = join(modules, name);
    if (name.startsWith('@marekvs/') || existsSync(target)) return;
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(realpathSync(join(ROOT, 'node_modules', name)), target);
  }
}
