// A Pod that is told to end and does not: its host may be dead, and then the Pod stays "ready" for ever.

import { findCondition } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

describe('a Pod that is terminating and still ready (F50)', () => {
  async function withStuckPod() {
    const world = createWorld();
    world.apply({ nodes: 3 });
    await world.live();
    world.remove('pods', 'demo-1');
    await world.wait(5_000);
    return world;
  }

  it('does not count as a ready member, and the cluster reports what it repairs', async () => {
    const { status } = (await withStuckPod()).cluster() ?? {};
    expect(status).to.deep.include({ phase: 'Reconciling', readyNodes: 2 });
    expect(status?.message).to.include('repairing demo-1');
  });

  it('counts as stuck 30 s after its grace period, and no second one is started', async () => {
    const world = await withStuckPod();
    const { uid } = world.get('pods', 'demo-1')?.metadata ?? {};
    await world.wait(120_000);
    const ready = findCondition(world.node(1)?.status?.conditions, 'Ready');
    expect(ready).to.include({ status: 'False', reason: 'PodStuckTerminating' });
    expect(world.get('pods', 'demo-1')?.metadata.uid).to.equal(uid);
  });
});
