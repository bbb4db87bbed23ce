// The bundle of the operator's image as it would run in the container: Node and these files, without the project.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { Metafile } from 'esbuild';
import { load } from 'js-yaml';
import { after, before, describe, it } from 'mocha';
import { bundleOperator } from '../bundle.ts';

const MIB = 1024 * 1024;
const DEPLOYMENT = resolve(import.meta.dirname, '../../../config/base/manager/deployment.yaml');

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

describe('bundle of the operator', function () {
  this.timeout(60_000);
  let folder = '';
  let metafile: Metafile;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'marekvs-bundle-'));
    metafile = await bundleOperator(join(folder, 'app'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Promise<{ code: unknown; output: string }>((done) => {
      const main = join(folder, 'app', 'main.js');
      execFile(process.execPath, [main, ...args], { env, cwd: folder, timeout: 300_000 }, (error, stdout, stderr) =>
        done({ code: error === null ? 0 : error.code, output: stdout + stderr }),
      );
    });

  it('starts without the project, a PATH or a HOME', async () => {
    const { code, output } = await run(['--help']);
    expect(output).to.match(/^Usage: marekvs-operator \[options\]/);
    expect(output).to.include('--watch-namespaces').and.include('--lease-duration');
    expect(code).to.equal(0);
  });

  it('refuses an unknown flag with exit code 2', async () => {
    const { code, output } = await run(['--no-such-flag']);
    expect(output).to.include('--no-such-flag');
    expect(code).to.equal(2);
  });

  it('reads a kubeconfig with @kubernetes/client-node, which is loaded on demand and under 0.15 MiB', async () => {
    const later = Object.entries(metafile.outputs).filter(([, { inputs }]) =>
      Object.keys(inputs).some((input) => input.includes('@kubernetes/client-node')),
    );
    expect(later).to.have.length.above(0);
    for (const [file, { bytes }] of later) expect(bytes, file).to.be.below(0.15 * MIB);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(
      kubeconfig,
      'apiVersion: v1\nkind: Config\ncontexts: [{name: blue, context: {cluster: c, user: u}}]\n',
    );
    const { code, output } = await run(['--kubeconfig', kubeconfig, '--context', 'green']);
    expect(output).to.include('no context named green; there are: blue');
    expect(code).to.equal(2);
  });

  it('takes the arguments and the Node options of the Deployment', async () => {
    const [container] = (load(await readFile(DEPLOYMENT, 'utf8')) as Deployment).spec.template.spec.containers;
    const env = container?.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])) ?? [];
    expect(env.map(([name]) => name)).to.deep.equal(['NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'NODE_COMPILE_CACHE']);
    // Flags are read before the kubeconfig is searched for.
    const missing = join(folder, 'none');
    const { code, output } = await run([...(container?.args ?? []), '--kubeconfig', missing], Object.fromEntries(env));
    expect(output).to.include(`kubeconfig ${missing} does not exist`);
    expect(code).to.equal(2);
  });

  it('loads less than 1.25 MiB at start, and nothing of @kubernetes/client-node', () => {
    const loaded = loadedAtStart(metafile, 'dist/image/main.js');
    const bytes = loaded.reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0);
    // Two thirds are the operator's own code; another library that is loaded at start shows here.
    expect(bytes).to.be.within(0.5 * MIB, 1.25 * MIB);
    const inputs = loaded.flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
    expect(inputs.filter((input) => input.includes('@kubernetes/client-node'))).to.deep.equal([]);
  });

  it('formats nothing by locale, since the first formatter maps 7 MiB of data into the process', async () => {
    const text = await readFile(join(folder, 'app', 'main.js'), 'utf8');
    expect(text.match(/\bIntl\.|\.toLocale\w*/g) ?? []).to.deep.equal([]);
  });

  it('loads of Node what it uses: no fetch, no web streams, no threads, no compression', async () => {
    const preload = join(folder, 'loaded.cjs');
    await writeFile(preload, "process.on('exit', () => process.stdout.write(process.moduleLoadList.join('\\n')));");
    const { output } = await run(['--kubeconfig', join(folder, 'none')], { NODE_OPTIONS: `--require=${preload}` });
    const loaded = output.split('\n').filter((line) => line.startsWith('NativeModule '));
    const names = loaded.map((line) => line.slice('NativeModule '.length));
    expect(names).to.include.members(['http', 'https', 'crypto']);
    const unused = ['internal/deps/undici/undici', 'stream/web', 'worker_threads', 'zlib', 'http2', 'child_process'];
    expect(names.filter((name) => unused.includes(name))).to.deep.equal([]);
  });

  it('is identical byte by byte when it is made again elsewhere', async () => {
    const again = join(folder, 'some', 'other');
    await bundleOperator(again);
    const names = (await readdir(join(folder, 'app'))).sort();
    expect((await readdir(again)).sort()).to.deep.equal(names);
    for (const name of names) {
      const [first, second] = await Promise.all([readFile(join(folder, 'app', name)), readFile(join(again, name))]);
      expect(first.equals(second), name).to.equal(true);
    }
  });
});

/** The file and all it imports when it is loaded, without what it imports later on demand. */
function loadedAtStart({ outputs }: Metafile, entry: string): readonly string[] {
  const found = new Set([entry]);
  for (const file of found) {
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) found.add(path);
    }
  }
  return [...found];
}
