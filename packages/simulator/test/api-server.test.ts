// The API server in memory, by requests in their wire form: what clients of a real one rely on.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  answerRequest,
  MemoryApiServer,
  openWatch,
  seededRandom,
  VirtualClock,
  type WireRequest,
} from '../src/index.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const NODES = '/apis/marekvs.io/v1alpha1/namespaces/default/marekvsnodes';

function createServer() {
  const clock = new VirtualClock();
  const server = new MemoryApiServer({ nowMs: () => clock.now(), random: seededRandom(1) });
  server.create('namespaces', { metadata: { name: 'default' } });
  const ask = (verb: WireRequest['verb'], path: string, body?: unknown, contentType?: string) => {
    const { code, text } = answerRequest(server, { verb, path, body, contentType });
    return { code, body: JSON.parse(text) };
  };
  const create = (path: string, name: string, rest: object = {}, metadata: object = {}) =>
    ask('create', path, { ...rest, metadata: { name, ...metadata } }).body;
  return { clock, server, ask, create };
}

describe('the API server in memory', () => {
  it('refuses a second object with the same name with 409 AlreadyExists', () => {
    const { ask, create } = createServer();
    create(NODES, 'a');
    expect(ask('create', NODES, { metadata: { name: 'a' } }).body).to.include({ code: 409, reason: 'AlreadyExists' });
  });

  it('refuses a write with an older version with 409 Conflict, and a patch with another uid with 422', () => {
    const { ask, create } = createServer();
    const { metadata } = create(NODES, 'a', { spec: { nodeId: 1 } });
    ask('patch', `${NODES}/a`, { spec: { nodeId: 2 } });
    const late = ask('patch', `${NODES}/a`, { metadata, spec: { nodeId: 3 } });
    expect(late.body).to.include({ code: 409, reason: 'Conflict' });
    const other = ask('patch', `${NODES}/a`, { metadata: { uid: 'x' } });
    expect([other.code, other.body.details.causes[0].field]).to.deep.equal([422, 'metadata.uid']);
    const removal = ask('delete', `${NODES}/a`, { preconditions: { uid: 'x' } });
    expect(removal.body).to.include({ code: 409, reason: 'Conflict' });
  });

  it('keeps spec and status apart, and raises the generation only for the spec', () => {
    const { ask, create } = createServer();
    create(NODES, 'a', { spec: { nodeId: 1 }, status: { phase: 'Active' } });
    const status = ask('patch', `${NODES}/a/status`, { spec: { nodeId: 9 }, status: { phase: 'Joining' } }).body;
    expect([status.spec.nodeId, status.status.phase, status.metadata.generation]).to.deep.equal([1, 'Joining', 1]);
    const spec = ask('patch', `${NODES}/a`, { spec: { nodeId: 2 }, status: { phase: 'Failed' } }).body;
    expect([spec.spec.nodeId, spec.status.phase, spec.metadata.generation]).to.deep.equal([2, 'Joining', 2]);
  });

  it('gives no new version to a write that changes nothing', () => {
    const { ask, create } = createServer();
    const { metadata } = create(NODES, 'a', { spec: { nodeId: 1 } });
    const again = ask('patch', `${NODES}/a`, { spec: { nodeId: 1 } }).body;
    expect(again.metadata.resourceVersion).to.equal(metadata.resourceVersion);
  });

  it('only marks an object with finalizers, and deletes it with the last one', () => {
    const { ask, create } = createServer();
    create(NODES, 'a', {}, { finalizers: ['x/y'] });
    expect(ask('delete', `${NODES}/a`).body.metadata).to.have.property('deletionTimestamp');
    expect(ask('get', `${NODES}/a`).code).to.equal(200);
    ask('patch', `${NODES}/a`, { metadata: { finalizers: [] } });
    expect(ask('get', `${NODES}/a`).body).to.include({ code: 404, reason: 'NotFound' });
  });

  it('deletes a Pod without a host at once, and leaves a running one to its kubelet', () => {
    const { server, ask, create } = createServer();
    create(PODS, 'a');
    create(PODS, 'b', { spec: { nodeName: 'host', terminationGracePeriodSeconds: 60 } });
    expect(ask('delete', `${PODS}/a`).body.metadata).to.include({ deletionGracePeriodSeconds: 0 });
    expect(ask('get', `${PODS}/a`).code).to.equal(404);
    expect(ask('delete', `${PODS}/b`).body.metadata).to.include({ deletionGracePeriodSeconds: 60 });
    server.remove('pods', { namespace: 'default', name: 'b' }, {}, 0);
    expect(ask('get', `${PODS}/b`).code).to.equal(404);
  });

  it('protects claims that are in use, and refuses to select by an unknown field', () => {
    const { ask, create } = createServer();
    expect(create(CLAIMS, 'c').metadata.finalizers).to.deep.equal(['kubernetes.io/pvc-protection']);
    create(NODES, 'a', { spec: { clusterName: 'demo' } });
    create(NODES, 'b', { spec: { clusterName: 'other' } });
    const named = ask('list', `${NODES}?fieldSelector=spec.clusterName%3Ddemo`).body;
    expect(named.items.map((item: { metadata: { name: string } }) => item.metadata.name)).to.deep.equal(['a']);
    expect(ask('list', `${NODES}?fieldSelector=spec.nodeId%3D1`).code).to.equal(400);
  });

  it('removes only fields that a manager has applied before and does not send any more', () => {
    const { ask, create } = createServer();
    create(NODES, 'a', { spec: { theirs: 1 } });
    const apply = (spec: object) =>
      ask('patch', `${NODES}/a?fieldManager=me`, { metadata: { name: 'a' }, spec }, 'application/apply-patch+yaml')
        .body;
    expect(apply({ x: 1, y: 1 }).spec).to.deep.equal({ theirs: 1, x: 1, y: 1 });
    expect(apply({ y: 2 }).spec).to.deep.equal({ theirs: 1, y: 2 });
    const gone = ask('patch', `${NODES}/z?fieldManager=me`, { metadata: { name: 'z', uid: 'u' } }, 'application/apply');
    expect(gone.code).to.equal(409);
  });

  it('streams the state, a mark of its end, and every change in order and with the configured delay', () => {
    const { clock, server, ask, create } = createServer();
    create(PODS, 'a', {}, { labels: { mine: 'yes' } });
    create(PODS, 'b');
    const lines: string[] = [];
    let lagMs = 0;
    const path = '/api/v1/pods?watch=true&sendInitialEvents=true&labelSelector=mine%3Dyes&timeoutSeconds=30';
    let hasEnded = false;
    openWatch({
      server,
      clock,
      path,
      lagMs: () => lagMs,
      onLine: (line) => lines.push(`${JSON.parse(line).type} ${JSON.parse(line).object.metadata.name ?? ''}`),
      onEnd: () => {
        hasEnded = true;
      },
    });
    clock.advance(1);
    expect(lines).to.deep.equal(['ADDED a', 'BOOKMARK ']);
    lagMs = 5_000;
    ask('patch', `${PODS}/b`, { metadata: { labels: { mine: 'yes' } } });
    lagMs = 0;
    ask('patch', `${PODS}/a`, { metadata: { labels: { mine: null } } });
    clock.advance(4_000);
    expect(lines).to.have.length(2);
    clock.advance(1_000);
    expect(lines.slice(2)).to.deep.equal(['ADDED b', 'DELETED a']);
    clock.advance(30_000);
    expect(hasEnded).to.equal(true);
  });
});
