// How often members are asked while nothing is to be removed: rarely, as long as nothing is expected to change.

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

  it('are asked every second while their lists show one that has no node any more, and rarely once all have forgotten it', async () => {
    const w = createWorld();
    w.apply({ nodes: 4 });
    await w.live();
    // Somebody takes all of it away, and wants no other.
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
