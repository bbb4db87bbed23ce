// Whole lives of clusters on virtual time, with the real reconcilers, queues, caches and sampler, members that really
// move copies, and a ledger of acknowledged writes.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from '../src/index.ts';

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

  it('has the same transcript for the same seed, to the last line, and another one for another seed', async () => {
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

  it('is Healthy again after its operator died before or after its first write', async () => {
    for (const when of ['before', 'after'] as const) {
      const world = new MemberWorld({ seed: 3 });
      world.crashAt(1, when);
      await world.formed(3);
      expect(world.operator.name).to.equal('op-2');
    }
  });

  it('reports within five seconds that a member has ended, and within a minute that one hangs, after any rest', async () => {
    for (const [seed, limitMs, strike] of [
      [4, 5_000, (world: MemberWorld) => world.kill(1)],
      [5, 60_000, (world: MemberWorld) => world.freeze(1)],
    ] as const) {
      const world = new MemberWorld({ seed });
      await world.formed(3);
      await world.advance(600_000 + 1_000 * seed);
      expect(world.condition('Ready')).to.equal('True');
      strike(world);
      await world.until(() => world.condition('Ready') !== 'True', limitMs, 'it is said');
    }
  });

  it('counts the list of a member that has joined only once that member could be asked for it', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    world.edit({ nodes: 4 });
    await world.until(() => world.member(3)?.phase === 'Active', 180_000, 'the fourth member joins');
    expect([world.shows(3, 0), world.isSeenToShow(3, 0)]).to.deep.equal([true, false]);
    await world.advance(2_000);
    expect(world.isSeenToShow(3, 0)).to.equal(true);
    world.freeze(3);
    expect(world.isSeenToShow(3, 0)).to.equal(false);
  });
});
