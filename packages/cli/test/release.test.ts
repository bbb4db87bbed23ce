// `kubectl mkv release` over an API server in memory, with an operator that does its part while the command waits: what
// it refuses and what to do then, what it writes in which order, that it can be run again, and that `adopt` takes it
// back.

import { ANNOTATIONS, type MarekvsCluster, releaseText, withDefaults } from '@marekvs/api';
import { nodeStamp } from '@marekvs/operator/projections';
import type { MemoryApiServer } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { CLUSTERS, NODES, REF, serverWith } from './support/fake-server.ts';
import { CREATED, clusterCondition, NOW_MS, READY } from './support/objects.ts';
import { SETS } from './support/stateful-set.ts';

const POLICIES = 'networkpolicies.networking.k8s.io';
const FORMED = { at: CREATED, clusterId: 'marekvs' };

const run = (line: string, server: MemoryApiServer, more: Partial<FakeOptions> = {}) =>
  runFake(line.split(' '), { server, nowMs: NOW_MS, ...more });

/** A cluster with three members that were taken over. */
function adopted(spec: Partial<MarekvsCluster['spec']> = {}): MemoryApiServer {
  const server = serverWith(3, { spec: { gcGraceSeconds: 3600, ...spec }, status: { formed: FORMED } });
  for (const id of [0, 1, 2]) {
    const ref = { namespace: REF.namespace, name: `demo-${id}` };
    const cluster = clusterOf(server);
    const { template } = nodeStamp(cluster, withDefaults(cluster.spec));
    server.patch(NODES, ref, { spec: { template } });
    const annotations = { [ANNOTATIONS.dataDir]: '/data' };
    server.patch('persistentvolumeclaims', { ...ref, name: `data-demo-${id}` }, { metadata: { annotations } });
  }
  const { uid } = server.get(CLUSTERS, REF).metadata;
  const owner = { apiVersion: 'x/v1', kind: 'MarekvsCluster', name: 'demo', uid, controller: true };
  for (const name of ['demo', 'demo.clients'])
    server.create(POLICIES, { metadata: { ...REF, name, ownerReferences: [owner] }, spec: {} });
  return server;
}

const clusterOf = (server: MemoryApiServer) => server.get(CLUSTERS, REF) as unknown as MarekvsCluster;
const say = (server: MemoryApiServer, status: Record<string, unknown>) =>
  server.patch(CLUSTERS, REF, { status } as never, 'status');

/** Does what the operator does while the command waits. */
const operator = (server: MemoryApiServer) => async () => {
  const { metadata, status } = clusterOf(server);
  const isAsked = metadata.annotations?.[ANNOTATIONS.release] !== undefined;
  if (!isAsked) say(server, { release: null });
  else if (server.find(SETS, REF) === undefined) say(server, { release: { phase: 'Waiting', since: CREATED } });
  else if (status?.formed !== undefined) {
    for (const { metadata: own } of server.list(NODES))
      server.update(NODES, { ...server.get(NODES, own), metadata: { ...own, finalizers: [] } });
    for (const { metadata: own } of server.list(NODES)) server.remove(NODES, own);
    say(server, { release: null, formed: null });
  }
};

describe('kubectl mkv release', () => {
  for (const [title, spec, why, next] of [
    ['that is paused', { paused: true }, 'demo is paused', 'kubectl mkv resume demo'],
    [
      'that is protected',
      { deletionProtection: true },
      '{"spec":{"deletionProtection":false}}',
      'kubectl mkv release demo',
    ],
    ['that is to grow', { nodes: 4 }, 'it has 3 of 4 members', 'wait, then kubectl mkv release demo'],
  ] as const)
    it(`refuses a cluster ${title}, writes nothing and names the next step`, async () => {
      const { code, err, out, writes } = await run('release demo', adopted(spec));
      expect([code, out, writes]).to.deep.equal([EXIT.blocked, '', []]);
      expect(err).to.match(/^error: [^\n]+\. Next: [^\n]+\n$/);
      expect(err).to.include(why).and.include(next);
    });

  it('refuses a cluster that was never taken over, or that has a foreign Pod or a StatefulSet', async () => {
    const ours = await run('release demo', serverWith(3, { spec: { gcGraceSeconds: 3600 } }));
    expect([ours.code, ours.writes, ours.err.includes('default.demo.c0ffee00')], ours.err).to.deep.equal([
      EXIT.blocked,
      [],
      true,
    ]);
    const labels = { app: 'demo' };
    const crowded = adopted();
    crowded.create('pods', { metadata: { namespace: REF.namespace, name: 'demo-7', labels }, spec: {} });
    const beside = await run('release demo', crowded);
    expect([beside.code, beside.err.includes('kubectl label pod demo-7 -n default app-')]).to.deep.equal([
      EXIT.blocked,
      true,
    ]);
    const taken = adopted();
    taken.create(SETS, { metadata: REF, spec: {} });
    expect((await run('release demo', taken)).err).to.include('there is a StatefulSet demo already');
  });

  it('writes a request, makes the StatefulSet when the operator waits for it, and removes the request at the end', async () => {
    const server = adopted();
    const { code, out, err, writes } = await run('release demo', server, { meanwhile: operator(server) });
    expect([code, err], out).to.deep.equal([EXIT.fine, '']);
    expect(writes).to.deep.equal([
      'patch marekvsclusters default/demo',
      'delete networkpolicies default/demo',
      'delete networkpolicies default/demo.clients',
      'create statefulsets default/demo',
      'patch marekvsclusters default/demo',
    ]);
    expect(server.get(SETS, REF).spec).to.deep.include({ replicas: 3, updateStrategy: { type: 'OnDelete' } });
    expect(clusterOf(server).metadata.annotations).to.equal(undefined);
    expect(out).to.include('handed 3 members to StatefulSet demo: demo-0, demo-1, demo-2');
    expect(out).to.include('kubectl mkv adopt demo -n default');
  });

  it('shows what it would make with --dry-run, and writes nothing', async () => {
    const { code, out, writes } = await run('release demo --dry-run', adopted());
    expect([code, writes]).to.deep.equal([EXIT.fine, []]);
    expect(out).to.include('would hand 3 members').and.include('kind: StatefulSet').and.include('type: OnDelete');
    expect(out).to.include('serviceName: demo-headless').and.include('app: demo');
  });

  it('does nothing without consent', async () => {
    const { code, writes } = await run('release demo', adopted(), { typed: ['n'] });
    expect([code, writes]).to.deep.equal([EXIT.failed, []]);
  });

  it('continues where it was stopped, and says so when it is already over', async () => {
    const server = adopted();
    const { uid } = server.get(CLUSTERS, REF).metadata;
    server.patch(CLUSTERS, REF, { metadata: { annotations: { [ANNOTATIONS.release]: releaseText(uid, CREATED) } } });
    say(server, { release: { phase: 'Waiting', since: CREATED } });
    const { code, writes } = await run('release demo', server, { meanwhile: operator(server) });
    expect([code, writes[0]]).to.deep.equal([EXIT.fine, 'delete networkpolicies default/demo']);
    const again = await run('release demo', server);
    expect([again.code, again.out]).to.deep.equal([EXIT.fine, 'StatefulSet demo runs the members already\n']);
  });

  it('takes its request back when the operator refuses it, and prints the reason', async () => {
    const server = adopted();
    const meanwhile = async () => {
      const refusal = clusterCondition('Stalled', 'True', 'ReleaseRefused', 'demo-3 has its data in /data/n3');
      say(server, { conditions: [READY, refusal] });
    };
    const { code, err } = await run('release demo', server, { meanwhile });
    expect([code, err.includes('demo-3 has its data in /data/n3')], err).to.deep.equal([EXIT.blocked, true]);
    expect(clusterOf(server).metadata.annotations).to.equal(undefined);
    expect(server.find(SETS, REF)).to.equal(undefined);
  });

  it('gives up when the operator does not react, makes nothing, and says how to continue and how to go back', async () => {
    const server = adopted();
    const { code, err } = await run('release demo', server);
    expect([code, server.find(SETS, REF)]).to.deep.equal([EXIT.failed, undefined]);
    expect(err).to.include('within 60 s').and.include('kubectl mkv adopt demo -n default takes the request back');
  });
});

describe('kubectl mkv adopt, for members that are being handed to a StatefulSet,', () => {
  const begun = (phase: string) => {
    const server = adopted();
    const { uid } = server.get(CLUSTERS, REF).metadata;
    server.patch(CLUSTERS, REF, { metadata: { annotations: { [ANNOTATIONS.release]: releaseText(uid, CREATED) } } });
    say(server, { release: { phase, since: CREATED } });
    return server;
  };

  it('takes the request back, and deletes their StatefulSet without its Pods', async () => {
    const server = begun('LettingGo');
    const { uid } = server.get(CLUSTERS, REF).metadata;
    const owner = { apiVersion: 'x/v1', kind: 'MarekvsCluster', name: 'demo', uid, controller: true };
    server.create(SETS, { metadata: { ...REF, ownerReferences: [owner] }, spec: {} });
    const meanwhile = async () => {
      const set = server.find(SETS, REF);
      if (set?.metadata.deletionTimestamp !== undefined) server.patch(SETS, REF, { metadata: { finalizers: [] } });
      if (server.find(SETS, REF) === undefined) say(server, { release: null });
    };
    const { code, out, err, writes } = await run('adopt demo', server, { meanwhile });
    expect([code, err], out).to.deep.equal([EXIT.fine, '']);
    expect(writes).to.deep.equal(['patch marekvsclusters default/demo', 'delete statefulsets default/demo']);
    expect(out).to.include('demo has its members back');
  });

  it('is refused once the handover is over and cannot be taken back', async () => {
    const { code, err, writes } = await run('adopt demo', begun('Closing'));
    expect([code, writes]).to.deep.equal([EXIT.blocked, []]);
    expect(err).to.include('run the command again in a moment');
  });

  it('only says with --dry-run what it would do', async () => {
    const { code, out, writes } = await run('adopt demo --dry-run', begun('Waiting'));
    expect([code, writes, out.includes('are taken back')]).to.deep.equal([EXIT.fine, [], true]);
  });
});
