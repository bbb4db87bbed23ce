// A changed template reaches running members one after another, without losing or hiding a write.

import { containerOf } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from '../src/index.ts';

interface EventObject {
  readonly action: string;
  readonly reason: string;
  readonly note: string;
}

/** The events about the turns, one line each. */
function turnsToldOf(world: MemberWorld): readonly string[] {
  return world.kube.server
    .list('events.events.k8s.io')
    .map((event) => event as unknown as EventObject)
    .filter(({ action }) => action === 'Roll')
    .map(({ reason, note }) => `${reason} ${note.split(' ')[0]}`);
}

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
    expect(turnsToldOf(world)).to.deep.equal(['RolledOut demo-2', 'RolledOut demo-1', 'RolledOut demo-0']);
  });

  // By the server's own timers, independent of the machine: a member is away for about six seconds, and its figures are
  // two seconds old.
  it('reaches five members under writes within 90 seconds', async () => {
    const world = new MemberWorld({ seed: 3 });
    await written(world, 5);
    const editedMs = world.nowMs;
    world.edit({ image: 'marekvs:next' });
    const isDone = () => images(world).every((image) => image === 'marekvs:next') && world.isHealthy(5);
    await world.until(isDone, 300_000, 'all members have the new image');
    expect((world.nowMs - editedMs) / 1_000).to.be.at.most(90);
  });

  // On virtual time from the edit on, with the server's own timers and those of a kubelet.
  for (const [image, reason] of [
    ['marekvs:missing', 'ImagePullFailed'],
    ['marekvs:crashing', 'CrashLooping'],
    ['not an image', 'ImagePullFailed'],
  ] as const)
    it(`to "${image}" fails at its canary within a minute, is undone within two, and leaves 4 of 5 untouched`, async () => {
      const world = new MemberWorld({ seed: 4 });
      await written(world, 5);
      const uids = world.nodeIds().map((id) => world.pod(id)?.metadata.uid);
      const editedMs = world.nowMs;
      world.edit({ image, update: { canaryNodes: 1 } });
      await world.until(() => world.cluster()?.status?.update?.stopped !== undefined, 60_000, 'it stops');
      expect(world.cluster()?.status?.update?.stopped).to.deep.include({ node: 'demo-4', reason });
      const isBack = () => world.cluster()?.status?.lastOperation?.reason === 'RolledBack';
      await world.until(isBack, editedMs + 120_000 - world.nowMs, 'it is back');
      expect(images(world)).to.deep.equal(Array(5).fill('marekvs:test'));
      expect(world.cluster()?.spec.image, 'the spec stays as it was written').to.equal(image);
      const now = world.nodeIds().map((id) => world.pod(id)?.metadata.uid);
      expect(now.filter((uid, id) => uid === uids[id])).to.have.length(4);
    });

  it('that cannot be pulled stops at the first member, which goes back to the previous revision', async () => {
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
    expect(turnsToldOf(world)).to.deep.equal(['RolledBack demo-2']);
    world.stopWriters();
    expect(world.checkLedger().lost).to.deep.equal([]);
  });
});
