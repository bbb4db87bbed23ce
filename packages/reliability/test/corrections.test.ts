// A mistake in the spec and its correction: after it, the cluster is the one that the good spec makes.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from '../src/index.ts';
import { NODES } from '../src/world/cluster/world-view.ts';

const MISSING = { secretRef: { name: 'none', key: 'password' } };

describe('a mistake that is taken back', function () {
  this.timeout(60_000);

  it('lets a cluster form that could not form with it', async () => {
    const world = new MemberWorld({ seed: 1 });
    world.apply({ nodes: 3, auth: MISSING });
    await world.until(() => world.condition('Stalled') === 'True', 60_000, 'the mistake is said');
    world.edit({ auth: null });
    await world.until(() => world.isHealthy(3), 120_000, 'healthy after the correction');
    expect(world.condition('RollingOut')).to.equal('TemplateCurrent');
  });

  it('reaches members that have just started, because before the cluster is formed they have no clients', async () => {
    const world = new MemberWorld({ seed: 1 });
    world.apply({ nodes: 3 });
    await world.until(() => world.member(2) !== undefined, 10_000, 'the last one starts');
    world.edit({ podMetadata: { labels: { team: 'red' } } });
    await world.until(() => world.isHealthy(3), 120_000, 'healthy after the edit');
    expect(world.condition('RollingOut')).to.equal('TemplateCurrent');
  });

  it('lets a node join that could not join with it', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    const { image } = world.cluster()?.spec ?? {};
    world.edit({ nodes: 4, image: 'marekvs:missing' });
    await world.until(() => world.condition('Stalled') === 'True', 60_000, 'the mistake is said');
    world.edit({ image });
    await world.until(() => world.isHealthy(4), 120_000, 'healthy after the correction');
    expect(world.nodeIds()).to.deep.equal([0, 1, 2, 3]);
    expect(world.condition('RollingOut')).to.equal('TemplateCurrent');
  });

  it('removes a node again that never started', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    world.edit({ nodes: 4, image: 'marekvs:missing' });
    await world.until(() => world.condition('Stalled') === 'True', 60_000, 'the mistake is said');
    // A Pod has its address before its image, so a missing address is not the only sign of a member that never started.
    expect(world.pod(3)?.status?.podIP).to.match(/^10\./);
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 120_000, 'healthy without it');
    expect(world.nodeIds()).to.deep.equal([0, 1, 2]);
  });
});

describe('a template that running members do not take up', function () {
  this.timeout(60_000);

  it('reaches all of them with OnDelete when nodes are deleted one at a time', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    world.startWriters({ clients: 2, writesPerSecond: 20, keys: 100 });
    await world.advance(10_000);
    world.stopWriters();
    world.edit({ image: 'marekvs:next', update: { type: 'OnDelete' } });
    await world.advance(30_000);
    expect(world.condition('RollingOut')).to.equal('RolloutOnDelete');
    for (const id of [0, 1, 2]) {
      world.removeObject(NODES, `demo-${id}`);
      const isReplaced = () => world.node(id) === undefined && world.isHealthy(3);
      await world.until(isReplaced, 600_000, `demo-${id} is replaced`);
    }
    expect(world.condition('RollingOut')).to.equal('TemplateCurrent');
    expect(world.checkLedger().lost).to.deep.equal([]);
  });
});
