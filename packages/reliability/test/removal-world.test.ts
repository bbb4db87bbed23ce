// Whole lives of clusters: both reconcilers, the runtime's queues and caches and the sampler as they are, members that really move
// copies, and a ledger of acknowledged writes, on virtual time.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { CLAIMS, CLUSTERS, MemberWorld, NODES, type WriteFate } from '../src/index.ts';

/** A cluster at rest, old enough for a removal. */
async function settled(
  seed: number,
  nodes: number,
  spec: Parameters<MemberWorld['apply']>[0] = {},
): Promise<MemberWorld> {
  const world = new MemberWorld({ seed });
  await world.formed(nodes, spec);
  await world.advance(45_000);
  return world;
}

/** Every acknowledged write is on every home that the present members are. */
async function expectNothingLost(world: MemberWorld): Promise<void> {
  world.stopWriters();
  await world.until(() => world.checkLedger().incomplete.length === 0, 90_000, 'every write on all of its homes');
  expect(world.checkLedger().lost).to.deep.equal([]);
}

function secondsOf(world: MemberWorld): string {
  const { phases = [] } = world.cluster()?.status?.lastOperation ?? {};
  return phases.map(({ phase, seconds }) => `${phase} ${seconds}`).join(', ');
}

describe('a cluster in the world', function () {
  this.timeout(60_000);

  it('forms from nothing and serves acknowledged writes from every home', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    world.startWriters();
    await world.advance(20_000);
    world.stopWriters();
    await world.advance(10_000);
    const report = world.checkLedger();
    expect(report.acknowledged).to.be.above(1_500);
    expect([report.lost, report.incomplete]).to.deep.equal([[], []]);
  });

  it('is the same to the last line for the same seed, and another one for another seed', async () => {
    const life = async (seed: number) => {
      const world = new MemberWorld({ seed });
      await world.formed(3);
      world.startWriters();
      world.edit({ nodes: 4 });
      await world.until(() => world.isHealthy(4), 180_000, 'a fourth member');
      return world.transcript.join('\n');
    };
    const first = await life(7);
    expect(await life(7)).to.equal(first);
    expect(await life(8)).to.not.equal(first);
  });

  it('grows from 3 to 5 under load, and every key is on its new homes afterwards', async () => {
    const world = new MemberWorld({ seed: 2 });
    await world.formed(3);
    world.startWriters();
    await world.advance(10_000);
    world.edit({ nodes: 5 });
    await world.until(() => world.isHealthy(5), 180_000, '5 members');
    world.stopWriters();
    await world.until(() => world.checkLedger().incomplete.length === 0, 60_000, 'copies on all homes');
    expect(world.checkLedger().lost).to.deep.equal([]);
    expect(world.nodes().map((node) => node.spec.nodeId)).to.deep.equal([0, 1, 2, 3, 4]);
  });

  it('is healthy again after an operator that died at its first write, before and after it', async () => {
    for (const when of ['before', 'after'] as const) {
      const world = new MemberWorld({ seed: 3 });
      world.crashAt(1, when);
      await world.formed(3);
      expect(world.operator.name).to.equal('op-2');
    }
  });
});

describe('a removal in the world', function () {
  this.timeout(240_000);

  it('takes 5 to 3 one after the other, keeps both volumes and loses nothing', async function () {
    const world = await settled(11, 5);
    world.startWriters();
    await world.advance(5_000);
    world.stopWriters();
    await world.advance(75_000);
    const startedAt = performance.now();
    const startedMs = world.nowMs;
    const before = world.writes.length;
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 300_000, '3 of 5 stay');
    const seconds = ((world.nowMs - startedMs) / 2_000).toFixed(0);
    const realMs = ((performance.now() - startedAt) / 2).toFixed(0);
    const writes = (world.writes.length - before) / 2;
    if (this.test !== undefined)
      this.test.title += ` (each: ${seconds} virtual s: ${secondsOf(world)}; ${realMs} ms real, ${writes} writes)`;
    expect(world.nodeIds()).to.deep.equal([0, 1, 2]);
    expect(world.claimNames()).to.have.length(5);
    expect(writes).to.be.at.most(20);
    await expectNothingLost(world);
  });

  it('goes on under load with a bounded proof, and loses no acknowledged write', async () => {
    const world = await settled(12, 4, { removal: { proof: 'Bounded' } });
    world.startWriters();
    await world.advance(150_000);
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 600_000, '3 of 4 stay');
    expect(world.checkLedger().acknowledged).to.be.above(10_000);
    await expectNothingLost(world);
  });

  it('deletes the volume only after the proof of the survivors, where the policy says so', async () => {
    const world = new MemberWorld({ seed: 13 });
    await world.formed(4, { volumeRetention: { whenScaled: 'Delete' } });
    await world.advance(45_000);
    world.startWriters();
    await world.advance(5_000);
    world.stopWriters();
    await world.advance(45_000);
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 300_000, '3 of 4 stay');
    expect(world.cluster()?.status?.lastOperation?.proof?.post?.stage).to.equal('Post');
    await world.until(() => world.claim(3) === undefined, 10_000, 'the volume goes');
    expect(world.checkLedger().lost).to.deep.equal([]);
  });

  for (const phase of ['Claimed', 'Proving', 'Deleting'] as const) {
    it(`is undone in ${phase} by asking for the node again, and the member comes back on its volume`, async () => {
      const world = await settled(14, 4);
      const volume = world.claim(3)?.metadata.uid;
      world.edit({ nodes: 3 });
      await world.until(() => world.operationPhase() === phase, 120_000, phase);
      world.edit({ nodes: 4 });
      await world.until(() => world.isHealthy(4), 300_000, 'all 4 are back');
      expect(world.claim(3)?.metadata.uid).to.equal(volume);
      expect(world.node(3)?.spec).to.include({ intent: 'Active', serving: true });
      expect(world.kube.network.metric(world.processOf(3), 'cluster_members')).to.equal(4);
    });
  }

  it('is rolled back from the kept volume when a survivor falls silent before the copies are complete', async () => {
    const world = await settled(15, 5);
    const volume = world.claim(4)?.metadata.uid;
    world.edit({ nodes: 4 });
    await world.until(() => world.operationPhase() === 'Settling', 120_000, 'settling');
    world.setKnobs(0, { metrics: 'hang' });
    await world.until(() => world.operationPhase() === 'Cancelling', 300_000, 'the removal is undone');
    world.setKnobs(0, { metrics: 'ok' });
    await world.until(() => world.cluster()?.status?.operation === undefined, 300_000, 'the member is back');
    expect(world.cluster()?.status?.lastOperation?.reason).to.equal('RolledBack');
    expect(world.claim(4)?.metadata.uid).to.equal(volume);
    await expectNothingLost(world);
  });

  it('of a node deleted by hand lets a new one join first', async () => {
    const world = await settled(16, 4);
    const before = world.transcript.length;
    world.removeObject(NODES, 'demo-1');
    await world.until(() => world.isHealthy(4) && world.node(1) === undefined, 400_000, 'demo-1 is replaced');
    expect(world.nodeIds()).to.deep.equal([0, 2, 3, 4]);
    const story = world.transcript.slice(before);
    const joinedAt = story.findIndex((line) => line.includes('demo-4/'));
    expect(joinedAt).to.be.within(
      0,
      story.findIndex((line) => line.includes('delete pods demo-1')),
    );
  });

  it('ends in the same state when the operator dies before or after any of its writes', async function () {
    const lives = (fate?: { readonly nth: number; readonly when: 'before' | 'after' }) =>
      removalOf((world) => (fate === undefined ? undefined : world.crashAt(fate.nth, fate.when)));
    const { end, writes } = await lives();
    for (let nth = 1; nth <= writes; nth += 1) {
      for (const when of ['before', 'after'] as const) {
        const other = await lives({ nth, when });
        expect(other.end, `died ${when} write ${nth}`).to.equal(end);
      }
    }
    if (this.test !== undefined) this.test.title += ` (${2 * writes} deaths)`;
  });

  it('ends in the same state when the answer to any one write is lost, or it is carried out late', async function () {
    const lives = (nth: number, fate: WriteFate) =>
      removalOf((world) => {
        let seen = 0;
        world.fateOf = () => {
          seen += 1;
          return seen === nth ? fate : 'pass';
        };
      });
    const { end, writes } = await lives(0, 'pass');
    for (let nth = 1; nth <= writes; nth += 1) {
      for (const fate of ['lose', 'late'] as const)
        expect((await lives(nth, fate)).end, `${fate} at write ${nth}`).to.equal(end);
    }
    if (this.test !== undefined) this.test.title += ` (${2 * writes} faults)`;
  });

  it('is done once by two operators that both believe for half a minute to be the only one', async () => {
    const world = await settled(18, 4);
    const other = world.startOperator();
    world.edit({ nodes: 3 });
    await world.advance(30_000);
    world.endOperator(other);
    await world.until(() => world.isHealthy(3), 300_000, '3 of 4 stay');
    expect(world.writes.filter(({ verb, resource }) => verb === 'delete' && resource === NODES).length).to.be.at.most(
      2,
    );
    expect(world.nodeIds()).to.deep.equal([0, 1, 2]);
  });

  it('removes one node also when a cache is seconds behind', async () => {
    for (const slow of [NODES, CLUSTERS, 'pods', CLAIMS]) {
      const world = await settled(19, 4);
      world.lagMs = (resource) => (resource === slow ? 5_000 : 2);
      world.edit({ nodes: 3 });
      await world.until(() => world.isHealthy(3), 400_000, `3 of 4 stay with ${slow} behind`);
      await world.advance(30_000);
      expect(world.nodeIds(), slow).to.deep.equal([0, 1, 2]);
    }
  });
});

/** One removal of 4 to 3, disturbed from its first write on, and what is left of it a minute after it ended. */
async function removalOf(
  disturb: (world: MemberWorld) => void,
): Promise<{ readonly end: string; readonly writes: number }> {
  const world = await settled(17, 4);
  const before = world.writes.length;
  disturb(world);
  world.edit({ nodes: 3 });
  await world.until(() => world.isHealthy(3), 600_000, '3 of 4 stay');
  const writes = world.writes.length - before;
  await world.advance(30_000);
  return { end: world.endState(), writes };
}
