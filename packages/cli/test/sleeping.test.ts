// What hibernate, wake, suspend and resume-member ask for, what they show first, and what they refuse.

import { ANNOTATIONS, type MarekvsClusterSpec } from '@marekvs/api';
import type { MemoryApiServer } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { CLUSTERS, NODES, REF, serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

const DAY_MS = 86_400_000;
const run = (line: string, server: MemoryApiServer, more: Partial<FakeOptions> = {}) =>
  runFake(line.split(' '), { server, nowMs: NOW_MS, ...more });
const specOf = (server: MemoryApiServer) => server.get(CLUSTERS, REF).spec as unknown as MarekvsClusterSpec;
const wordsOf = (server: MemoryApiServer, name: string) =>
  server.get(NODES, { namespace: 'default', name }).metadata.annotations?.[ANNOTATIONS.suspend];

/** A formed cluster, unless a test changes that. */
function formed(count = 3, status: object = {}): MemoryApiServer {
  const server = serverWith(count);
  const own = { formed: { at: '2026-01-01T00:00:00Z', clusterId: 'default.demo.1' }, ...status };
  server.patch(CLUSTERS, REF, { status: own }, 'status');
  return server;
}

const asleepFor = (ms: number) => ({
  operation: {
    id: 'all-1',
    type: 'Hibernate',
    specGeneration: 1,
    phase: 'Hibernated',
    startedAt: new Date(NOW_MS - ms).toISOString(),
    timeline: [{ phase: 'Stopping', at: new Date(NOW_MS - ms).toISOString() }],
  },
});

describe('kubectl mkv hibernate and wake', () => {
  it('write one field, after showing what the operator checks', async () => {
    const server = formed();
    const { code, out } = await run('hibernate demo', server);
    expect([code, specOf(server).hibernated]).to.deep.equal([EXIT.fine, true]);
    expect(out)
      .to.include('- no operation is under way\n')
      .and.include('kubectl mkv wake demo -n default takes it back');
    expect((await run('hibernate demo', server)).out).to.include('demo is to be hibernated already');
    expect((await run('wake demo', server)).code).to.equal(EXIT.fine);
    expect(specOf(server).hibernated).to.equal(false);
    expect((await run('wake demo', server)).out).to.equal('demo is not hibernated\n');
  });

  it('change nothing in a dry run', async () => {
    const server = formed();
    expect((await run('hibernate demo --dry-run', server)).out).to.include('(dry run)');
    expect(specOf(server).hibernated).to.equal(undefined);
  });

  it('refuse a cluster that was never formed', async () => {
    const server = serverWith();
    server.patch(CLUSTERS, REF, { status: { formed: null } }, 'status');
    const { code, err } = await run('hibernate demo', server);
    expect([code, err.includes('has never been formed')]).to.deep.equal([EXIT.blocked, true]);
  });

  it('say what is under way, and what it means that keys have one home', async () => {
    const target = { name: 'demo-2', uid: 'u', nodeId: 2 };
    const server = formed(3, { operation: { id: '2-a', type: 'Remove', phase: 'Proving', target } });
    server.patch(CLUSTERS, REF, { spec: { replicationFactor: 1 } });
    const { out } = await run('hibernate demo', server);
    expect(out)
      .to.include('Remove of demo-2 is under way (Proving): it ends first')
      .and.include('the only copy of its keys');
  });

  it('wake a cluster until gcGraceSeconds is nearly over, and afterwards name the patch that would allow it', async () => {
    const young = formed(3, asleepFor(6 * DAY_MS));
    young.patch(CLUSTERS, REF, { spec: { hibernated: true } });
    expect((await run('wake demo', young)).code).to.equal(EXIT.fine);
    const old = formed(3, asleepFor(8 * DAY_MS));
    old.patch(CLUSTERS, REF, { spec: { hibernated: true } });
    const { code, err } = await run('wake demo', old);
    expect([code, specOf(old).hibernated]).to.deep.equal([EXIT.blocked, true]);
    expect(err).to.include(`{"spec":{"gcGraceSeconds":${10 * 86_400}}}`);
    old.patch(CLUSTERS, REF, { spec: { gcGraceSeconds: 10 * 86_400 } });
    expect((await run('wake demo', old)).code).to.equal(EXIT.fine);
  });

  it('refuse to wake a cluster whose stop lies in the future, because the operator would not start it', async () => {
    const ahead = formed(3, asleepFor(-DAY_MS));
    ahead.patch(CLUSTERS, REF, { spec: { hibernated: true } });
    const { code, err } = await run('wake demo', ahead);
    expect([code, specOf(ahead).hibernated]).to.deep.equal([EXIT.blocked, true]);
    expect(err).to.include(`{"spec":{"gcGraceSeconds":${2 * 86_400}}}`);
  });
});

describe('kubectl mkv suspend and resume-member', () => {
  it('write on the node who asks, and remove it again', async () => {
    const server = formed(4);
    const { code, out } = await run('suspend demo-1 --reason fsck', server);
    expect([code, wordsOf(server, 'demo-1')?.endsWith(': fsck')]).to.deep.equal([EXIT.fine, true]);
    expect(out)
      .to.include('demo-1 is to be taken off its volume')
      .and.include('kubectl mkv resume-member demo-1 -n default');
    expect((await run('suspend demo-1', server)).out).to.include('asked to be suspended already');
    await run('resume-member demo-1', server);
    expect(wordsOf(server, 'demo-1')).to.equal(undefined);
    expect((await run('resume-member demo-1', server)).out).to.equal('demo-1 is not suspended\n');
  });

  it('allow one suspended member at a time', async () => {
    const server = formed(4);
    await run('suspend demo-1', server);
    const { code, err } = await run('suspend demo-2', server);
    expect([code, err.includes('kubectl mkv resume-member demo-1')]).to.deep.equal([EXIT.blocked, true]);
    expect(wordsOf(server, 'demo-2')).to.equal(undefined);
  });

  it('refuse a node that does not exist, and one that is leaving', async () => {
    expect((await run('suspend demo-9', formed())).code).to.equal(EXIT.notFound);
    const server = formed(4);
    server.patch(NODES, { namespace: 'default', name: 'demo-3' }, { metadata: { finalizers: ['example.com/held'] } });
    server.remove(NODES, { namespace: 'default', name: 'demo-3' });
    expect((await run('suspend demo-3', server)).code).to.equal(EXIT.blocked);
  });

  it('need --only-copy when the member may have the only copy of a record', async () => {
    const server = formed(3);
    server.patch(CLUSTERS, REF, { spec: { replicationFactor: 1 } });
    const { code, err } = await run('suspend demo-1', server);
    expect([code, err.includes('--only-copy')]).to.deep.equal([EXIT.blocked, true]);
    expect((await run('suspend demo-1 --only-copy', server)).code).to.equal(EXIT.fine);
    expect(wordsOf(server, 'demo-1')?.startsWith('only-copy/')).to.equal(true);
  });

  it('refuse to bring back a member that was away for too long', async () => {
    const server = formed(4);
    await run('suspend demo-1', server);
    const { uid } = server.get(NODES, { namespace: 'default', name: 'demo-1' }).metadata;
    const at = new Date(NOW_MS - 8 * DAY_MS).toISOString();
    const roll = { name: 'demo-1', uid, nodeId: 1, podUID: 'p', previous: 'a' };
    const operation = { id: '1-a', type: 'Suspend', phase: 'Suspended', roll, timeline: [{ phase: 'Stopping', at }] };
    server.patch(CLUSTERS, REF, { status: { operation } }, 'status');
    const { code, err } = await run('resume-member demo-1', server);
    expect([code, err.includes('kubectl mkv replace demo-1 -n default')]).to.deep.equal([EXIT.blocked, true]);
  });
});
