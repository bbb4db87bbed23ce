import { ApiError, type ApiRequest, GrantLostError, type Transport } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fenceWrites } from '../../src/namespaces/write-fence.ts';

describe('a write into a namespace', () => {
  const sent: string[] = [];
  const transport: Transport = {
    async request<T>({ verb, path }: ApiRequest): Promise<T> {
      sent.push(`${verb} ${path}`);
      return await new Promise<T>(() => {});
    },
    stream: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const doubted: string[] = [];
  const fence = {
    mayAct: (namespace: string) => namespace === 'held',
    onForbidden: (namespace: string) => void doubted.push(namespace),
  };
  const fenced = fenceWrites(transport, fence);
  const request = (verb: ApiRequest['verb'], path: string) =>
    fenced.request({ verb, path, resource: 'pods', subject: 'pods lost/a' });

  for (const verb of ['create', 'update', 'patch', 'delete'] as const)
    it(`is not sent when that is not managed: ${verb}`, async () => {
      for (const path of [
        '/api/v1/namespaces/lost/pods/a',
        '/apis/marekvs.io/v1alpha1/namespaces/lost/marekvsnodes?x=1',
      ]) {
        const refused = await request(verb, path).then(undefined, (error: unknown) => error);
        expect(refused).to.be.instanceOf(GrantLostError);
        expect((refused as Error).message).to.equal(`${verb} pods lost/a: the namespace is not managed`);
      }
      expect(sent).to.deep.equal([]);
    });

  it('is sent when that is managed, as is a write outside namespaces, and every read', () => {
    void request('create', '/api/v1/namespaces/held/pods');
    void request('create', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews');
    void request('get', '/api/v1/namespaces/lost/pods/a');
    void request('list', '/api/v1/namespaces/lost/pods');
    void request('get', '/apis/marekvs.io/v1alpha1/namespaces/lost/marekvsclusters/a');
    expect(sent).to.deep.equal([
      'create /api/v1/namespaces/held/pods',
      'create /apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
      'get /api/v1/namespaces/lost/pods/a',
      'list /api/v1/namespaces/lost/pods',
      'get /apis/marekvs.io/v1alpha1/namespaces/lost/marekvsclusters/a',
    ]);
  });

  const create = { verb: 'create', path: '/api/v1/namespaces/held/pods' } as const;
  const noRight = 'pods is forbidden: User "op" cannot create resource "pods" in API group ""';
  const ownKind = { verb: 'get', path: '/apis/marekvs.io/v1alpha1/namespaces/held/marekvsclusters/kv' } as const;
  const ownRefused = 'marekvsclusters "kv" is forbidden: User "op" cannot get resource "marekvsclusters"';
  const secret = { verb: 'get', path: '/api/v1/namespaces/held/secrets/password' } as const;
  const secretRefused = 'secrets "password" is forbidden: User "op" cannot get resource "secrets"';
  const refusals = [
    ['a right', create, noRight, ['held']],
    ['room in a quota', create, 'pods "a" is forbidden: exceeded quota: no-pods', []],
    ['the right to read our own kind before it', ownKind, ownRefused, ['held']],
    ['the right to read a Secret before it', secret, secretRefused, []],
  ] as const;
  for (const [what, asked, detail, told] of refusals)
    it(`is ${told.length > 0 ? '' : 'not '}reported as a question of rights when it lacks ${what}`, async () => {
      const error = new ApiError({
        ...asked,
        subject: 'pods held/a',
        status: 403,
        reason: 'Forbidden',
        detail,
      });
      const refusing = fenceWrites({ ...transport, request: () => Promise.reject(error) }, fence);
      doubted.length = 0;
      const refused = await refusing
        .request({ ...asked, resource: 'pods', subject: 'pods held/a' })
        .then(undefined, (one: unknown) => one);
      expect(refused).to.equal(error);
      expect(doubted).to.deep.equal(told);
    });
});
