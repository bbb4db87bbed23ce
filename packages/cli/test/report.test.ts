// The support bundle: what is in it, and above all what is not in it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { MAX_REPORT_BYTES } from '../src/verbs/report/collect.ts';
import { redactObject, redactText } from '../src/verbs/report/redact.ts';
import { runFake } from './support/fake-cli.ts';
import { CLUSTERS, REF, serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

const SECRET = 'hunter2-very-secret';

/** Unpacked by the system's tar, so that a mistake in ours shows. */
function unpack(bytes: Uint8Array): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'mkv-report-'));
  try {
    writeFileSync(join(folder, 'r.tar.gz'), bytes);
    execFileSync('tar', ['-xzf', 'r.tar.gz'], { cwd: folder });
    const names = readdirSync(join(folder, 'mkv-report'), { recursive: true, withFileTypes: true });
    return new Map(
      names
        .filter((one) => one.isFile())
        .map((one) => [
          join(one.parentPath, one.name).slice(join(folder, 'mkv-report').length + 1),
          readFileSync(join(one.parentPath, one.name), 'utf8'),
        ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('report', () => {
  it('contains objects, findings, events and logs, and no secret wherever one was put', async () => {
    const server = serverWith(3, { spec: { extraEnv: { API_KEY: SECRET, RUST_LOG: 'info' } } });
    server.patch(CLUSTERS, REF, {
      metadata: {
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': `{"extraEnv":{"API_KEY":"${SECRET}"}}`,
          'team/password': SECRET,
        },
      },
    });
    const secret = { metadata: { name: 'redis', namespace: 'default' }, data: { password: SECRET } };
    server.create('secrets', secret);
    const asked: string[] = [];
    const { code, out, written } = await runFake(['report', 'demo', '--file', 'r.tar.gz'], {
      server,
      nowMs: NOW_MS,
      refusal: ({ path }) => {
        asked.push(path);
        return undefined;
      },
      lines: (path) =>
        path.includes('/log?')
          ? ['started \u001b[31m', `AUTH ${SECRET}`, `{"password":"${SECRET}"}`, `redis://u:${SECRET}@host:6379`]
          : undefined,
      extra: ({ path }) => (path === '/version' ? { gitVersion: 'v1.36.3' } : undefined),
    });
    expect(code).to.equal(EXIT.fine);
    expect(out).to.match(/^r\.tar\.gz: \d+ files/);
    const files = unpack(written.get('r.tar.gz') ?? new Uint8Array());
    expect([...files.keys()]).to.include.members([
      'README.txt',
      'status.txt',
      'explain.txt',
      'plan.txt',
      'events.txt',
      'objects/cluster.yaml',
      'objects/pods.yaml',
      'logs/demo-0.log',
      'version.json',
    ]);
    for (const [name, text] of files) expect(text, name).to.not.include(SECRET);
    expect(files.get('objects/cluster.yaml')).to.include('API_KEY').and.include('[redacted]');
    expect(files.get('logs/demo-0.log')).to.include('started \\u001b[31m');
    expect(asked.filter((path) => path.includes('/secrets'))).to.deep.equal([]);
  });

  it('has the events of the cluster and its parts, also of parts that are gone, and no others', async () => {
    const server = serverWith();
    for (const name of ['demo', 'demo-7', 'data-demo-1', 'demo-other'])
      server.create('events.events.k8s.io', {
        metadata: { name: `${name}.1`, namespace: 'default' },
        ...{ regarding: { kind: 'Pod', name }, type: 'Warning', reason: 'Failed', note: `of ${name}\u001b[31m` },
      });
    const { written } = await runFake(['report', 'demo', '--file', 'r.tar.gz'], { server, nowMs: NOW_MS });
    const told = unpack(written.get('r.tar.gz') ?? new Uint8Array()).get('events.txt') ?? '';
    expect([...told.matchAll(/: of (.*)/g)].map(([, text]) => text)).to.have.members(
      ['demo', 'demo-7', 'data-demo-1'].map((name) => `${name}\\u001b[31m`),
    );
  });

  it('names what could not be read, and is made nevertheless', async () => {
    const { code, written } = await runFake(['report', 'demo', '--file', 'r.tar.gz'], {
      server: serverWith(),
      nowMs: NOW_MS,
      refusal: ({ path }) =>
        path.includes('/events') || path.includes('/log')
          ? { code: 403, reason: 'Forbidden', message: 'no' }
          : undefined,
    });
    const readme = unpack(written.get('r.tar.gz') ?? new Uint8Array()).get('README.txt');
    expect(code).to.equal(EXIT.fine);
    expect(readme)
      .to.include('- events.txt: ')
      .and.include('- logs/demo-2.log: ')
      .and.include('- events (403 Forbidden)');
  });

  it('stays within its maximal size however long the logs are', async () => {
    const line = 'x'.repeat(1 << 16);
    const { written } = await runFake(['report', 'demo', '--file', 'r.tar.gz'], {
      server: serverWith(),
      nowMs: NOW_MS,
      lines: (path) => (path.includes('/log?') ? Array.from({ length: 100 }, () => line) : undefined),
    });
    const files = unpack(written.get('r.tar.gz') ?? new Uint8Array());
    const total = [...files.values()].reduce((sum, text) => sum + text.length, 0);
    expect(total).to.be.below(MAX_REPORT_BYTES);
    expect(files.get('README.txt')).to.include('logs/demo-0.log: the end of it');
  });
});

describe('redaction', () => {
  it('keeps names and references, and removes values', () => {
    const env = [
      { name: 'MAREKVS_NODE_ID', value: '3' },
      { name: 'TOKEN', value: SECRET },
      { name: 'P', valueFrom: { secretKeyRef: { name: 'redis', key: 'password' } } },
    ];
    expect(
      redactObject({ spec: { containers: [{ env }], imagePullSecrets: [{ name: 'pull' }] }, token: SECRET }),
    ).to.deep.equal({
      spec: {
        containers: [{ env: [env[0], { name: 'TOKEN', value: '[redacted]' }, env[2]] }],
        imagePullSecrets: [{ name: 'pull' }],
      },
      token: '[redacted]',
    });
  });

  const LINES: readonly (readonly [string, string])[] = [
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [redacted]'],
    ['requirepass s3cret', 'requirepass [redacted]'],
    ['MAREKVS_REQUIREPASS=s3cret next', 'MAREKVS_REQUIREPASS=[redacted] next'],
    ['password: "two words" ok', 'password: [redacted] ok'],
    ['redis://user:s3cret@host', 'redis://user:[redacted]@host'],
    ['nothing to hide', 'nothing to hide'],
  ];
  for (const [line, shown] of LINES)
    it(`shows ${JSON.stringify(line)} as ${JSON.stringify(shown)}`, () => expect(redactText(line)).to.equal(shown));

  // No time is judged: a pattern that is tried again at every character would need half an hour for one of these.
  for (const word of ['a-', 'token-', 'password ', 'auth ', 'auth "', '//a', '//a:', 'bearer ', 'basic  ', '"', '= '])
    it(`goes through a MiB of ${JSON.stringify(word)} once, and still finds the password after it`, () => {
      const text = word.repeat(Math.ceil(2 ** 20 / word.length));
      const end = redactText(`${text}\npassword=s3cret`).slice(-40);
      expect(end).to.include('[redacted]').and.not.include('s3cret');
    });
});
