// Nodes that are gone without an operation on them.

import { ApiError, type KubeClient } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

const NODES = 'marekvsnodes.marekvs.io';

/** The nth list of nodes fails from now on, counted from 1. */
function failList(client: KubeClient, nth: number): void {
  const list = client.list.bind(client);
  let seen = 0;
  const failing: KubeClient['list'] = async (kind, options) => {
    if (kind.plural === 'marekvsnodes') seen += 1;
    if (seen !== nth || kind.plural !== 'marekvsnodes') return list(kind, options);
    throw new ApiError({ verb: 'list', subject: NODES, path: '/x', status: 503, reason: 'ServiceUnavailable' });
  };
  Object.assign(client, { list: failing });
}

/** A removal of demo-3 that is no longer wanted, so that its end is stored at once. */
function endRemoval(w: ReturnType<typeof createWorld>): void {
  const target = { name: 'demo-3', uid: w.get(NODES, 'demo-3')?.metadata.uid ?? '', nodeId: 3 };
  const startedAt = '2026-01-01T00:00:00Z';
  const operation = { id: 'op', type: 'Remove', phase: 'Claimed', specGeneration: 1, startedAt, target, timeline: [] };
  w.change(w.kinds.cluster, 'demo', { status: { operation } });
}

describe('a node whose finalizer was taken off by hand', () => {
  for (const nth of [1, 2])
    it(`is reported with the next status, also when list ${nth} of nodes since then fails`, async () => {
      const w = createWorld();
      w.apply({ nodes: 4 });
      await w.live();
      w.hold(NODES);
      const uid = w.get(NODES, 'demo-1')?.metadata.uid ?? '';
      w.caches.nodes.observeDelete({ namespace: 'default', name: 'demo-1', uid });
      w.drop(NODES, 'demo-1');
      failList(w.ports.client, nth);
      endRemoval(w);
      await w.wait(5_000);
      expect(w.events.filter(({ reason }) => reason === 'FinalizerRemoved')).to.have.lengthOf(1);
    });
});
