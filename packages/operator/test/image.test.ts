// The recipe of the image, as far as it can be tried without a container engine: its own commands with this machine's
// Node, in a folder with exactly the build context, and then the resulting file system, as a user that is not root.

import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Metafile } from 'esbuild';
import { load } from 'js-yaml';
import { after, before, describe, it } from 'mocha';
import { bundleOperator } from '../bundle.ts';
import { buildContext, type Stage, stagesOf } from './support/docker-files.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const stages = stagesOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
const stage = (name: string | undefined): Stage => stages.find((one) => one.name === name) ?? expect.fail(`no ${name}`);
const last = stages.at(-1) ?? expect.fail('no stage');
const wordsOf = ({ instructions }: Stage, word: string) =>
  instructions.filter((one) => one.word === word).map(({ rest }) => rest);

interface PodSecurity {
  readonly runAsUser: number;
  readonly runAsGroup: number;
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly command?: unknown;
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
}

function podSpec() {
  const { spec } = load(readFileSync(join(ROOT, 'config/base/manager/deployment.yaml'), 'utf8')) as {
    spec: { template: { spec: { securityContext: PodSecurity; containers: readonly [Container] } } };
  };
  return spec.template.spec;
}

describe('the recipe of the image', () => {
  it('ends with an image that has only what is copied into it: no shell, no package manager', () => {
    expect(last.from).to.equal('scratch');
    expect(last.instructions.map(({ word }) => word).sort()).to.deep.equal([
      'COPY',
      'ENTRYPOINT',
      'LABEL',
      'USER',
      'WORKDIR',
    ]);
    expect(wordsOf(last, 'COPY')).to.deep.equal(['--from=rootfs /rootfs /']);
  });

  it('uses the user and group that the Deployment asks for, by number, and not root', () => {
    const { runAsUser, runAsGroup } = podSpec().securityContext;
    expect(wordsOf(last, 'USER')).to.deep.equal([`${runAsUser}:${runAsGroup}`]);
    expect(runAsUser).to.be.greaterThan(0);
  });

  it('starts the operator without a shell, and the Deployment starts nothing else', () => {
    const [entry = '[]'] = wordsOf(last, 'ENTRYPOINT');
    expect(JSON.parse(entry)).to.deep.equal(['/usr/local/bin/node', '/app/main.js']);
    expect(podSpec().containers[0].command).to.equal(undefined);
  });

  it('contains the version of Node that this project is tested with, by a digest that has no default', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    // An empty digest makes this an invalid reference, which every builder refuses.
    expect(stage('bundle').from).to.equal(`node:${dependencies.node}-slim@`);
    expect(stage('rootfs').from).to.equal(`node:${dependencies.node}-slim@`);
  });

  it('installs exactly what the lock names or fails, and runs no script of a dependency', () => {
    const installs = wordsOf(stage('bundle'), 'RUN').filter((run) => /\bnpm\b/.test(run));
    expect(installs).to.deep.equal(['npm ci --ignore-scripts']);
  });

  it('is made from a lock in which every package has the hash of its contents', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { readonly link?: boolean; readonly integrity?: string }>>;
    };
    const fromRegistry = Object.entries(packages).filter(([path, { link }]) => /node_modules\//.test(path) && !link);
    expect(fromRegistry.length).to.be.greaterThan(500);
    expect(
      fromRegistry.filter(([, { integrity = '' }]) => !/^sha512-/.test(integrity)).map(([path]) => path),
    ).to.deep.equal([]);
  });

  it('downloads nothing itself', () => {
    const all = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ word }) => word === 'ADD' || word === 'RUN');
    expect(
      all.filter(({ word, rest }) => word === 'ADD' || /\b(curl|wget|apt|apk)\b|https?:/.test(rest)),
    ).to.deep.equal([]);
  });

  it('gives the operator one place to write to, which the Deployment mounts', () => {
    const [{ env, volumeMounts, securityContext }] = podSpec().containers;
    expect(securityContext.readOnlyRootFilesystem).to.equal(true);
    const cache = env.find(({ name }) => name === 'NODE_COMPILE_CACHE')?.value;
    expect(volumeMounts.map(({ mountPath }) => mountPath)).to.deep.equal([cache]);
  });
});

describe('the image', function () {
  this.timeout(120_000);
  let folder = '';
  let metafile: Metafile;
  const app = () => join(folder, 'app');

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'marekvs-image-'));
    metafile = await bundleOperator(join(folder, 'here'));
    copyContext(join(folder, 'src'), metafile);
    chmodSync(join(folder, 'src/LICENSE'), 0o660);
    const run =
      wordsOf(stage('bundle'), 'RUN').find((one) => one.includes('bundle.ts')) ?? expect.fail('no bundle step');
    shell(run.replaceAll('/app', app()), join(folder, 'src'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has the same bundle byte by byte, whoever builds it anywhere, from the build context alone', () => {
    const names = readdirSync(app()).sort();
    const here = readdirSync(join(folder, 'here')).filter((name) => !name.endsWith('.map'));
    expect(names).to.deep.equal(here.sort());
    for (const name of names) {
      expect(readFileSync(join(app(), name)).equals(readFileSync(join(folder, 'here', name))), name).to.equal(true);
    }
  });

  it('has the text of the licence that its label names', () => {
    const licence = /org\.opencontainers\.image\.licenses="([^"]+)"/.exec(wordsOf(last, 'LABEL').join(' '))?.[1];
    expect(licence).to.equal(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).license);
    expect(readFileSync(join(app(), 'LICENSE'), 'utf8'))
      .to.include('Apache License')
      .and.include('Version 2.0');
  });

  it('has the same modes whoever builds it: readable for all and writable for no other user', () => {
    const modes = readdirSync(app()).map((name) => statSync(join(app(), name)).mode & 0o777);
    expect(new Set(modes)).to.deep.equal(new Set([0o644]));
    expect(statSync(app()).mode & 0o777).to.equal(0o755);
  });

  it('contains no test, no journey and nothing of another program', () => {
    const context = buildContext(ROOT);
    expect(context.filter((path) => /\.test\.ts$|(^|\/)(test|docs|config)\//.test(path))).to.deep.equal([]);
    // What asks for Node's own modules is made while it is bundled.
    const inputs = Object.keys(metafile.inputs).filter((path) => !/node_modules\/|^builtin:node:/.test(path));
    expect(inputs.filter((path) => !context.includes(path))).to.deep.equal([]);
  });

  it('starts as a user that owns nothing in it and can write nowhere', async function () {
    if (process.getuid?.() !== 0 || !existsSync('/usr/sbin/chroot')) {
      console.log('      skipped: only root may change the root of a process');
      this.skip();
    }
    const rootfs = join(folder, 'rootfs');
    for (const run of wordsOf(stage('rootfs'), 'RUN')) {
      shell(run.replaceAll('/usr/local/bin/node', process.execPath).replaceAll('/rootfs', rootfs), folder);
    }
    cpSync(app(), join(rootfs, 'app'), { recursive: true });
    const [user = ''] = wordsOf(last, 'USER');
    const inside = (...args: readonly string[]) =>
      promisify(execFile)('/usr/sbin/chroot', [`--userspec=${user}`, rootfs, process.execPath, ...args], { env: {} });
    expect((await inside('/app/main.js', '--help')).stdout).to.match(/^Usage: marekvs-operator/);
    const tries = ['/', '/app', '/app/main.js', '/etc', '/tmp', dirname(process.execPath)].map(
      (path) =>
        `try { fs.accessSync(${JSON.stringify(path)}, fs.constants.W_OK); console.log(${JSON.stringify(path)}) } catch {}`,
    );
    expect((await inside('-e', tries.join(';'))).stdout).to.equal('');
    const refused = await inside('/app/main.js', '--kubeconfig', '/none').catch(
      (error: { code?: number }) => error.code,
    );
    expect(refused).to.equal(2);
  });
});

/** The files of the context, and those of node_modules that the bundle is made of: whole packages would be a hundred
 *  megabytes. */
function copyContext(target: string, { inputs }: Metafile): void {
  const libraries = Object.keys(inputs).filter((path) => path.startsWith('node_modules/'));
  const manifests = libraries.flatMap(foldersOf).map((path) => join(path, 'package.json'));
  // The names of chunks are hashes of their inputs, source maps included.
  const maps = libraries.map((path) => `${path}.map`);
  for (const path of new Set([...buildContext(ROOT), ...libraries, ...maps, ...manifests])) {
    if (!existsSync(join(ROOT, path))) continue;
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(ROOT, path), join(target, path));
  }
  for (const path of ['node_modules/esbuild', 'node_modules/@esbuild']) {
    cpSync(join(ROOT, path), join(target, path), { recursive: true });
  }
  mkdirSync(join(target, 'node_modules/@marekvs'), { recursive: true });
  for (const name of readdirSync(join(target, 'packages'))) {
    symlinkSync(join('../../packages', name), join(target, 'node_modules/@marekvs', name));
  }
}

/** `a/b` and `a` of `a/b/c`. */
function foldersOf(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

function shell(command: string, cwd: string): void {
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
  // Built under a umask that lets no other user read: the modes must not depend on the builder.
  execFileSync('/bin/sh', ['-ec', `umask 077; ${command}`], {
    cwd,
    env: { PATH: path, HOME: cwd },
    stdio: 'pipe',
    timeout: 600_000,
  });
}
