// How often members are asked while no removal is wanted: rarely, as long as no change is expected.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

const NODES = 'marekvsnodes.marekvs.io';

describe('the members of a cluster at rest', () => {
  it('are asked rarely', async () => {
    const w = createWorld();
    w.apply({ nodes: 3 });
    await w.live();
    expect(w.pace()).to.equal('settled');
  });

  it('are asked every second while their lists show a member without a node, and rarely once all have dropped it', async () => {
    const w = createWorld();
    w.apply({ nodes: 4 });
    await w.live();
    // A node is removed with all it had, and no other is wanted.
    w.apply({ nodes: 3 });
    w.drop(NODES, 'demo-3');
    w.drop('pods', 'demo-3');
    w.drop('persistentvolumeclaims', 'data-demo-3');
    await w.wait(15_000);
    expect(w.cluster()?.status?.phase).to.equal('Healthy');
    expect(w.pace()).to.equal('moving');
    w.members();
    await w.wait(3_000);
    expect(w.pace()).to.equal('settled');
  });
});
