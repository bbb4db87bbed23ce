// A turn that live reads refuse again and again, since the cache stays behind.

import type { KubeClient } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

const NODES = 'marekvsnodes.marekvs.io';

/** The times of all lists of nodes from now on. */
function listsOf(w: ReturnType<typeof createWorld>): readonly number[] {
  const times: number[] = [];
  const { client } = w.ports;
  const list = client.list.bind(client);
  const noted: KubeClient['list'] = async (kind, options) => {
    if (kind.plural === 'marekvsnodes') times.push(w.clock.steadyMs());
    return list(kind, options);
  };
  Object.assign(client, { list: noted });
  return times;
}

describe('the claim of a removal, while the cache shows a node that is gone', () => {
  it('is tried a few times within a second, and more and more rarely', async () => {
    const w = createWorld();
    w.apply({ nodes: 4 });
    await w.live();
    w.hold(NODES);
    w.drop(NODES, 'demo-1');
    const times = listsOf(w);
    const sinceMs = w.clock.steadyMs();
    w.apply({ nodes: 3 });
    await w.wait(120_000);
    expect(times.filter((time) => time - sinceMs <= 1_000)).to.have.length.of.at.least(3);
    expect(times).to.have.length.of.at.most(40);
  });
});
