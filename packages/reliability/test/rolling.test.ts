// A changed template reaches running members one after another, without losing or hiding a write.

import { containerOf } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from '../src/index.ts';

async function written(world: MemberWorld, nodes = 3): Promise<void> {
  await world.formed(nodes);
  world.startWriters({ clients: 3, writesPerSecond: 30, keys: 200 });
  await world.advance(10_000);
}

function images(world: MemberWorld): readonly unknown[] {
  return world.nodeIds().map((id) => {
    const pod = world.pod(id);
    return pod === undefined ? undefined : containerOf(pod).image;
  });
}

describe('a changed image', function () {
  this.timeout(120_000);

  it('reaches every member, one at a time, under writes, and nothing is lost', async () => {
    const world = new MemberWorld({ seed: 1 });
    await written(world);
    world.edit({ image: 'marekvs:next' });
    const isDone = () => world.condition('RollingOut') === 'TemplateCurrent' && world.isHealthy(3);
    let down = 0;
    await world.until(
      () => {
        down = Math.max(down, world.nodeIds().filter((id) => world.member(id) === undefined).length);
        return isDone() && images(world).every((image) => image === 'marekvs:next');
      },
      300_000,
      'all members have the new image',
    );
    world.stopWriters();
    await world.advance(10_000);
    expect(down).to.equal(1);
    expect(world.checkLedger().lost).to.deep.equal([]);
    const { status } = world.cluster() ?? {};
    expect(status?.update).to.deep.include({ updated: 3, total: 3 });
    expect(status?.lastOperation).to.deep.include({ type: 'Roll', outcome: 'Succeeded', reason: 'RolledOut' });
  });

  // Of the server's own timers, whatever the machine: a member is away for about six seconds, and what
  // it shows is two seconds old.
  it('reaches five members under writes within 90 seconds', async () => {
    const world = new MemberWorld({ seed: 3 });
    await written(world, 5);
    const editedMs = world.nowMs;
    world.edit({ image: 'marekvs:next' });
    const isDone = () => images(world).every((image) => image === 'marekvs:next') && world.isHealthy(5);
    await world.until(isDone, 300_000, 'all members have the new image');
    expect((world.nowMs - editedMs) / 1_000).to.be.at.most(90);
  });

  it('that cannot be pulled stops at the first member, which goes back to what it had', async () => {
    const world = new MemberWorld({ seed: 2 });
    await written(world);
    world.edit({ image: 'marekvs:missing' });
    await world.until(() => world.condition('RollingOut') === 'RolloutStopped', 120_000, 'it stops');
    await world.until(() => images(world).every((image) => image !== 'marekvs:missing'), 120_000, 'it is back');
    await world.until(() => world.condition('Ready') === 'True', 120_000, 'ready again');
    await world.advance(120_000);
    const { status } = world.cluster() ?? {};
    expect(status?.update?.stopped).to.deep.include({ node: 'demo-2', reason: 'ImagePullFailed' });
    expect(status?.phase).to.equal('Blocked');
    world.stopWriters();
    expect(world.checkLedger().lost).to.deep.equal([]);
  });
});
