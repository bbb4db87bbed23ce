// The label by which replicas that share are sent their objects, corrected by a replica that gets one by mistake.

import { LABELS } from '@marekvs/api';
import { type KubeClient, type ObjectMeta, persistentVolumeClaims, silentLogger, slotOf } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createShare } from '../src/sharing/share.ts';
import { createSlotLabels } from '../src/sharing/slot-labels.ts';

const CLUSTER = 'default/demo';
const RIGHT = slotOf(CLUSTER);
const OURS = (RIGHT + 1) % 256;

interface Written {
  readonly name: string;
  readonly patch: unknown;
  readonly resourceVersion: string | undefined;
}

function rig({ slots = [OURS], isShared = true, fails = false } = {}) {
  const writes: Written[] = [];
  const share = createShare();
  share.set(new Set(slots));
  const patch = async (...[, ref, body, precondition]: Parameters<KubeClient['patch']>) => {
    writes.push({ name: ref.name, patch: body, resourceVersion: precondition.resourceVersion });
    if (fails) throw new Error('409');
    return { metadata: { ...ref, uid: precondition.uid, resourceVersion: '8' } };
  };
  const labels = createSlotLabels({ patch: patch as KubeClient['patch'] }, isShared ? share : undefined, silentLogger);
  const stop = new AbortController();
  const done = labels.run(stop.signal);
  const end = async () => {
    stop.abort();
    await done;
    return writes;
  };
  const seen = (metadata: Partial<ObjectMeta> = {}) =>
    labels.seen(
      persistentVolumeClaims,
      {
        name: 'data-demo-0',
        namespace: 'default',
        uid: 'u1',
        resourceVersion: '7',
        labels: { [LABELS.slot]: String(OURS) },
        ...metadata,
      },
      CLUSTER,
    );
  return { labels, seen, end };
}

describe('the slot label of an object of another replica', () => {
  it('is corrected when somebody wrote a slot of this replica on it, and nothing else of the object is changed', async () => {
    const { seen, end } = rig();
    seen();
    expect(await end()).to.deep.equal([
      {
        name: 'data-demo-0',
        patch: { metadata: { labels: { [LABELS.slot]: String(RIGHT) } } },
        resourceVersion: '7',
      },
    ]);
  });

  it('is not written again when a watch shows the object as it leaves', async () => {
    const { seen, end } = rig();
    seen();
    await new Promise((resolve) => setImmediate(resolve));
    seen({ resourceVersion: '8' });
    expect(await end()).to.have.lengthOf(1);
  });

  it('is tried again with the next event when a write was refused', async () => {
    const { seen, end } = rig({ fails: true });
    seen();
    await new Promise((resolve) => setImmediate(resolve));
    seen({ resourceVersion: '8' });
    expect((await end()).map(({ resourceVersion }) => resourceVersion)).to.deep.equal(['7', '8']);
  });

  it('is left alone when it is right, absent, or visible to its owner all the same', async () => {
    const right = rig();
    right.seen({ labels: { [LABELS.slot]: String(RIGHT) } });
    right.seen({ labels: {} });
    const owner = rig({ slots: [OURS, RIGHT] });
    owner.seen();
    const alone = rig({ isShared: false });
    alone.seen();
    for (const { end } of [right, owner, alone]) expect(await end()).to.deep.equal([]);
  });
});
