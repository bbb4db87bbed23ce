import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterAccessOptions, ConfigError, loadClusterAccess } from '@marekvs/runtime';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createManualClock } from './support/manual-clock.ts';

const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nnot one\n-----END CERTIFICATE-----\n';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function kubeconfig(user: object, cluster: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'team-a' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  });
}

describe('kubeconfig', () => {
  let folder: string;
  const clock = createManualClock();
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'marekvs-kubeconfig-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function load(user: object, cluster: object = {}): ReturnType<typeof loadClusterAccess> {
    const file = join(folder, 'config');
    await writeFile(file, kubeconfig(user, cluster));
    return await loadClusterAccess({ kubeconfig: file, env: { ...process.env }, clock });
  }

  async function refusal(opts: ClusterAccessOptions): Promise<string> {
    const error = await loadClusterAccess(opts).then(
      () => expect.fail('it was accepted'),
      (e: unknown) => e,
    );
    expect(error).to.be.instanceOf(ConfigError);
    return (error as Error).message;
  }

  it('contains server, authority, namespace and client certificate, and describes itself without secrets', async () => {
    const access = await load(
      { 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') },
      { 'certificate-authority-data': base64(CERTIFICATE), 'tls-server-name': 'kube' },
    );
    expect(access.server.href).to.equal('https://127.0.0.1:6443/');
    expect(access.ca?.toString()).to.equal(CERTIFICATE);
    expect(access).to.include({ namespace: 'team-a', tlsServerName: 'kube', skipTlsVerify: false });
    expect(access.describe).to.equal(`kubeconfig ${join(folder, 'config')}, context here`);
    const { clientCertificate, authorization } = await access.credentials.get();
    expect([clientCertificate?.cert.toString(), clientCertificate?.key.toString()]).to.deep.equal(['cert', 'key']);
    expect(authorization).to.equal(undefined);
  });

  it('reads a token file again after a minute and after a refusal, and trims it', async () => {
    await writeFile(join(folder, 'token'), 'first\n');
    const { credentials } = await load({ tokenFile: 'token' });
    const now = async (): Promise<string | undefined> => (await credentials.get()).authorization;
    expect(await now()).to.equal('Bearer first');
    await writeFile(join(folder, 'token'), 'second\n');
    clock.advance(59_999);
    expect(await now()).to.equal('Bearer first');
    clock.advance(1);
    expect(await now()).to.equal('Bearer second');
    await writeFile(join(folder, 'token'), 'third');
    await credentials.refresh();
    expect(await now()).to.equal('Bearer third');
    await rm(join(folder, 'token'));
    clock.advance(60_000);
    expect(await now()).to.equal('Bearer third');
  });

  it('asks an exec plugin once while its credential is valid, and again after a refusal', async () => {
    const plugin = join(folder, 'plugin.mjs');
    const count = join(folder, 'count');
    await writeFile(
      plugin,
      `#!${process.execPath}
import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(count)}, 'x');
const token = 'exec-' + readFileSync(${JSON.stringify(count)}, 'utf8').length;
console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential',
  status: { token, expirationTimestamp: '2999-01-01T00:00:00Z' } }));`,
    );
    await chmod(plugin, 0o755);
    const { credentials } = await load({
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' },
    });
    const now = async (): Promise<string | undefined> => (await credentials.get()).authorization;
    expect(await now()).to.equal('Bearer exec-1');
    clock.advance(3_600_000);
    expect(await now()).to.equal('Bearer exec-1');
    await credentials.refresh();
    expect(await now()).to.equal('Bearer exec-2');
  });

  it('finds the service account of a Pod', async () => {
    const account = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
    await mkdir(account, { recursive: true });
    await Promise.all([
      writeFile(join(account, 'token'), 'pod-token\n'),
      writeFile(join(account, 'ca.crt'), CERTIFICATE),
      writeFile(join(account, 'namespace'), 'operators'),
    ]);
    const env = { KUBERNETES_SERVICE_HOST: '::1', KUBERNETES_SERVICE_PORT: '443', HOME: folder };
    const access = await loadClusterAccess({ env, podRoot: folder, clock });
    expect(access.server.href).to.equal('https://[::1]/');
    expect(access).to.include({ namespace: 'operators', describe: 'service account of this Pod' });
    expect(access.ca?.toString()).to.equal(CERTIFICATE);
    expect((await access.credentials.get()).authorization).to.equal('Bearer pod-token');
  });

  it('merges the files of $KUBECONFIG, the first one choosing the context', async () => {
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    await writeFile(one, JSON.stringify({ 'current-context': 'here', contexts: [], clusters: [], users: [] }));
    await writeFile(two, kubeconfig({ token: 'merged' }));
    const access = await loadClusterAccess({ env: { KUBECONFIG: `${one}:${two}` }, clock });
    expect((await access.credentials.get()).authorization).to.equal('Bearer merged');
  });

  it('says in one line where it looked when there is no kubeconfig', async () => {
    expect(await refusal({ env: { HOME: join(folder, 'nobody') } })).to.equal(
      'no kubeconfig: give --kubeconfig, set KUBECONFIG, run inside a Pod with a service account, or create ~/.kube/config',
    );
    expect(await refusal({ kubeconfig: '/no/such/file', env: {} })).to.equal('kubeconfig /no/such/file does not exist');
    expect(await refusal({ env: { KUBECONFIG: '/no/such/file' } })).to.equal(
      'kubeconfig /no/such/file (named by $KUBECONFIG) does not exist',
    );
  });

  it('names the context that does not exist, and those that do', async () => {
    const file = join(folder, 'config');
    await writeFile(file, kubeconfig({}));
    expect(await refusal({ kubeconfig: file, context: 'elsewhere', env: {} })).to.equal(
      `kubeconfig ${file}: no context named elsewhere; there are: here`,
    );
  });

  for (const [what, content, message] of [
    ['text that is no kubeconfig', 'just text', /no current context/],
    ['broken YAML', 'users: [\n{token: hush-hush\n', /^[^\n]*$/],
    ['a proxy', kubeconfig({}, { 'proxy-url': 'http://127.0.0.1:1' }), /cluster c: proxy-url is not supported$/],
    [
      'an old auth provider',
      kubeconfig({ 'auth-provider': { name: 'gcp' } }),
      /auth-provider gcp is not supported; use an exec plugin$/,
    ],
    ['a server that is no URL', kubeconfig({}, { server: 'not a url' }), /: not a url is not a URL$/],
    [
      'a missing authority',
      kubeconfig({}, { 'certificate-authority': '/no/ca' }),
      /the certificate authority \/no\/ca cannot be read$/,
    ],
  ] as const) {
    it(`refuses ${what} with a ConfigError that names the file`, async () => {
      const file = join(folder, 'bad');
      await writeFile(file, content);
      const said = await refusal({ kubeconfig: file, env: {} });
      expect(said).to.match(message).and.to.include(file).and.not.to.include('hush-hush');
    });
  }
});
