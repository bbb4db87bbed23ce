// Both reconcilers in a world in memory: how many writes the life of a cluster needs, and what faults do to it.

import { type ClusterConditionType, findCondition, nodeLabels } from '@marekvs/api';
import { ApiError, pods, services } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld, type Write } from './support/fake-world.ts';

const NODES = 'marekvsnodes.marekvs.io';
const CLAIMS = 'persistentvolumeclaims';
type World = ReturnType<typeof createWorld>;

/** A cluster that is Healthy; its writes and events so far are forgotten. */
async function healthy(nodes = 3): Promise<World> {
  const world = createWorld();
  world.apply({ nodes });
  await world.live();
  expect(world.cluster()?.status?.message).to.equal(`${nodes} of ${nodes} members are ready and agree`);
  world.writes.length = 0;
  world.events.length = 0;
  return world;
}

const condition = (world: World, type: ClusterConditionType) => {
  const found = findCondition(world.cluster()?.status?.conditions, type);
  return `${found?.status} ${found?.reason}`;
};
const counts = (writes: readonly Write[]) =>
  Object.entries(Object.groupBy(writes, ({ verb, what }) => `${verb} ${what}`))
    .map(([what, list]) => `${list?.length} ${what}`)
    .join(', ');
const created = (writes: readonly Write[], what: string) =>
  writes.filter((write) => write.verb === 'create' && write.what === what).map(({ name }) => name);

describe('forming a cluster of three', () => {
  it('ends Healthy after at most 32 writes', async function () {
    const world = createWorld();
    world.apply();
    await world.live();
    expect(world.cluster()?.status).to.deep.include({ phase: 'Healthy', readyNodes: 3 });
    expect(world.writes.length, counts(world.writes)).to.be.at.most(32);
    if (this.test) this.test.title += ` (${world.writes.length}: ${counts(world.writes)})`;
  });

  it('does not report Healthy before every Pod is ready and behind the Service', async () => {
    const world = createWorld();
    world.apply();
    await world.wait(9_000);
    expect(world.cluster()?.status).to.deep.include({ phase: 'Reconciling', readyNodes: 0 });
    world.kubelets();
    await world.wait(60_000);
    expect(world.cluster()?.status?.phase).to.equal('Reconciling');
    world.members();
    await world.wait(10_000);
    expect(world.cluster()?.status?.phase).to.equal('Healthy');
    for (const id of [0, 1, 2])
      expect(world.get('pods', `demo-${id}`)?.metadata.labels).to.include({ 'marekvs.io/serving': 'true' });
  });

  it('creates nothing twice when every answer to a create is lost (F13)', async () => {
    const world = createWorld();
    const lost = new Set<string>();
    world.faults.push(({ verb, what, name }) => {
      if (verb !== 'create' || lost.has(`${what} ${name}`)) return undefined;
      lost.add(`${what} ${name}`);
      return () => {
        throw new ApiError({ verb, subject: name, path: '/', status: 504, reason: 'Timeout' });
      };
    });
    world.apply();
    await world.live(10);
    expect(world.cluster()?.status?.phase).to.equal('Healthy');
    expect(world.list(NODES).map((node) => node.metadata.name)).to.deep.equal(['demo-0', 'demo-1', 'demo-2']);
    expect(world.list('pods')).to.have.lengthOf(3);
  });

  const foreign = { clusterName: 'other', nodeId: 1, template: {}, storage: { size: '1Gi' } };
  const createForeign = (world: World) =>
    world.create(NODES, {
      apiVersion: 'marekvs.io/v1alpha1',
      kind: 'MarekvsNode',
      metadata: { name: 'demo-1', namespace: 'default' },
      spec: foreign,
    } as never);

  it('leaves a MarekvsNode of another owner alone and takes the next id', async () => {
    const world = createWorld();
    createForeign(world);
    world.apply();
    await world.live();
    expect(world.cluster()?.status?.instanceNames).to.deep.equal(['demo-0', 'demo-2', 'demo-3']);
    expect(world.get(NODES, 'demo-1')?.spec).to.deep.equal(foreign);
    expect(created(world.writes, 'pods')).to.not.include('demo-1');
  });

  it('reports NameTaken, for a person, when that id has a volume that only it can take up', async () => {
    const world = createWorld();
    createForeign(world);
    const labels = nodeLabels('demo', 'an-earlier-uid', 1);
    world.create(CLAIMS, { metadata: { name: 'data-demo-1', namespace: 'default', labels: { ...labels } } });
    world.apply();
    await world.live();
    expect(condition(world, 'Stalled')).to.equal('True NameTaken');
    expect(world.cluster()?.status?.phase).to.equal('Blocked');
    expect(world.get(NODES, 'demo-1')?.spec).to.deep.equal(foreign);
  });

  it('reports QuotaExceeded while a quota refuses its Pods, retries slowly, and goes on when it is raised (F53)', async () => {
    const world = createWorld();
    world.faults.push(({ verb, what }) => {
      if (verb !== 'create' || what !== 'pods') return undefined;
      const detail = 'pods is forbidden: exceeded quota: small';
      throw new ApiError({ verb, subject: 'pods', path: '/', status: 403, reason: 'Forbidden', detail });
    });
    world.apply();
    await world.wait(60_000);
    const ready = findCondition(world.node(0)?.status?.conditions, 'Ready');
    expect(ready?.reason).to.equal('QuotaExceeded');
    expect(condition(world, 'Stalled')).to.equal('True QuotaExceeded');
    expect(world.cluster()?.status?.message).to.match(/exceeded quota: small/);
    expect(created(world.writes, 'pods').length, 'attempts of 3 Pods in a minute').to.be.at.most(30);
    world.faults.length = 0;
    await world.live();
    expect(world.cluster()?.status?.phase).to.equal('Healthy');
    expect(condition(world, 'Stalled')).to.equal('False AsExpected');
  });
});

describe('a converged cluster', () => {
  it('is reconciled 100 times without a write', async () => {
    const world = await healthy();
    for (let i = 0; i < 100; i += 1) {
      world.change(world.kinds.cluster, 'demo', { metadata: { labels: { touched: String(i) } } });
      for (const id of [0, 1, 2]) world.wake(`node default/demo-${id}`);
      await world.wait(1_000);
    }
    expect(counts(world.writes)).to.equal('');
  });

  it('needs no write for a day', async () => {
    const world = await healthy();
    for (let hour = 0; hour < 24; hour += 1) {
      await world.wait(3_600_000);
      world.members();
    }
    expect(counts(world.writes)).to.equal('');
  });

  it('has a label restored that a user changed, with one write (F55)', async () => {
    const world = await healthy();
    world.change(pods, 'demo-1', { metadata: { labels: { 'marekvs.io/cluster': 'other' } } });
    await world.wait(10_000);
    expect(world.get('pods', 'demo-1')?.metadata.labels).to.include({ 'marekvs.io/cluster': 'demo' });
    expect(counts(world.writes)).to.equal('1 patch pods');
  });

  it('has a Service restored that somebody deleted', async () => {
    const world = await healthy();
    world.remove('services', 'demo');
    await world.wait(5_000);
    expect(counts(world.writes)).to.equal('1 patch services');
  });

  it('has a Service corrected three times, then reports DriftLoop without further writes (F18)', async () => {
    const world = await healthy();
    for (let i = 0; i < 30; i += 1) {
      world.change(services, 'demo', { spec: { type: 'NodePort' } });
      await world.wait(100);
    }
    expect(world.writes.filter((write) => write.what === 'services')).to.have.lengthOf(3);
    expect(condition(world, 'Stalled')).to.equal('True DriftLoop');
  });
});

describe('the repair of a cluster', () => {
  it('creates a deleted Pod again on its own volume and id', async () => {
    const world = await healthy();
    const before = world.volumeOf(1)?.metadata.uid;
    world.remove('pods', 'demo-1');
    world.kubelets();
    await world.live();
    expect(created(world.writes, 'pods')).to.deep.equal(['demo-1']);
    expect(created(world.writes, CLAIMS)).to.deep.equal([]);
    expect(world.volumeOf(1)?.metadata.uid).to.equal(before);
    expect(world.cluster()?.status).to.deep.include({
      phase: 'Healthy',
      instanceNames: ['demo-0', 'demo-1', 'demo-2'],
    });
  });

  it('replaces an evicted Pod once', async () => {
    const world = await healthy();
    world.change(pods, 'demo-1', { status: { phase: 'Failed', reason: 'Evicted', conditions: null } });
    await world.live();
    expect(world.writes.filter((write) => write.verb === 'delete')).to.deep.equal([
      { verb: 'delete', what: 'pods', name: 'demo-1' },
    ]);
    expect(created(world.writes, 'pods')).to.deep.equal(['demo-1']);
    expect(world.cluster()?.status?.phase).to.equal('Healthy');
  });

  it('starts three lost Pods of seven one after another while enough others are up', async () => {
    const world = await healthy(7);
    for (const id of [2, 4, 6]) world.remove('pods', `demo-${id}`);
    world.kubelets();
    world.members();
    await world.wait(5_000);
    expect(created(world.writes, 'pods')).to.deep.equal(['demo-2']);
    await world.live();
    expect(created(world.writes, 'pods')).to.deep.equal(['demo-2', 'demo-4', 'demo-6']);
    expect(world.cluster()?.status?.phase).to.equal('Healthy');
  });

  it('starts all Pods together when none is left', async () => {
    const world = await healthy();
    for (const id of [0, 1, 2]) world.remove('pods', `demo-${id}`);
    world.kubelets();
    await world.wait(1_000);
    expect(created(world.writes, 'pods').sort()).to.deep.equal(['demo-0', 'demo-1', 'demo-2']);
  });

  it('replaces a lost volume by a node with a new id and never starts the old one again (H2)', async () => {
    const world = await healthy();
    world.remove(CLAIMS, 'data-demo-1');
    world.remove('pods', 'demo-1');
    world.kubelets();
    await world.live();
    expect(created(world.writes, NODES)).to.deep.equal(['demo-3']);
    expect(created(world.writes, CLAIMS)).to.deep.equal(['data-demo-3']);
    expect(created(world.writes, 'pods')).to.deep.equal(['demo-3']);
    expect(world.list(NODES).map(({ metadata }) => metadata.name)).to.deep.equal(['demo-0', 'demo-2', 'demo-3']);
    expect([condition(world, 'DataAtRisk'), condition(world, 'FullyReplicated')]).to.deep.equal([
      'False AsExpected',
      'True RecordsCovered',
    ]);
  });
});

describe('the size of a cluster', () => {
  it('grows from 3 to 5 in one step, without a change to the three', async () => {
    const world = await healthy();
    world.apply({ nodes: 5 });
    await world.live();
    expect(created(world.writes, NODES)).to.deep.equal(['demo-3', 'demo-4']);
    expect(world.writes.filter(({ verb, name }) => verb !== 'update' && /^demo-[012]$/.test(name))).to.deep.equal([]);
    expect(world.cluster()?.status).to.deep.include({ phase: 'Healthy', readyNodes: 5, highestNodeId: 4 });
  });

  it('stays, with only a write of the status that says why, when it is to shrink without figures of its members (F45)', async () => {
    const world = await healthy(5);
    world.withhold();
    world.apply({ nodes: 3 });
    await world.live();
    expect(world.cluster()?.status?.phase).to.equal('ScalingDown');
    expect(condition(world, 'Ready')).to.equal('False ScalingClusterDown');
    expect(world.cluster()?.status?.message).to.equal('removing demo-4 waits: the figures of demo-0 are not known yet');
    expect(world.cluster()?.status?.operation).to.equal(undefined);
    expect(new Set(world.writes.map(({ what }) => what))).to.deep.equal(new Set(['marekvsclusters.marekvs.io/status']));
    world.apply({ nodes: 5 });
    await world.live();
    expect(world.cluster()?.status?.phase).to.equal('Healthy');
  });

  it('stays while paused, and changes when resumed', async () => {
    const world = await healthy();
    world.apply({ nodes: 5, paused: true });
    await world.live();
    expect(created(world.writes, NODES)).to.deep.equal([]);
    expect(condition(world, 'Paused')).to.equal('True Paused');
    world.apply({ nodes: 5 });
    await world.live();
    expect(created(world.writes, NODES)).to.deep.equal(['demo-3', 'demo-4']);
  });
});

describe('after conflicts and lost answers, the operator', () => {
  it('reads and computes again after a conflict on status (F12)', async () => {
    const world = await healthy();
    let refused = 0;
    world.faults.push(({ verb, what }) => {
      if (what !== 'marekvsclusters.marekvs.io/status' || refused > 0) return undefined;
      refused += 1;
      throw new ApiError({ verb, subject: what, path: '/', status: 409, reason: 'Conflict' });
    });
    world.apply({ nodes: 4 });
    await world.live();
    expect(refused).to.equal(1);
    expect(world.cluster()?.status).to.deep.include({ phase: 'Healthy', readyNodes: 4 });
  });
});

describe('the end of a cluster', () => {
  it('removes Pods and nodes, keeps every volume, and leaves no finalizer (F42)', async () => {
    const world = await healthy();
    world.remove('marekvsclusters.marekvs.io', 'demo');
    await world.live();
    expect([world.list(NODES), world.list('pods')]).to.deep.equal([[], []]);
    expect(world.list(CLAIMS).map((claim) => claim.metadata.name)).to.deep.equal([
      'data-demo-0',
      'data-demo-1',
      'data-demo-2',
    ]);
    expect(created(world.writes, 'pods')).to.deep.equal([]);
  });

  it('leaves volumes that a new cluster of the same name takes up with their ids', async () => {
    const world = await healthy();
    world.remove('marekvsclusters.marekvs.io', 'demo');
    await world.live();
    const before = [0, 1, 2].map((id) => world.volumeOf(id)?.metadata.uid);
    world.apply();
    await world.live();
    expect(world.cluster()?.status).to.deep.include({
      phase: 'Healthy',
      message: '3 of 3 members are ready and agree',
    });
    expect([0, 1, 2].map((id) => world.volumeOf(id)?.metadata.uid)).to.deep.equal(before);
  });
});
