// What is compared when, in a small world of two reconcilers: after changes, for a person, at rest, and until the
// result is stored.

import { findCondition } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

const DAY_MS = 86_400_000;

async function healthy(nodes = 3) {
  const w = createWorld();
  w.apply({ nodes });
  await w.live();
  w.writes.length = 0;
  const replicated = () => findCondition(w.cluster()?.status?.conditions, 'FullyReplicated')?.status;
  const allowed = () => w.get('poddisruptionbudgets.policy', 'demo')?.spec as { readonly minAvailable: number };
  const ask = (value: string) =>
    w.change(w.kinds.cluster, 'demo', { metadata: { annotations: { 'marekvs.io/verify': value } } });
  return { ...w, replicated, allowed, ask };
}
const waiting = {
  state: 'running',
  coveredAtMs: undefined,
  sweptAtMs: undefined,
  partitionsDone: 5,
  records: new Map(),
} as const;

describe('the contents of a cluster', () => {
  it('are not compared when it was formed on new volumes, and count as covered', async () => {
    const w = await healthy();
    expect([w.compared(), w.replicated()]).to.deep.equal([undefined, 'True']);
    expect(w.cluster()?.status?.verification?.message).to.equal('the cluster was formed on new volumes');
  });

  it('are compared once after it has grown, and no longer when the result is stored', async () => {
    const w = await healthy();
    w.find(waiting);
    w.apply({ nodes: 4 });
    await w.live(2);
    expect(w.compared()).to.deep.include({ purpose: 'change', sources: [0, 1, 2, 3] });
    expect([w.replicated(), w.cluster()?.status?.verification?.state]).to.deep.equal(['Unknown', 'Running']);
    w.find();
    await w.wait(10_000);
    expect([w.compared(), w.replicated()]).to.deep.equal([undefined, 'True']);
  });

  it('allow no disruption for two minutes while they are compared, and one after that or once they are covered', async () => {
    const w = await healthy();
    expect(w.allowed().minAvailable).to.equal(2);
    w.find(waiting);
    w.apply({ nodes: 4 });
    await w.live(2);
    expect(w.allowed().minAvailable).to.equal(4);
    await w.wait(120_000);
    expect([w.allowed().minAvailable, w.replicated()]).to.deep.equal([3, 'Unknown']);
  });

  it('allow no disruption while records are missing, however long, and say so in one write', async () => {
    const w = await healthy();
    const missing = [{ sourceId: 0, homeId: 1, partitions: 1, records: 2 }];
    w.find({ ...waiting, records: new Map([0, 1, 2, 3].map((id) => [id, 9])), missing, scannedAtMs: 0 });
    w.apply({ nodes: 4 });
    await w.live(3);
    w.writes.length = 0;
    await w.wait(300_000);
    expect([w.allowed().minAvailable, w.replicated()]).to.deep.equal([4, 'False']);
    expect(w.writes).to.deep.equal([]);
    w.find();
    await w.wait(10_000);
    expect([w.allowed().minAvailable, w.replicated()]).to.deep.equal([3, 'True']);
  });

  it('are compared when a person asks, once for every value', async () => {
    const w = await healthy();
    w.find(waiting);
    w.ask('monday');
    await w.wait(5_000);
    expect(w.compared()).to.deep.include({ purpose: 'asked', id: 'monday' });
    expect(w.cluster()?.status?.verification?.state).to.equal('Running');
    w.find();
    await w.wait(10_000);
    const { verification } = w.cluster()?.status ?? {};
    expect(verification).to.deep.include({ state: 'Covered', requested: 'monday' });
    expect(verification?.members).to.have.lengthOf(3);
    expect(w.compared()).to.equal(undefined);
  });

  it('are compared again at rest within a day, without a write when nothing has changed', async () => {
    const w = await healthy();
    w.find(waiting);
    await w.wait(DAY_MS);
    expect(w.compared()?.purpose).to.equal('routine');
    w.find();
    await w.wait(5_000);
    expect(w.compared()).to.equal(undefined);
    await w.wait(DAY_MS / 3);
    expect(w.compared(), 'the next one is due half a day later').to.equal(undefined);
    expect(w.writes.filter(({ what }) => what === 'marekvsclusters.marekvs.io/status').length).to.be.at.most(1);
  });

  it('are no longer compared once the cluster is gone', async () => {
    const w = await healthy();
    w.find(waiting);
    w.apply({ nodes: 4 });
    await w.live(2);
    expect(w.compared()).to.not.equal(undefined);
    w.drop('marekvsclusters.marekvs.io', 'demo');
    await w.wait(1_000);
    expect(w.compared()).to.equal(undefined);
  });
});
