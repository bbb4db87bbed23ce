// A pause stops everything except the user's request about the volumes, which are kept also when the cluster is deleted
// while it is paused.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { CLUSTERS, MemberWorld } from '../src/index.ts';

describe('a cluster that was created with volumeRetention.whenDeleted: Delete', function () {
  this.timeout(30_000);

  it('keeps its volumes when it is paused, told to retain them, and then deleted', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3, { volumeRetention: { whenDeleted: 'Delete' } });
    world.startWriters();
    await world.advance(3_000);
    world.stopWriters();
    world.edit({ paused: true });
    await world.advance(5_000);
    world.edit({ volumeRetention: { whenDeleted: 'Retain' } });
    await world.advance(5_000);
    world.removeObject(CLUSTERS, 'demo');
    await world.until(() => world.cluster() === undefined && world.pod(0) === undefined, 60_000, 'the cluster is gone');
    await world.advance(10_000);
    expect(world.claimNames()).to.deep.equal(['data-demo-0', 'data-demo-1', 'data-demo-2']);
  });
});
