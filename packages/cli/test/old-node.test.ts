// The plugin on the oldest supported Node, which is simulated: what it lacks is taken away from this Node before the
// plugin starts, and listeners are counted as the old one does.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { OLDEST_NODE } from '../bundle/oldest-node.ts';
import { bundleCli } from '../bundle.ts';
import { startHttpsApi } from './support/https-api.ts';
import { cluster } from './support/objects.ts';

/** What V8 has gained since Node 20 (by comparing the names in both), and AbortSignal's limit of 10 listeners, which
 *  Node 22 removed. */
const OLD_NODE = `
const { setMaxListeners } = require('node:events');
for (const name of ['withResolvers', 'try']) delete Promise[name];
for (const name of ['groupBy']) { delete Map[name]; delete Object[name]; }
delete Array.fromAsync; delete RegExp.escape; delete Error.isError; delete Iterator.from; delete Iterator.concat;
for (const name of ['difference', 'intersection', 'isDisjointFrom', 'isSubsetOf', 'isSupersetOf', 'symmetricDifference', 'union'])
  delete Set.prototype[name];
for (const name of ['drop', 'every', 'filter', 'find', 'flatMap', 'forEach', 'map', 'reduce', 'some', 'take', 'toArray'])
  delete Iterator.prototype[name];
for (const name of ['getOrInsert', 'getOrInsertComputed']) { delete Map.prototype[name]; delete WeakMap.prototype[name]; }
globalThis.AbortController = class extends AbortController {
  constructor() { super(); setMaxListeners(10, this.signal); }
};
`;
/** More listeners than an AbortSignal of Node 20 has without a warning. */
const CHANGES = 12;

describe('kubectl-mkv on an old Node', function () {
  this.timeout(60_000);
  let folder = '';
  let plugin = '';
  let hook = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mkv-old-node-'));
    plugin = join(folder, 'kubectl-mkv');
    hook = join(folder, 'old-node.cjs');
    await bundleCli(plugin);
    await writeFile(hook, OLD_NODE);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    let stop = (): void => undefined;
    const ended = new Promise<{ code: unknown; out: string; err: string }>((done) => {
      const child = execFile(
        process.execPath,
        ['--require', hook, plugin, ...args],
        { env: { ...env }, cwd: folder, timeout: 300_000 },
        (error, out, err) => done({ code: error === null ? 0 : (error.code ?? error.signal), out, err }),
      );
      stop = () => child.kill('SIGINT');
    });
    return { ended, stop };
  }

  it('follows a cluster through a dozen changes, and ends with 0 on Ctrl-C, without anything on standard error', async () => {
    let watching: ServerResponse | undefined;
    let changes = 0;
    const tell = (type: string, metadata: object) => {
      const object = { ...cluster(), metadata: { ...cluster().metadata, uid: 'uid-1', ...metadata } };
      watching?.write(`${JSON.stringify({ type, object })}\n`);
    };
    const change = () => {
      changes += 1;
      tell('MODIFIED', { resourceVersion: String(1_000 + changes) });
    };
    const api = await startHttpsApi(folder, {
      onWatch: (url, response) => {
        if (!url.includes('/marekvsclusters')) return;
        watching = response;
        tell('ADDED', { resourceVersion: '1000' });
        tell('BOOKMARK', { resourceVersion: '1000', annotations: { 'k8s.io/initial-events-end': 'true' } });
        change();
      },
      // The next change comes once the one before was read.
      onRead: (url) => {
        if (!url.includes('/marekvsclusters/') || watching === undefined) return;
        if (changes < CHANGES) change();
        else watched.stop();
      },
    });
    const watched = start(['status', 'demo', '--watch'], { KUBECONFIG: api.kubeconfig });
    try {
      const { code, out, err } = await watched.ended;
      expect(err).to.equal('');
      expect([code, changes]).to.deep.equal([0, CHANGES]);
      expect(out).to.include('default/demo  Healthy');
    } finally {
      api.server.closeAllConnections();
      api.server.close();
    }
  });

  it('checks manifests with the parts that are loaded later', async () => {
    await writeFile(
      join(folder, 'bad.yaml'),
      'apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\nspec: {nodes: 0}\n',
    );
    const { code, err } = await start(['validate', '-f', 'bad.yaml']).ended;
    expect(code).to.equal(1);
    expect(err).to.match(/^error: \d+ problems?\. Next: correct/);
  });

  for (const version of ['18.20.8', '20.15.1'])
    it(`refuses Node ${version} before anything else, in one sentence that names the oldest supported one`, async () => {
      const older = join(folder, `node-${version}.cjs`);
      await writeFile(older, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
      const { code, out, err } = await start(['status'], { NODE_OPTIONS: `--require ${older}` }).ended;
      expect([code, out]).to.deep.equal([1, '']);
      expect(err).to.equal(
        `error: kubectl-mkv needs Node ${OLDEST_NODE} or newer, and this is ${version}. Next: install it, or put its folder first in PATH\n`,
      );
    });

  it('has the same oldest version in its package.json', async () => {
    const manifest = JSON.parse(await readFile(join(import.meta.dirname, '..', 'package.json'), 'utf8'));
    expect(manifest.engines.node).to.equal(`>=${OLDEST_NODE}`);
  });
});
