import {
  createClient,
  createStaticCredentials,
  createTransport,
  type KubeClient,
  nodes,
  podDisruptionBudgets,
  pods,
  type Transport,
} from '@marekvs/runtime';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import nock from 'nock';
import { pod } from './support/follow.ts';

const SERVER = 'http://127.0.0.1:1';
const stored = { namespace: 'default', name: 'a', uid: 'u1', resourceVersion: '5' };

describe('client', () => {
  let transport: Transport;
  let client: KubeClient;

  before(() => nock.disableNetConnect());
  after(() => {
    nock.cleanAll();
    nock.enableNetConnect();
    nock.restore();
  });
  afterEach(async () => {
    await transport.close();
    expect(nock.pendingMocks()).to.deep.equal([]);
  });

  function answer(): nock.Scope {
    if (!nock.isActive()) nock.activate();
    const none = { authorization: undefined, clientCertificate: undefined };
    const access = { server: new URL(SERVER), credentials: createStaticCredentials(none), namespace: '', describe: '' };
    transport = createTransport(access, { userAgent: 'test' });
    client = createClient(transport, { fieldValidation: 'Strict' });
    return nock(SERVER);
  }

  it('creates in the collection of its namespace, with apiVersion and kind filled in', async () => {
    answer()
      .post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'a', namespace: 'default' },
      })
      .query({ fieldValidation: 'Strict' })
      .reply(201, { metadata: stored });
    const created = await client.create(podDisruptionBudgets, { metadata: { name: 'a', namespace: 'default' } });
    expect(created.metadata.uid).to.equal('u1');
  });

  it('W1: refuses a generated name, also against the types', async () => {
    answer();
    const object = { metadata: { namespace: 'default', generateName: 'a-' } };
    // @ts-expect-error no name, and a name of the server's choice
    const error = await client.create(pods, object).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(TypeError);
    expect(String(error)).to.include('generateName is refused');
  });

  it('sends the version that was read along with an update', async () => {
    answer()
      .put(
        '/api/v1/namespaces/default/pods/a/status',
        (body) => body.metadata.resourceVersion === '5' && body.metadata.uid === 'u1',
      )
      .query(true)
      .reply(200, { metadata: { ...stored, resourceVersion: '6' } });
    const updated = await client.updateStatus(pods, { metadata: stored, status: { phase: 'Running' } });
    expect(updated.metadata.resourceVersion).to.equal('6');
  });

  it('refuses an update without a version, also against the types', async () => {
    answer();
    const error = await client.update(pods, { metadata: { ...stored, resourceVersion: '' } }).catch((e: unknown) => e);
    expect(String(error)).to.equal('TypeError: write Pod a: uid and resourceVersion are required');
    const untyped = (): Promise<unknown> =>
      // @ts-expect-error without a uid there is no update
      client.update(pods, { metadata: { name: 'a', namespace: 'default', resourceVersion: '5' } });
    expect(await untyped().catch((e: unknown) => e)).to.be.instanceOf(TypeError);
  });

  it('puts the precondition into the metadata of a merge patch, beside what it changes there', async () => {
    answer()
      .patch('/api/v1/namespaces/default/pods/a', {
        metadata: { labels: { x: null }, uid: 'u1', resourceVersion: '5' },
      })
      .matchHeader('content-type', 'application/merge-patch+json')
      .query(true)
      .reply(200, { metadata: stored });
    await client.patch(pods, stored, { metadata: { labels: { x: null }, uid: 'other' } }, stored);
  });

  it('asks for the result of a merge patch without storing it, and stores it otherwise', async () => {
    const reply = { metadata: stored };
    answer()
      .patch('/api/v1/namespaces/default/pods/a')
      .query({ fieldValidation: 'Strict', dryRun: 'All' })
      .reply(200, reply)
      .patch('/api/v1/namespaces/default/pods/a')
      .query({ fieldValidation: 'Strict' })
      .reply(200, reply);
    await client.patch(pods, stored, {}, stored, { dryRun: true });
    await client.patch(pods, stored, {}, stored, { dryRun: false });
  });

  it('applies with its field manager, without force, and only to the object with that uid', async () => {
    answer()
      .patch('/api/v1/namespaces/default/pods/a', (body) => body.metadata.uid === 'u1' && body.kind === 'Pod')
      .matchHeader('content-type', 'application/apply-patch+yaml')
      .query({ fieldValidation: 'Strict', fieldManager: 'suite' })
      .reply(200, { metadata: stored });
    await client.apply(pods, { metadata: { name: 'a', namespace: 'default' } }, { fieldManager: 'suite', uid: 'u1' });
  });

  it('applies a new object with a version that no object has, so that an existing one is never changed', async () => {
    answer()
      .patch('/api/v1/namespaces/default/pods/a', (body) => body.metadata.resourceVersion === '1')
      .query({ fieldValidation: 'Strict', fieldManager: 'suite' })
      .reply(201, { metadata: stored });
    const options = { fieldManager: 'suite', onlyCreate: true };
    await client.apply(pods, { metadata: { name: 'a', namespace: 'default' } }, options);
  });

  it('asks for a dry run of a delete in its body, since the server ignores the query of a delete with a body', async () => {
    answer()
      .delete('/api/v1/namespaces/default/pods/a', {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: 'u1' },
        dryRun: ['All'],
      })
      .reply(200, { kind: 'Status' });
    await client.delete(pods, stored, { uid: 'u1' }, { dryRun: true });
  });

  it('asks for a dry run of a patch in its query', async () => {
    answer()
      .patch('/api/v1/namespaces/default/pods/a')
      .query({ fieldValidation: 'Strict', dryRun: 'All' })
      .reply(200, { metadata: stored });
    await client.patch(pods, stored, { spec: {} }, stored, { dryRun: true });
  });

  it('W3: deletes only the object with that uid and version', async () => {
    answer()
      .delete('/api/v1/namespaces/default/pods/a', {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: 'u1', resourceVersion: '5' },
        gracePeriodSeconds: 3,
        propagationPolicy: 'Foreground',
      })
      .reply(200, { kind: 'Status', status: 'Success' });
    await client.delete(pods, stored, stored, { gracePeriodSeconds: 3, propagationPolicy: 'Foreground' });
  });

  it('reads a list in pages, as one snapshot, and sets the kind of every item', async () => {
    answer()
      .get('/api/v1/namespaces/default/pods')
      .query({ limit: '500', labelSelector: 'a=b,c in (d)' })
      .reply(200, { metadata: { resourceVersion: '9', continue: 'c/1' }, items: [{ metadata: stored }] })
      .get('/api/v1/namespaces/default/pods')
      .query({ limit: '500', labelSelector: 'a=b,c in (d)', continue: 'c/1' })
      .reply(200, { metadata: { resourceVersion: '9' }, items: [pod('b', '7')] });
    const { items, resourceVersion } = await client.list(pods, { namespace: 'default', labelSelector: 'a=b,c in (d)' });
    expect(resourceVersion).to.equal('9');
    expect(items.map((i) => `${i.kind} ${i.metadata.name}`)).to.deep.equal(['Pod a', 'Pod b']);
  });

  it('reads a list once more from the start when its snapshot expired between two pages', async () => {
    const scope = answer();
    scope
      .get('/api/v1/pods')
      .query({ limit: '500' })
      .reply(200, { metadata: { resourceVersion: '9', continue: 'c' }, items: [{ metadata: stored }] })
      .get('/api/v1/pods')
      .query({ limit: '500', continue: 'c' })
      .reply(410, { kind: 'Status', code: 410, reason: 'Expired' })
      .get('/api/v1/pods')
      .query({ limit: '500' })
      .reply(200, { metadata: { resourceVersion: '12' }, items: [] });
    expect(await client.list(pods)).to.deep.equal({ items: [], resourceVersion: '12' });
  });

  it('does not read a list twice because of any other error', async () => {
    answer()
      .get('/api/v1/pods')
      .query({ limit: '500' })
      .reply(500, { kind: 'Status', code: 500, reason: 'InternalError' });
    const error = await client.list(pods).catch((e: unknown) => e);
    expect(error).to.include({ status: 500, reason: 'InternalError' });
  });

  it('refuses a namespaced object without a namespace instead of using another path', async () => {
    answer();
    const error = await client.get(pods, { name: 'a' }).catch((e: unknown) => e);
    expect(String(error)).to.equal('TypeError: Pod a: the namespace is missing');
  });

  it('reads objects of the whole cluster, and escapes what it puts into a path', async () => {
    answer()
      .get('/api/v1/nodes/a%2Fb')
      .reply(200, { metadata: { name: 'a/b' } });
    await client.get(nodes, { name: 'a/b' });
  });
});
