// Writes that somebody else undoes each time: they become rare, the status says so, and nothing goes round for ever.

import { findCondition } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Write } from './support/fake-api.ts';
import { createWorld } from './support/fake-world.ts';

const NODES = 'marekvsnodes.marekvs.io';
const CLAIMS = 'persistentvolumeclaims';
const DETACHED = { 'marekvs.io/detached-at': null, 'marekvs.io/last-active-at': null };

type World = ReturnType<typeof createWorld>;

/** What somebody writes right after each write to an object, and what calls for our first one. */
const FIGHTS: readonly {
  readonly over: string;
  readonly what: string;
  readonly name: string;
  readonly kind: string;
  readonly undo: (w: World) => void;
  readonly begin: (w: World) => void;
}[] = [
  {
    over: 'the finalizer of a node',
    what: NODES,
    name: 'demo-1',
    kind: 'MarekvsNode',
    undo: (w) => w.patch(NODES, 'demo-1', { metadata: { finalizers: [] } }),
    begin: (w) => w.patch(NODES, 'demo-1', { metadata: { finalizers: [] } }),
  },
  {
    over: 'whether a node is behind the Service',
    what: NODES,
    name: 'demo-1',
    kind: 'MarekvsNode',
    undo: (w) => w.patch(NODES, 'demo-1', { spec: { serving: false } }),
    begin: (w) => w.patch(NODES, 'demo-1', { spec: { serving: false } }),
  },
  {
    over: 'the size of a volume',
    what: NODES,
    name: 'demo-1',
    kind: 'MarekvsNode',
    undo: (w) => w.patch(NODES, 'demo-1', { spec: { storage: { size: '10Gi' } } }),
    begin: (w) => w.apply({ nodes: 4, storage: { size: '20Gi' } }),
  },
  {
    over: 'the notes of a volume that is no longer in use',
    what: CLAIMS,
    name: 'data-demo-3',
    kind: 'PersistentVolumeClaim',
    undo: (w) => w.patch(CLAIMS, 'data-demo-3', { metadata: { annotations: DETACHED } }),
    begin(w) {
      const uid = w.get(NODES, 'demo-3')?.metadata.uid ?? '';
      const startedAt = new Date(w.clock.nowMs()).toISOString();
      const target = { name: 'demo-3', uid, nodeId: 3 };
      const operation = {
        id: 'op',
        type: 'Remove',
        basis: 'Forced',
        phase: 'Departing',
        startedAt,
        target,
        timeline: [],
      };
      const annotations = { 'marekvs.io/removal': 'op', 'marekvs.io/force-remove': `${uid}/its disk ticks` };
      w.apply({ nodes: 3 });
      w.change(w.kinds.node, 'demo-3', { metadata: { annotations } });
      w.change(w.kinds.cluster, 'demo', { status: { operation } });
      w.drop('pods', 'demo-3');
      w.members();
      w.remove(NODES, 'demo-3');
    },
  },
];

async function healthy() {
  const w = createWorld();
  w.apply({ nodes: 4 });
  await w.live();
  w.writes.length = 0;
  return w;
}

describe('somebody who undoes each write', () => {
  for (const { over, what, name, kind, undo, begin } of FIGHTS)
    it(`of ${over} is fought a few times, and that is said`, async () => {
      const w = await healthy();
      const isOurs = (write: Write) => write.what === what && write.name === name;
      w.faults.push((write) => (isOurs(write) ? ((() => undo(w)) as () => never) : undefined));
      begin(w);
      await w.live(6);
      expect(w.writes.filter(isOurs)).to.have.lengthOf.within(3, 6);
      const said = { reason: 'DriftLoop', message: `${kind} ${name} is changed back by somebody else again and again` };
      expect(findCondition(w.cluster()?.status?.conditions, 'Stalled')).to.include({ status: 'True', ...said });
    });
});
