// spec.autoscale is set and removed again: neither changes the size; bounds, and what people ask for afterwards, do.

import type { MarekvsClusterSpec } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

const NODES = 'marekvsnodes.marekvs.io';
const between = (minNodes: number, maxNodes = 8): MarekvsClusterSpec['autoscale'] => ({
  minNodes,
  maxNodes,
  targetOpsPerNode: 5000,
});

type World = ReturnType<typeof createWorld>;

async function formed(spec: Partial<MarekvsClusterSpec>): Promise<World> {
  const w = createWorld();
  w.apply(spec);
  await w.live();
  return w;
}

/** The number of nodes, the wanted size, and the decision if there is one. */
function sizes(w: World) {
  const { desiredNodes, autoscale } = w.cluster()?.status ?? {};
  return [w.list(NODES).length, desiredNodes, autoscale?.size, autoscale?.reason];
}

describe('a cluster whose spec.autoscale is set or removed', () => {
  it('keeps its size when it is set, also with another spec.nodes in the same edit', async () => {
    for (const nodes of [3, 6]) {
      const w = await formed({ nodes: 3 });
      w.apply({ nodes, autoscale: between(3) });
      await w.live();
      expect(sizes(w), `spec.nodes ${nodes}`).to.deep.equal([3, 3, 3, 'AutoscaleBegun']);
    }
  });

  it('keeps 5 nodes when it is set with bounds of 3 and 8 or of 3 and 4, until the first window is over', async () => {
    for (const maxNodes of [8, 4]) {
      const w = await formed({ nodes: 5 });
      w.apply({ nodes: 5, autoscale: between(3, maxNodes) });
      await w.live();
      expect(sizes(w), `maxNodes ${maxNodes}`).to.deep.equal([5, 5, 5, 'AutoscaleBegun']);
    }
  });

  it('keeps the decided size when it is removed and when it is set again, until spec.nodes changes', async () => {
    const w = await formed({ nodes: 3, autoscale: between(3) });
    w.apply({ nodes: 3, autoscale: between(4) });
    await w.live(12);
    expect(sizes(w)).to.deep.equal([4, 4, 4, 'BelowMinNodes']);
    w.apply({ nodes: 3 });
    await w.live();
    expect(sizes(w).slice(0, 2)).to.deep.equal([4, 4]);
    w.apply({ nodes: 3, autoscale: between(3) });
    await w.live();
    expect(sizes(w).slice(0, 3)).to.deep.equal([4, 4, 4]);
    w.apply({ nodes: 5 });
    await w.live();
    expect(sizes(w)).to.deep.equal([5, 5, undefined, undefined]);
  });
});
