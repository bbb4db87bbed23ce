import { findCondition, type MarekvsNodeStatus } from '@marekvs/api';
import { ApiError, type KubeClient, pods } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  line,
  nodes,
  observation,
  pod,
  serving,
  silent,
  views,
  volume,
  withNode,
} from '../../planner/test/support/builders.ts';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createSampler } from '../src/members/sampler.ts';
import { nodeStatus } from '../src/node/status.ts';
import { buildPod } from '../src/objects/pod.ts';
import { createPasswords } from '../src/secrets/passwords.ts';
import { createWorld } from './support/fake-world.ts';
import { nodeObject, nodeScope, statusOf } from './support/objects.ts';

const NODES = 'marekvsnodes.marekvs.io';
async function healthy(n = 3) {
  const w = createWorld();
  w.apply({ nodes: n });
  await w.live();
  w.writes.length = 0;
  return w;
}
// Defects that were found by a search for them, each named after its effect. They concern the whole operator, in the
// world in memory.

describe('after the correction of a defect,', () => {
  it('a cluster is checked while one of its Pods terminates and is still Ready', async () => {
    const w = await healthy();
    w.remove('pods', 'demo-1'); // marked, still Ready: grace period
    w.members();
    await w.wait(20_000);
    expect(w.cluster()?.status?.phase).to.not.equal('Healthy');
  });
  it('a cluster grows while one of its Pods terminates', async () => {
    const w = await healthy();
    w.remove('pods', 'demo-1');
    w.members();
    w.apply({ nodes: 5 });
    await w.wait(20_000);
    expect(w.list(NODES)).to.have.lengthOf(5);
  });
  it('a Ready Pod with the name of a node that lost its owner reference does not freeze the cluster (F56)', async () => {
    const w = await healthy();
    w.change(pods, 'demo-1', { metadata: { ownerReferences: null } });
    w.members();
    await w.wait(10_000);
    w.apply({ nodes: 4 });
    await w.wait(20_000);
    expect(w.list(NODES)).to.have.lengthOf(4);
  });
  for (const [resource, name, kind] of [
    ['persistentvolumeclaims', 'data-demo-1', 'PersistentVolumeClaim'],
    [NODES, 'demo-1', 'MarekvsNode'],
  ] as const)
    it(`a label of a ${kind} that somebody else takes off again and again is written a few times, and that is said`, async () => {
      const w = await healthy();
      const takeOff = () => w.patch(resource, name, { metadata: { labels: { 'marekvs.io/protected': null } } });
      w.faults.push((write) => (write.what === resource && write.name === name ? (takeOff as () => never) : undefined));
      w.apply({ nodes: 3, deletionProtection: true });
      await w.live(6);
      expect(w.writes.filter((write) => write.what === resource && write.name === name)).to.have.lengthOf.within(3, 6);
      const { conditions } = w.cluster()?.status ?? {};
      expect(findCondition(conditions, 'Stalled')).to.include({
        status: 'True',
        reason: 'DriftLoop',
        message: `${kind} ${name} is changed back by somebody else again and again`,
      });
    });
  it('a label of a Pod that somebody else takes off again and again is written a few times, and that is said', async () => {
    const w = await healthy();
    const takeOff = () => w.patch('pods', 'demo-1', { metadata: { labels: { 'marekvs.io/serving': null } } });
    w.faults.push(({ what, name }) => (what === 'pods' && name === 'demo-1' ? (takeOff as () => never) : undefined));
    takeOff();
    await w.live(6);
    expect(w.writes.filter(({ what, name }) => what === 'pods' && name === 'demo-1')).to.have.lengthOf.within(3, 6);
    const node = w.list(NODES).find(({ metadata }) => metadata.name === 'demo-1');
    const status: MarekvsNodeStatus | undefined = node?.status;
    const said = { reason: 'DriftLoop', message: 'Pod demo-1 is changed back by somebody else again and again' };
    expect(findCondition(status?.conditions, 'Ready')).to.include(said);
    expect(findCondition(w.cluster()?.status?.conditions, 'Stalled')).to.include(said);
  });
  it('members that disagree for a moment do not make a serving cluster unavailable', () => {
    const s = statusOf(
      observation({
        nodes: withNode(nodes(3), 1, { answer: serving([...views(3), line(3, { hasPrimaries: false })]) }),
      }),
    );
    expect([findCondition(s.conditions, 'Available')?.status, s.readyNodes]).to.deep.equal(['True', 3]);
  });
  it('one silent member of three does not make Available False with 0 ready', () => {
    const s = statusOf(observation({ nodes: withNode(nodes(3), 1, { answer: silent }) }));
    expect([findCondition(s.conditions, 'Available')?.status, s.readyNodes]).to.deep.equal(['True', 2]);
  });
  it('a terminating Pod is not a ready member', () => {
    const s = statusOf(observation({ nodes: withNode(nodes(3), 1, { pod: pod(1, { isTerminating: true }) }) }));
    expect([s.phase, s.readyNodes]).to.deep.equal(['Reconciling', 2]);
  });
  it('growth of spec.storage.size is named as asked for and not in force', async () => {
    const w = await healthy();
    w.apply({ storage: { size: '20Gi' } });
    await w.live();
    expect(w.cluster()?.status?.pendingChanges?.[0]).to.include({
      field: 'spec.storage.size',
      asked: '20Gi',
      effective: '10Gi',
    });
  });
  it('a failed question to a forgotten member leaves no timer and causes no pass', async () => {
    const clock = createManualClock();
    const stop = new AbortController();
    const changes: string[] = [];
    const late = Promise.withResolvers<never>();
    const s = createSampler({
      probe: () => late.promise,
      onChange: (k) => void changes.push(k),
      clock,
      random: () => 0.5,
    });
    const done = s.run(stop.signal);
    s.follow(
      'a',
      [{ podUid: 'u', restartCount: 0, name: 'n', nodeId: 0, ip: '127.0.0.1', isPodReady: true, isSealed: false }],
      'settled',
    );
    await clock.run(0);
    s.forget('a');
    late.reject(new Error('x'));
    await clock.run(0);
    const seen = [changes.length, clock.pendingTimers];
    stop.abort();
    await done;
    expect(seen).to.deep.equal([0, 0]);
  });
  it('a missing Secret is looked up once in 30 s, however many members ask', async () => {
    let reads = 0;
    const clock = createManualClock();
    const client = {
      async get() {
        reads += 1;
        throw new ApiError({ verb: 'get', subject: 's', path: '/', status: 404, reason: 'NotFound' });
      },
    };
    const p = createPasswords(client as Partial<KubeClient> as KubeClient, clock);
    const read = () =>
      p.read({ namespace: 'a', name: 'b', key: 'c' }, false, new AbortController().signal).catch(() => {});
    for (let i = 0; i < 15; i += 1) {
      await read();
      clock.advance(2_000 - 1);
    }
    expect(reads).to.equal(1);
    clock.advance(15);
    await read();
    expect(reads).to.equal(2);
  });
  it("a foreign volume is not recorded as the node's own", () => {
    const { scope, plan } = nodeScope(1, {
      own: {
        recordedVolumeUid: undefined,
        pod: undefined,
        volume: volume(1, { clusterName: 'other', uid: 'foreign' }),
        answer: { kind: 'notAsked' },
      },
      object: { status: {} },
    });
    expect(nodeStatus({ scope, plan, refusal: undefined }).pvcUID).to.equal(undefined);
  });
  it('a foreign Pod without our label that goes away does not block the name for ever', async () => {
    const w = createWorld();
    w.create('pods', { metadata: { name: 'demo-1', namespace: 'default' }, status: { phase: 'Running' } } as never);
    w.apply();
    await w.wait(10_000);
    w.drop('pods', 'demo-1');
    for (let i = 0; i < 8; i += 1) {
      await w.wait(60_000);
      w.kubelets();
      w.members();
    }
    expect(w.cluster()?.status?.phase).to.equal('Healthy');
  });
  it('template.env cannot override a setting of the operator, although the last one counts in a Pod', () => {
    const t = nodeObject(1).spec.template;
    const p = buildPod(nodeObject(1, { spec: { template: { ...t, env: { MAREKVS_NODE_ID: '7' } } } }), {
      clusterUid: 'uid-uid-uid',
    });
    expect((p.spec?.containers[0]?.env ?? []).filter((e) => e.name === 'MAREKVS_NODE_ID')).to.have.lengthOf(1);
  });
  it('a user label cannot put a Pod behind the Service', () => {
    const t = nodeObject(1).spec.template;
    const p = buildPod(
      nodeObject(1, {
        spec: { serving: false, template: { ...t, podMetadata: { labels: { 'marekvs.io/serving': 'true' } } } },
      }),
      { clusterUid: 'uid-uid-uid' },
    );
    expect(p.metadata.labels).to.not.have.property('marekvs.io/serving');
  });
  it('a node without owner reference that is deleted keeps its Pod while its cluster lives (F56)', async () => {
    const w = await healthy();
    w.change(w.kinds.node, 'demo-1', { metadata: { ownerReferences: null } });
    await w.wait(5_000);
    w.remove(NODES, 'demo-1');
    await w.wait(20_000);
    expect(w.writes.filter((x) => x.verb === 'delete')).to.deep.equal([]);
  });
  it('a Pod that becomes ready or not ready during a question is asked about right after it', async () => {
    const clock = createManualClock();
    const stop = new AbortController();
    let asked = 0;
    const first = Promise.withResolvers<never>();
    const s = createSampler({
      probe: async () => {
        asked += 1;
        if (asked === 1) await first.promise.catch(() => {});
        return { kind: 'serving', view: views(3), digest: 'three', metrics: undefined };
      },
      onChange: () => {},
      clock,
      random: () => 0.5,
    });
    const done = s.run(stop.signal);
    const t = {
      podUid: 'u',
      restartCount: 0,
      name: 'n',
      nodeId: 0,
      ip: '127.0.0.1',
      isPodReady: true,
      isSealed: false,
    };
    s.follow('a', [t], 'settled');
    await clock.run(0);
    s.follow('a', [{ ...t, isPodReady: false }], 'settled');
    await clock.run(0);
    first.reject(new Error('x'));
    await clock.run(1_000);
    stop.abort();
    await done;
    expect(asked).to.equal(2);
  });
  it('a re-created cluster is not Stalled while the old Services wait for the collector (F43)', async () => {
    const w = await healthy();
    w.remove('marekvsclusters.marekvs.io', 'demo');
    w.apply();
    await w.wait(5_000);
    expect(findCondition(w.cluster()?.status?.conditions, 'Stalled')?.status).to.equal('False');
  });
  it('a cluster whose Pods a quota refuses says so in its own status', async () => {
    const w = createWorld();
    w.faults.push(({ verb, what }) => {
      if (verb !== 'create' || what !== 'pods') return undefined;
      throw new ApiError({
        verb,
        subject: 'pods',
        path: '/',
        status: 403,
        reason: 'Forbidden',
        detail: 'exceeded quota: small',
      });
    });
    w.apply();
    await w.wait(60_000);
    expect([w.cluster()?.status?.phase, w.cluster()?.status?.message]).to.deep.equal([
      'Blocked',
      'create pods: 403 Forbidden: exceeded quota: small',
    ]);
  });
  it('a cluster says which node has a foreign volume', async () => {
    const w = createWorld();
    w.create('persistentvolumeclaims', {
      metadata: {
        name: 'data-demo-1',
        namespace: 'default',
        labels: {
          'app.kubernetes.io/managed-by': 'marekvs-operator',
          'marekvs.io/cluster': 'other',
          'marekvs.io/node-id': '1',
        },
      },
    });
    w.apply();
    await w.live();
    expect([w.cluster()?.status?.phase, w.cluster()?.status?.message]).to.satisfy(
      ([phase, message]: [string, string]) => phase === 'Blocked' && message.includes('data-demo-1'),
    );
  });
  it('adding one node to three takes 11 writes, and one for each of the others that now see it', async () => {
    const w = await healthy();
    w.apply({ nodes: 4 });
    await w.live();
    expect(w.cluster()?.status?.phase).to.equal('Healthy');
    expect(w.writes.length).to.be.at.most(14);
    // The budget closes with the change, and opens when contents were compared.
    expect(w.writes.filter(({ what }) => what.startsWith('poddisruptionbudgets'))).to.have.lengthOf(2);
  });
  it('the status of a new node names its volume before its Pod is created', async () => {
    const w = await healthy();
    w.apply({ nodes: 4 });
    await w.live();
    const ofNode = w.writes.filter(({ name }) => name === 'demo-3').map(({ verb, what }) => `${verb} ${what}`);
    expect(ofNode.slice(0, 3)).to.deep.equal([
      'create marekvsnodes.marekvs.io',
      'update marekvsnodes.marekvs.io/status',
      'create pods',
    ]);
  });
  it('a Pod whose label is taken away is labelled again, and no second one is created (F55)', async () => {
    const w = await healthy();
    const before = w.get('pods', 'demo-1')?.metadata.uid;
    w.change(pods, 'demo-1', { metadata: { labels: { 'app.kubernetes.io/managed-by': 'me' } } });
    await w.live();
    const after = w.get('pods', 'demo-1');
    expect([after?.metadata.uid, after?.metadata.labels?.['app.kubernetes.io/managed-by']]).to.deep.equal([
      before,
      'marekvs-operator',
    ]);
  });
});
