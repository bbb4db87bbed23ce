// The bundle as on a user's machine: one file named kubectl-mkv, Node, and no project around it.

import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { measureColdStart } from '../bench/cold-start.ts';
import { bundleCli } from '../bundle.ts';

const MIB = 1024 * 1024;
/** Compared with Node alone, started on the same machine at the same time, which takes about 40 ms when a status takes
 *  100. `npm run bench:cli` compares the time that a person waits with its limit. */
const MOST_STARTS_OF_NODE = 6;

describe('the bundle of kubectl-mkv', function () {
  this.timeout(60_000);
  let folder = '';
  let plugin = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mkv-bundle-'));
    await bundleCli(join(folder, 'made', 'kubectl-mkv.cjs'));
    plugin = join(folder, 'kubectl-mkv');
    await copyFile(join(folder, 'made', 'kubectl-mkv.cjs'), plugin);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Promise<{ code: unknown; out: string; err: string }>((done) => {
      const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
      execFile(plugin, [...args], { env: { PATH: path, ...env }, cwd: folder, timeout: 300_000 }, (error, out, err) =>
        done({ code: error === null ? 0 : error.code, out, err }),
      );
    });

  it('runs under its own name, without extension, project or HOME', async () => {
    const { code, out } = await run(['--help']);
    expect(out)
      .to.match(/^Usage: kubectl mkv \[options\] \[command\]/)
      .and.include('Exit codes:');
    expect(code).to.equal(0);
  });

  it('says in one line what to do when there is no kubeconfig, or no context of that name', async () => {
    const none = await run(['status']);
    expect([none.code, none.out]).to.deep.equal([2, '']);
    expect(none.err)
      .to.match(/^error: no kubeconfig: give --kubeconfig, set KUBECONFIG/)
      .and.not.include('    at ');
    const kubeconfig = join(folder, 'config');
    await writeFile(
      kubeconfig,
      'apiVersion: v1\nkind: Config\ncontexts: [{name: blue, context: {cluster: c, user: u}}]\n',
    );
    const green = await run(['status', '--context', 'green'], { KUBECONFIG: kubeconfig });
    expect(green.err).to.include('no context named green; there are: blue');
    expect(green.code).to.equal(2);
  });

  it('says in one line that the server does not answer, and ends with 1', async () => {
    const kubeconfig = join(folder, 'nobody');
    const user = { name: 'u', user: { token: 'x' } };
    await writeFile(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [user],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    const { code, err } = await run(['status'], { KUBECONFIG: kubeconfig });
    expect(err).to.match(/^error: .*\. Next: check the address/);
    expect([code, err.trim().split('\n').length]).to.deep.equal([1, 1]);
  });

  it('loads the code that starts programs only when it starts one', async () => {
    const hook = join(folder, 'hook.cjs');
    await writeFile(
      hook,
      "process.on('exit', () => console.error(process.moduleLoadList.includes('NativeModule child_process')));",
    );
    const { code, err } = await run(['--version'], { NODE_OPTIONS: `--require ${hook}` });
    expect([code, err]).to.deep.equal([0, 'false\n']);
    const loaded = await run(['--version'], { NODE_OPTIONS: `--require ${hook} --require node:child_process` });
    expect(loaded.err).to.equal('true\n');
  });

  it('gets its credentials from an exec plugin', async () => {
    const kubeconfig = join(folder, 'exec');
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      args: ['-c', `echo asked >> ${join(folder, 'asked')}; exit 1`],
      interactiveMode: 'Never',
    };
    await writeFile(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'u', user: { exec } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    const { err } = await run(['status'], { KUBECONFIG: kubeconfig });
    expect(await readFile(join(folder, 'asked'), 'utf8')).to.equal('asked\n');
    expect(err).to.match(/credentials.*Next: log in again/);
  });

  it('validates with code that is loaded later', async () => {
    await writeFile(
      join(folder, 'bad.yaml'),
      'apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\nmetadata: {name: demo}\nspec: {image: a, nodes: 0}\n',
    );
    const bad = await run(['validate', '-f', 'bad.yaml']);
    expect([bad.code, bad.out]).to.deep.equal([
      1,
      'bad.yaml:4:25: spec.nodes must be a whole number between 1 and 1000\n',
    ]);
  });

  it('is smaller than 2 MiB, and identical when it is built again', async () => {
    const again = join(folder, 'again.cjs');
    await bundleCli(again);
    const [first, second] = await Promise.all([readFile(plugin), readFile(again)]);
    expect(first.length).to.be.within(0.5 * MIB, 2 * MIB);
    expect(first.equals(second)).to.equal(true);
  });

  it('spends little processor time on a status: most of its cold start', async () => {
    const { bestMs, processorMs, bareNodeMs } = await measureColdStart(3);
    const text = `processor time ${processorMs.toFixed(0)} ms, best ${bestMs.toFixed(0)} ms, node alone ${bareNodeMs.toFixed(0)} ms`;
    process.stdout.write(`      cold start of status: ${text}\n`);
    expect(processorMs, text).to.be.below(MOST_STARTS_OF_NODE * bareNodeMs);
  });
});
