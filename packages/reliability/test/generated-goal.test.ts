// What the user asks for in a plan, and the state that the world has to reach because of it.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Act, inOrder, type Plan } from '../src/generated/plan.ts';
import { storyOf } from '../src/generated/story.ts';
import { firstWish, type Wish, wantedSize, wishAfter } from '../src/generated/wish.ts';
import { live } from '../src/life/life.ts';

const FIRST: Plan['first'] = {
  nodes: 3,
  replicationFactor: 2,
  whenDeleted: 'Retain',
  begins: 'at once',
  restartMs: 500,
};

/** A plan with one act every `everyMs`, from the beginning on. */
function planOf(acts: readonly Act[], everyMs = 0): Plan {
  return { seed: 1, first: FIRST, steps: acts.map((act, index) => ({ atMs: (index + 1) * everyMs, act })) };
}

/** The goal of a whole plan. */
const lastWish = (plan: Plan): Wish =>
  inOrder(plan).reduce((wish, { act }) => wishAfter(wish, act), firstWish(plan.first));

const wishOf = (...acts: readonly Act[]) => lastWish(planOf(acts));

describe('the last request of a plan', () => {
  it('is the spec at the creation when nobody edits the cluster', () => {
    expect(wishOf()).to.deep.include({ isThere: true, nodes: 3, replicationFactor: 2, isPaused: false });
  });

  it('is the last size, whatever faults and deletions by hand come in between', () => {
    const wish = wishOf({ kind: 'size', nodes: 6 }, { kind: 'deleteNode', node: 1 }, { kind: 'size', nodes: 4 });
    expect(wish.nodes).to.equal(4);
  });

  it('is decided by the times of the steps, not by their order in the plan', () => {
    const steps: Plan['steps'] = [
      { atMs: 9_000, act: { kind: 'size', nodes: 5 } },
      { atMs: 1_000, act: { kind: 'size', nodes: 4 } },
    ];
    expect(lastWish({ seed: 1, first: FIRST, steps }).nodes).to.equal(5);
  });

  it('means at least one node more than replicationFactor', () => {
    expect([1, 2, 3, 4].map((nodes) => wantedSize({ nodes, replicationFactor: 2 }))).to.deep.equal([3, 3, 3, 4]);
  });

  it('is no cluster once it was deleted, whatever edits follow', () => {
    const wish = wishOf({ kind: 'deleteCluster' }, { kind: 'size', nodes: 6 }, { kind: 'pause' });
    expect(wish).to.deep.include({ isThere: false, nodes: 3, isPaused: false });
  });

  it('is still the cluster when it was protected at its deletion', () => {
    expect(wishOf({ kind: 'protection', isOn: true }, { kind: 'deleteCluster' }).isThere).to.equal(true);
  });

  it('is a new cluster, without the edits of the old one, when it is created again', () => {
    const again: Act = { kind: 'createCluster', nodes: 5, whenDeleted: 'Delete' };
    const wish = wishOf({ kind: 'pause' }, { kind: 'image', image: 'b' }, { kind: 'deleteCluster' }, again);
    expect(wish).to.deep.equal({ ...wishOf(), nodes: 5, whenDeleted: 'Delete' });
    expect(wishOf(again)).to.deep.equal(wishOf());
  });
});

describe('the goal of a plan', function () {
  this.timeout(60_000);

  const endOf = async (...acts: readonly Act[]) => {
    const { report, world } = await live(storyOf(planOf(acts, 20_000)), 1);
    expect(report.violation).to.equal(undefined);
    return world;
  };

  it('with a size below the floor is a Healthy cluster at the floor', async () => {
    const world = await endOf({ kind: 'size', nodes: 2 });
    expect([world.nodeIds(), world.condition('Ready')]).to.deep.equal([[0, 1, 2], 'True']);
  });

  it('with a paused cluster is that nothing changes, whatever its size', async () => {
    const world = await endOf({ kind: 'pause' }, { kind: 'size', nodes: 5 });
    expect([world.nodeIds(), world.condition('Paused')]).to.deep.equal([[0, 1, 2], 'True']);
  });

  it('with a cluster that hibernates is that it is woken, at the size that was asked for meanwhile', async () => {
    const world = await endOf({ kind: 'hibernate' }, { kind: 'size', nodes: 4 });
    expect([world.nodeIds(), world.condition('Ready')]).to.deep.equal([[0, 1, 2, 3], 'True']);
    expect(world.writes.some(({ verb, resource }) => verb === 'delete' && resource === 'pods')).to.equal(true);
  });

  it('with a deleted cluster is that everything except its volumes is gone', async () => {
    const world = await endOf({ kind: 'deleteCluster' });
    expect([world.nodeIds(), world.claimNames().length]).to.deep.equal([[], 3]);
  });

  it('with a cluster that is created again is a new one that formed on the volumes of the old one', async () => {
    const world = await endOf({ kind: 'deleteCluster' }, { kind: 'createCluster', nodes: 3, whenDeleted: 'Retain' });
    const { metadata, status } = world.cluster() ?? {};
    expect(status?.formed?.clusterId).to.equal(`default.demo.${metadata?.uid.slice(0, 8)}`);
    expect([world.nodeIds(), world.claimNames().length]).to.deep.equal([[0, 1, 2], 3]);
  });
});
