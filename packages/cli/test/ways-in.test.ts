// The ways from this machine to a member: for figures, and for the user's own client.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LABELS } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { CLUSTERS, put, serverWith } from './support/fake-server.ts';
import { cluster, NOW_MS } from './support/objects.ts';

const METRICS =
  readFileSync(join(import.meta.dirname, '../../store-client/test/samples/http_metrics.txt'), 'utf8')
    .split('\r\n\r\n')
    .at(-1) ?? '';

const run = (line: string, more: Partial<FakeOptions> = {}, server = serverWith()) =>
  runFake(line.split(' '), { server, nowMs: NOW_MS, ...more });

/** Members that are processes of this machine, as under npm start. */
function onThisMachine(server = serverWith()) {
  for (const id of [0, 1, 2])
    server.patch(
      'pods',
      { namespace: 'default', name: `demo-${id}` },
      { status: { podIP: `127.33.0.${id + 1}` } },
      'status',
    );
  return server;
}

describe('figures of a member', () => {
  it('that is a process of this machine are read directly, because the API server cannot reach it', async () => {
    const asked: string[] = [];
    const http = (url: string) => {
      asked.push(url);
      return METRICS;
    };
    const refusal: FakeOptions['refusal'] = ({ path }) =>
      path.includes('/proxy/') ? { code: 400, reason: 'BadRequest', message: 'address not allowed' } : undefined;
    const { out } = await run('top demo', { http, refusal }, onThisMachine());
    expect(out)
      .to.match(/^demo-2 +0 +1 /m)
      .and.not.include('not read');
    expect(asked.slice(0, 3).sort()).to.deep.equal([1, 2, 3].map((last) => `http://127.33.0.${last}:9121/metrics`));
  });

  it('are read through a port forward, which is closed afterwards, when the user may not use the proxy', async () => {
    const refusal: FakeOptions['refusal'] = ({ path }) =>
      path.includes('/proxy/')
        ? { code: 403, reason: 'Forbidden', message: 'User "eve" cannot get resource "pods/proxy"' }
        : undefined;
    let open = 0;
    const targets = new Set<string>();
    const forward: FakeOptions['forward'] = (to) => {
      targets.add(to);
      open += 1;
      return { host: '127.0.0.1', port: 40_000, ended: new Promise(() => undefined), close: () => (open -= 1) };
    };
    const http = (url: string) => (url === 'http://127.0.0.1:40000/metrics' ? METRICS : undefined);
    const { out } = await run('top demo', { refusal, forward, http });
    expect(out)
      .to.match(/^demo-0 +0 +1 /m)
      .and.not.include('not read');
    expect([open, [...targets].sort()]).to.deep.equal([0, [0, 1, 2].map((id) => `default/demo-${id}:9121`)]);
  });

  it('that cannot be read are reported with why each way failed, and the two permissions of which one is needed', async () => {
    const { out } = await run('top demo', {}, serverWith());
    expect(out.replaceAll('\n', ' '))
      .to.match(/get pods\/proxy default\/demo-0: 404 .*; by port forward: there is no kubectl in PATH/)
      .and.include('one of pods/proxy and pods/portforward is needed');
  });

  it('of every namespace come with -A, each with its namespace', async () => {
    const server = serverWith();
    put(server, CLUSTERS, cluster({ metadata: { namespace: 'other', name: 'second' } }));
    const { code, out } = await run('top -A', {}, server);
    expect(code).to.equal(EXIT.fine);
    expect(out)
      .to.match(/^NAMESPACE +NODE /)
      .and.match(/^default +demo-0 /m)
      .and.match(/all of other\/second/);
  });
});

describe('kubectl mkv connect', () => {
  const forwarding = (how: string | undefined, stop?: AbortController): Partial<FakeOptions> => ({
    forward: (to) => {
      setImmediate(() => stop?.abort());
      return {
        host: '127.0.0.1',
        port: 40_001,
        ended: how === undefined ? new Promise(() => undefined) : Promise.resolve(`${how} ${to}`),
        close: () => undefined,
      };
    },
    ...(stop === undefined ? {} : { signal: stop.signal }),
  });

  it('keeps a way open until Ctrl-C, and prints the command of a client', async () => {
    const { code, out, err } = await run('connect', forwarding(undefined, new AbortController()));
    expect([code, err]).to.deep.equal([EXIT.fine, '']);
    expect(out).to.equal('demo-0 is reached through this machine until Ctrl-C\nredis-cli -h 127.0.0.1 -p 40001\n');
  });

  it('says why the way has ended, and how to open another', async () => {
    const { code, err } = await run('connect demo', forwarding('lost connection to pod'));
    expect(code).to.equal(EXIT.failed);
    expect(err).to.match(/lost connection to pod default\/demo-0:6379\. Next: .*kubectl mkv connect demo -n default/);
  });

  it('opens no way to a member on this machine', async () => {
    const { code, out } = await run('connect demo', {}, onThisMachine());
    expect([code, out]).to.deep.equal([EXIT.fine, 'demo-0 listens on this machine\nredis-cli -h 127.33.0.1 -p 6379\n']);
  });

  it('chooses a member that serves clients, or fails', async () => {
    const server = onThisMachine();
    const notServing = { metadata: { labels: { [LABELS.serving]: 'false' } } };
    server.patch('pods', { namespace: 'default', name: 'demo-0' }, notServing);
    expect((await run('connect demo', {}, server)).out).to.include('demo-1 listens');
    for (const name of ['demo-1', 'demo-2']) server.patch('pods', { namespace: 'default', name }, notServing);
    const none = await run('connect demo', {}, server);
    expect([none.code, none.err.includes('kubectl mkv explain demo')]).to.deep.equal([EXIT.blocked, true]);
  });

  it('reads the password only on request, and prints it quoted for a shell', async () => {
    const server = onThisMachine(serverWith(3, { spec: { auth: { secretRef: { name: 'pw', key: 'password' } } } }));
    const asked: string[] = [];
    const extra: FakeOptions['extra'] = ({ path }) => {
      if (!path.includes('/secrets/')) return undefined;
      asked.push(path);
      return { metadata: { name: 'pw' }, data: { password: Buffer.from("it's").toString('base64') } };
    };
    const without = await run('connect demo', { extra }, server);
    expect([without.out.includes('--show-password prints it'), asked]).to.deep.equal([true, []]);
    const { out } = await run('connect demo --show-password', { extra }, server);
    expect(out).to.include(`export REDISCLI_AUTH='it'\\''s'\n`);
    expect(asked).to.deep.equal(['/api/v1/namespaces/default/secrets/pw']);
  });

  it('names the missing permission when there is no way', async () => {
    const { code, err } = await run('connect demo');
    expect(code).to.equal(EXIT.failed);
    expect(err).to.match(/cannot reach demo-0: there is no kubectl in PATH.*--subresource=portforward -n default/);
  });
});
