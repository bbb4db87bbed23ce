import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, type ApiRequest } from '@marekvs/runtime';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { takeSlate } from '../src/control-plane/clean-slate.ts';
import type { ControlPlane } from '../src/control-plane/control-plane.ts';
import { borrowControlPlane, LENT_VARIABLE, lendControlPlane, takeLent } from '../src/control-plane/lend.ts';

type Stored = Record<string, unknown> & { metadata: Record<string, unknown> };

/** The part of an API server that a wipe needs: namespaces, ConfigMaps, and finalizers. */
function apiServer() {
  const objects = new Map<string, Stored>();
  let uids = 0;
  const put = (path: string, more: object = {}, metadata: object = {}): void => {
    const parts = path.split('/');
    const name = parts.at(-1);
    const namespace = parts.length > 5 ? { namespace: parts[4] } : {};
    objects.set(path, { metadata: { name, ...namespace, uid: `u${uids++}`, ...metadata }, ...more });
  };
  const request = async <T>(req: ApiRequest): Promise<T> => {
    const path = req.path.replace(/\?.*$/, '').replace(/\/finalize$/, '');
    const found = objects.get(path);
    switch (req.verb) {
      case 'get':
        return discover(path) as T;
      case 'list': {
        const plural = path.split('/').at(-1);
        const isOne = (key: string) => key.split('/').at(-2) === plural;
        return { items: [...objects].filter(([key]) => isOne(key)).map(([, object]) => object) } as T;
      }
      case 'patch':
        if (found !== undefined) delete found.metadata.finalizers;
        if (found?.metadata.deletionTimestamp !== undefined) objects.delete(path);
        return undefined as T;
      default:
        if (found === undefined)
          throw new ApiError({ status: 404, reason: 'NotFound', verb: req.verb, path, subject: path });
        if (found.metadata.finalizers === undefined) objects.delete(path);
        else found.metadata.deletionTimestamp = 'now';
        return undefined as T;
    }
  };
  return { objects, put, client: { request } };
}

function discover(path: string): object {
  if (path === '/apis') return { groups: [] };
  const verbs = ['list', 'delete'];
  return {
    resources: [
      { name: 'namespaces', namespaced: false, verbs },
      { name: 'configmaps', namespaced: true, verbs },
    ],
  };
}

const NS = '/api/v1/namespaces';

describe('wiping a lent API server', () => {
  it('removes what was created since it was lent, even with finalizers, and keeps what was there before', async () => {
    const { objects, put, client } = apiServer();
    put(`${NS}/default`);
    put(`${NS}/default/configmaps/ours`);
    const slate = await takeSlate(client);
    put(`${NS}/guest`);
    put(`${NS}/guest/configmaps/held`, {}, { finalizers: ['somebody'] });
    put(`${NS}/default/configmaps/theirs`);
    expect(await slate.wipe()).to.equal(undefined);
    expect([...objects.keys()]).to.deep.equal([`${NS}/default`, `${NS}/default/configmaps/ours`]);
  });

  it('fails when an object that was there before is gone, was replaced or was changed', async () => {
    const path = `${NS}/default/configmaps/ours`;
    for (const spoil of [
      (server: ReturnType<typeof apiServer>) => server.objects.delete(path),
      (server: ReturnType<typeof apiServer>) => server.put(path, { data: { a: '1' } }),
      (server: ReturnType<typeof apiServer>) => Object.assign(server.objects.get(path) ?? {}, { data: { a: '2' } }),
    ]) {
      const server = apiServer();
      server.put(path, { data: { a: '1' } });
      const slate = await takeSlate(server.client);
      spoil(server);
      expect(await slate.wipe(), String(spoil)).to.match(/^(?:gone|changed): .*ours$/);
    }
  });

  it('ignores changed versions, generations and statuses', async () => {
    const { objects, put, client } = apiServer();
    const path = `${NS}/default/configmaps/ours`;
    put(path, { status: { seen: 1 } }, { resourceVersion: '1' });
    const slate = await takeSlate(client);
    Object.assign(objects.get(path)?.metadata ?? {}, { resourceVersion: '2', generation: 2 });
    Object.assign(objects.get(path) ?? {}, { status: { seen: 2 } });
    expect(await slate.wipe()).to.equal(undefined);
  });
});

describe('a lent control plane', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'marekvs-lending-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is taken once, and not by processes that the borrower starts', () => {
    process.env[LENT_VARIABLE] = '/a/file';
    expect([takeLent(), takeLent(), process.env[LENT_VARIABLE]]).to.deep.equal(['/a/file', undefined, undefined]);
  });

  it('makes users for the borrower, and refuses to be stopped', async () => {
    const asked: unknown[] = [];
    const credentials = { server: 'https://127.0.0.1:1', caPem: 'ca', certPem: 'cert', keyPem: 'key' };
    const owned = {
      dir: folder,
      adminKubeconfig: 'admin.kubeconfig',
      adminCredentials: credentials,
      kubectlPath: 'kubectl',
      auditLogPath: 'audit.log',
      hasControllerManager: true,
      async makeUser(name: string, groups: readonly string[]) {
        asked.push([name, groups]);
        if (name === 'nobody') throw new Error('no such user');
        return { name, kubeconfigPath: `${name}.kubeconfig`, certPem: 'cert', keyPem: 'key', credentials };
      },
    };
    const { file, close } = await lendControlPlane(owned as unknown as ControlPlane);
    const borrowed = await borrowControlPlane(file, join(folder, 'guest'));
    try {
      expect(await borrowed.addUser('team', ['a', 'b'])).to.equal('team.kubeconfig');
      expect(await borrowed.addClient('kubelet', [])).to.deep.equal(credentials);
      expect(asked).to.deep.equal([
        ['team', ['a', 'b']],
        ['kubelet', []],
      ]);
      const refused = await borrowed.addUser('nobody', []).then(String, String);
      expect(refused).to.match(/add user nobody: .*no such user/);
      expect(() => borrowed.signalApiServer('SIGKILL')).to.throw(/Own API server: <why>/);
      expect(JSON.parse(await readFile(file, 'utf8'))).to.not.have.property('makeUser');
    } finally {
      await borrowed.stop();
      await close();
    }
  });
});
