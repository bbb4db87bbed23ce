// `kubectl mkv adopt` over an API server in memory: what it refuses and what to do then, that it writes nothing before
// everything is checked, and what it writes, in which order.

import { ANNOTATIONS, type MarekvsCluster, parseAdoption } from '@marekvs/api';
import type { ApiRequest } from '@marekvs/runtime';
import type { MemoryApiServer } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { CLUSTERS, REF, serverWith } from './support/fake-server.ts';
import { cluster, NOW_MS, stalled } from './support/objects.ts';
import { SETS, type SetChange, serverWithSet } from './support/stateful-set.ts';

const run = (line: string, server: MemoryApiServer, more: Partial<FakeOptions> = {}) =>
  runFake(line.split(' '), { server, nowMs: NOW_MS, ...more });

/** Stands for the garbage collector of a real API server: the StatefulSet is gone at the second read. */
function collected(server: MemoryApiServer): (request: ApiRequest) => unknown {
  let looks = 0;
  return ({ verb, path }) => {
    const isLook = verb === 'get' && path.includes('/statefulsets/');
    if (!isLook || server.find(SETS, REF)?.metadata.deletionTimestamp === undefined) return undefined;
    looks += 1;
    if (looks === 2) server.patch(SETS, REF, { metadata: { finalizers: [] } });
    return undefined;
  };
}

function requestOf(server: MemoryApiServer) {
  const { metadata } = server.get(CLUSTERS, REF) as unknown as MarekvsCluster;
  return parseAdoption(metadata.annotations?.[ANNOTATIONS.adopt] ?? '');
}

/** Each with the message of the refusal and the step that helps. */
const REFUSED: readonly (readonly [title: string, change: SetChange, why: string, next: string])[] = [
  ['of somebody else', { ownerUid: 'other' }, 'belongs to somebody else', 'rename or remove'],
  ['with a Pod that is not ready', { notReady: 1 }, 'Pod demo-1 is not ready', 'kubectl describe pod demo-1'],
  ['with fewer Pods than replicas', { replicas: 4 }, '3 of 4 Pods', 'kubectl describe statefulset demo'],
  ['with claims of another name', { claimTemplate: 'store' }, 'called store', 'copy its data'],
  ['that deletes its volumes', { retention: 'Delete' }, 'deletes volumes', 'Retain'],
  ['in a rollout', { isRolling: true }, 'is being changed', 'finish its rollout'],
  ['with another image', { image: 'marekvs:old' }, 'spec.image is marekvs:test', '{"spec":{"image":"marekvs:old"}}'],
  [
    'with the server’s own gc_grace',
    { env: { MAREKVS_GC_GRACE_SECS: undefined } },
    'spec.gcGraceSeconds is 604800, and the members run with 3600',
    '{"spec":{"gcGraceSeconds":3600}}',
  ],
  [
    'with a shorter memory of deletions than a cluster may have',
    { env: { MAREKVS_GC_GRACE_SECS: '600' } },
    'the members remember deletions for 600 s, and a cluster needs 3600',
    'kubectl set env statefulset/demo -n default MAREKVS_GC_GRACE_SECS=3600',
  ],
  [
    'with more copies',
    { env: { MAREKVS_REPLICAS_N: '3' } },
    'replicationFactor is 2',
    '{"spec":{"replicationFactor":3}}',
  ],
  ['of another size than the spec', { nodes: 5 }, 'spec.nodes is 5', '{"spec":{"nodes":3}}'],
  [
    'with data beside its volume',
    { env: { MAREKVS_DATA_DIR: '/tmp/x' } },
    'which is not on its volume',
    'copy its data',
  ],
  [
    'with an identity made of other variables',
    { env: { POD_NAMESPACE: 'default', MAREKVS_CLUSTER: '$(POD_NAMESPACE).demo' } },
    'Pod demo-0 has MAREKVS_CLUSTER made of other variables',
    'copy its data',
  ],
  ['with a port of its own', { env: { MAREKVS_RESP_ADDR: '0.0.0.0:7000' } }, 'MAREKVS_RESP_ADDR', 'copy its data'],
  ['with one id for all', { env: { MAREKVS_NODE_ID: '0' } }, 'Pod demo-1 has another MAREKVS_NODE_ID', 'copy its data'],
  ['with a password nobody named', { env: { MAREKVS_REQUIREPASS: 'x' } }, 'have a password', 'spec.auth.secretRef'],
  [
    'with a claim that is gone',
    { withoutClaim: 2 },
    'volume of demo-2 is not to be found',
    'kubectl describe pvc data-demo-2',
  ],
  [
    'beside a Service of somebody else',
    { strangersService: true },
    'Service demo belongs to somebody else',
    'rename or remove',
  ],
  ['of a cluster that is paused', { spec: { paused: true } }, 'demo is paused', 'kubectl mkv resume demo'],
  ['of a cluster that breaks a rule', { spec: { nodes: -1 } }, 'breaks a rule', 'kubectl edit mkv demo'],
];

describe('kubectl mkv adopt', () => {
  for (const [title, change, why, next] of REFUSED)
    it(`refuses a StatefulSet ${title}, writes nothing and names the next step`, async () => {
      const { code, err, out, writes } = await run('adopt demo', serverWithSet(change));
      expect([code, out, writes]).to.deep.equal([EXIT.blocked, '', []]);
      expect(err).to.match(/^error: [^\n]+\. Next: [^\n]+\n$/);
      expect(err).to.include(why).and.include(next);
    });

  it('records on the cluster what is handed over, then deletes only that StatefulSet, without its Pods', async () => {
    const server = serverWithSet();
    const uids = server.list('pods').map(({ metadata }) => metadata.uid);
    const deletes: unknown[] = [];
    const { uid, resourceVersion } = server.get(SETS, REF).metadata;
    const extra = collected(server);
    const { code, out, err, writes } = await run('adopt demo', server, {
      extra: (request) => {
        if (request.verb === 'delete') deletes.push(request.body);
        return extra(request);
      },
    });
    expect([code, err]).to.deep.equal([EXIT.fine, '']);
    expect(writes).to.deep.equal(['patch marekvsclusters default/demo', 'delete statefulsets default/demo']);
    expect(deletes).to.deep.equal([
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid, resourceVersion },
        gracePeriodSeconds: undefined,
        propagationPolicy: 'Orphan',
      },
    ]);
    const claims = server.list('persistentvolumeclaims').map(({ metadata }) => metadata.uid);
    expect(requestOf(server)).to.deep.equal({
      clusterUid: server.get(CLUSTERS, REF).metadata.uid,
      statefulSetUid: uid,
      clusterIdentity: 'marekvs',
      dataDir: '/data',
      volumes: claims.map((claim, nodeId) => ({ nodeId, uid: claim })),
    });
    expect(server.list('pods').map(({ metadata }) => metadata.uid)).to.deep.equal(uids);
    expect(out).to.include(`noted on demo: ${ANNOTATIONS.adopt}={"clusterUid":"`);
    expect(out).to.include('handed over 3 members').and.include('kubectl mkv status demo -n default --watch');
  });

  it('takes over as many members as there are when spec.autoscale is set, whatever spec.nodes says', async () => {
    const autoscale = { minNodes: 3, maxNodes: 8, targetOpsPerNode: 5000 };
    const { code, out } = await run('adopt demo --dry-run', serverWithSet({ nodes: 5, spec: { autoscale } }));
    expect([code, out.includes('would take over 3 members')]).to.deep.equal([EXIT.fine, true]);
  });

  it('only says what it would do with --dry-run', async () => {
    const { code, out, writes } = await run('adopt demo --dry-run', serverWithSet());
    expect([code, writes]).to.deep.equal([EXIT.fine, []]);
    expect(out).to.include('would take over 3 members of StatefulSet demo: demo-0, demo-1, demo-2');
  });

  it('keeps the data directory and the identity that the members have', async () => {
    const env = { MAREKVS_DATA_DIR: '/var/lib/kv/store', MAREKVS_CLUSTER: 'blue' };
    const server = serverWithSet({ env, mountPath: '/var/lib/kv/' });
    expect((await run('adopt demo', server, { extra: collected(server) })).code).to.equal(EXIT.fine);
    expect(requestOf(server)).to.include({ dataDir: '/data/store', clusterIdentity: 'blue' });
  });

  it('accepts a password from the same Secret, or a plain one for which the spec names a Secret', async () => {
    const spec = { auth: { secretRef: { name: 'pw', key: 'password' } } };
    const reference = { secretKeyRef: { name: 'pw', key: 'password' } };
    expect((await run('adopt demo --dry-run', serverWithSet({ spec, password: reference }))).code).to.equal(EXIT.fine);
    const plain = serverWithSet({ spec, env: { MAREKVS_REQUIREPASS: 'x' } });
    expect((await run('adopt demo --dry-run', plain)).code).to.equal(EXIT.fine);
    const other = serverWithSet({ spec, password: { secretKeyRef: { name: 'pw2', key: 'password' } } });
    expect((await run('adopt demo --dry-run', other)).err).to.include('comes from Secret pw2');
  });

  it('refuses members whose own figures contradict the spec, and uses those of the Pods when they cannot be read', async () => {
    const metrics = (members: number) => (path: string) =>
      path.includes('/proxy/metrics')
        ? ['marekvs_uptime_seconds 60', `marekvs_cluster_members ${members}`, 'marekvs_mesh_peers 2']
        : undefined;
    const wrong = await run('adopt demo --dry-run', serverWithSet(), { lines: metrics(2) });
    expect([wrong.code, wrong.err.includes('sees 2 members')], wrong.err).to.deep.equal([EXIT.blocked, true]);
    expect((await run('adopt demo --dry-run', serverWithSet(), { lines: metrics(3) })).code).to.equal(EXIT.fine);
  });

  it('says that the existing operator still runs when the StatefulSet is made again at once', async () => {
    const server = serverWithSet();
    const gone = collected(server);
    const { code, err } = await run('adopt demo', server, {
      extra: (request) => {
        if (server.find(SETS, REF) === undefined) server.create(SETS, { metadata: REF });
        return gone(request);
      },
    });
    expect([code, err.includes('the existing operator still runs')], err).to.deep.equal([EXIT.blocked, true]);
  });

  it('fails without handing over when the StatefulSet changes after it was checked', async () => {
    const server = serverWithSet();
    const { code, err } = await run('adopt demo', server, {
      extra: ({ verb }) => {
        if (verb === 'patch') server.patch(SETS, REF, { spec: { replicas: 4 } });
        return undefined;
      },
    });
    expect([code, err.includes('run the command again')], err).to.deep.equal([EXIT.failed, true]);
    expect(server.find(SETS, REF)?.metadata.deletionTimestamp).to.equal(undefined);
  });

  it('can be run again when it was handed over, when we run it already, or when there was no StatefulSet', async () => {
    const server = serverWithSet();
    await run('adopt demo', server, { extra: collected(server) });
    const again = await run('adopt demo', server);
    expect([again.code, again.writes]).to.deep.equal([EXIT.fine, []]);
    expect(again.out).to.include('was handed over already');
    expect((await run('adopt demo', serverWith())).out).to.include('run by this operator already');
    const bare = serverWith(3, { status: undefined });
    const never = await run('adopt demo', bare);
    expect([never.code, never.err.includes('there is no StatefulSet demo')]).to.deep.equal([EXIT.notFound, true]);
  });

  it('is named by plan, which creates no node beside the StatefulSet', async () => {
    const conditions = stalled('StatefulSetFound', 'StatefulSet demo runs the members');
    const { out } = await run('plan demo', serverWithSet({ status: { phase: 'Blocked', conditions } }));
    expect(out).to.include('StatefulSet demo runs the members').and.not.include('create MarekvsNode');
  });

  it('refuses a StatefulSet beside a cluster that this operator has formed', async () => {
    const server = serverWithSet({ status: cluster().status });
    const { code, err } = await run('adopt demo', server);
    expect([code, err.includes('was formed by this operator')], err).to.deep.equal([EXIT.blocked, true]);
  });
});
