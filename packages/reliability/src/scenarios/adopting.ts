// Members that a StatefulSet started are taken over: nothing of them ends, and clients notice nothing.

import type { Fate } from '../fate/fate.ts';
import type { MemberWorld } from '../world/member-world.ts';
import { handOver, runByOldOperator } from '../world/old-operator.ts';
import { ids, type Scenario } from './scenario.ts';

const COUNT = 3;

/** A cluster of the existing operator that has taken writes, found by ours. Then the story begins. */
async function found(world: MemberWorld, fate: Fate): Promise<() => string | undefined> {
  await runByOldOperator(world, COUNT);
  const before = ids(0, COUNT - 1).map((id) => identityOf(world, id));
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
  await world.advance(10_000);
  world.startOperator();
  await world.until(() => world.condition('Ready') === 'StatefulSetFound', 60_000, 'that it is found');
  fate.begin();
  return () => {
    const ended = ids(0, COUNT - 1).filter((id) => identityOf(world, id) !== before[id]);
    return ended.length === 0 ? undefined : `demo-${ended.join(' and demo-')} is not the process it was`;
  };
}

/** One life of one process on one volume. */
function identityOf(world: MemberWorld, id: number): string {
  const { metadata, status } = world.pod(id) ?? {};
  const [container] = (status?.containerStatuses ?? []) as readonly { readonly restartCount: number }[];
  return `${metadata?.uid} ${container?.restartCount} ${world.claim(id)?.metadata.uid}`;
}

export const adopt: Scenario = {
  name: 'adopt',
  story: 'Three members of a StatefulSet are taken over under load: no process ends, no volume changes.',
  async run(world, fate) {
    const problem = await found(world, fate);
    handOver(world, COUNT);
    return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000, problem };
  },
};

export const adoptAndGoOn: Scenario = {
  name: 'adopt-and-go-on',
  story: 'Members that were taken over are restarted, joined by a fourth and left by one, each on the data it had.',
  async run(world, fate) {
    const problem = await found(world, fate);
    handOver(world, COUNT);
    await world.until(() => world.isHealthy(COUNT), 300_000, 'three members taken over');
    const wrong = problem();
    if (wrong !== undefined) throw new Error(wrong);
    world.stopWriters();
    world.removeObject('pods', `demo-${fate.whole(0, COUNT - 1)}`);
    await world.until(() => !world.isHealthy(COUNT), 30_000, 'that its end is seen');
    await world.until(() => world.isHealthy(COUNT), 180_000, 'the restarted one');
    world.edit({ nodes: 4 });
    await world.until(() => world.isHealthy(4), 300_000, 'a fourth');
    world.edit({ nodes: 3 });
    return { nodes: 3, ids: ids(0, COUNT - 1), withinMs: 600_000 };
  },
};

export const adoptLate: Scenario = {
  name: 'adopt-late',
  story:
    'A Pod ends between the handover and its operator, which comes later: it is made again, on its volume and its data.',
  async run(world, fate) {
    await found(world, fate);
    world.endOperator(world.operator);
    handOver(world, COUNT);
    await world.advance(2_000);
    world.removeObject('pods', 'demo-1');
    await world.until(() => world.pod(1) === undefined, 90_000, 'the end of a Pod');
    world.startOperator();
    return { nodes: COUNT, ids: ids(0, COUNT - 1), withinMs: 300_000 };
  },
};
