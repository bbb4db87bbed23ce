// A claim that gets no volume: what the conditions of the cluster and the node say about it, and that the report is not
// written again and again.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from '../src/index.ts';

describe('a claim whose StorageClass does not exist', function () {
  this.timeout(60_000);

  it('is named with its time and the reason in Ready and Stalled of the cluster and in VolumeReady of the node', async () => {
    const world = new MemberWorld({ seed: 1 });
    world.apply({ nodes: 3, storage: { size: '1Gi', className: 'missing-class' } });
    await world.until(() => world.condition('Stalled') === 'True', 60_000, 'the claim is said');
    const said =
      /^PersistentVolumeClaim data-demo-0 has waited for its volume since \d{4}-\S+Z: StorageClass missing-class does not exist/;
    for (const type of ['Ready', 'Stalled'] as const) {
      const condition = world.cluster()?.status?.conditions?.find((one) => one.type === type);
      expect(condition?.reason, type).to.equal('StorageClassMissing');
      expect(condition?.message, type).to.match(said);
    }
    const volumeReady = world.node(0)?.status?.conditions?.find(({ type }) => type === 'VolumeReady');
    expect(volumeReady).to.include({ status: 'False', reason: 'StorageClassMissing' });
    expect(volumeReady?.message).to.match(said);
  });

  it('is reported once: an hour later no status has been written again', async () => {
    const world = new MemberWorld({ seed: 1 });
    world.apply({ nodes: 3, storage: { size: '1Gi', className: 'missing-class' } });
    await world.until(() => world.condition('Stalled') === 'True', 60_000, 'the claim is said');
    await world.advance(30_000);
    const before = [world.cluster(), world.node(0), world.node(1), world.node(2)].map(
      (one) => one?.metadata.resourceVersion,
    );
    await world.advance(3_600_000);
    expect(
      [world.cluster(), world.node(0), world.node(1), world.node(2)].map((one) => one?.metadata.resourceVersion),
    ).to.deep.equal(before);
  });
});
