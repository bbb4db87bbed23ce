// Copies that are not where they belong during a removal, and counters that do not show it: what the proofs are for.

import { ids, reached, rested, type Scenario } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export const COPY_STORIES: readonly Scenario[] = [
  {
    name: 'repairs-lost',
    story:
      'The member that is to go does not get its writes through to anybody, and no counter says so: it stays until it does.',
    async run(world, fate) {
      await rested(world, fate, 4);
      // By chance all of these keys are new, or all of them exist everywhere in an older version.
      world.startWriters({ clients: 2, writesPerSecond: 20, keys: 50 });
      await world.advance(fate.chance(0.5) ? 4_000 : 0);
      world.setKnobs(3, { pushLossRate: 1 });
      for (const id of world.nodeIds()) world.setKnobs(id, { repairDropRate: 1 });
      await world.advance(3_000);
      world.stopWriters();
      await world.advance(fate.between(3_000, 10_000));
      world.edit({ nodes: 3 });
      await world.advance(60_000);
      world.setKnobs(3, { pushLossRate: 0 });
      for (const id of world.nodeIds()) world.setKnobs(id, { repairDropRate: 0 });
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'late-repairs',
    story: 'The last writes before a removal reach the other homes by anti-entropy only, and that takes its time.',
    async run(world, fate) {
      await rested(world, fate, 4);
      for (const id of world.nodeIds())
        world.setKnobs(id, { pushLossRate: 1, laneDelayMs: fate.between(2_000, 4_000) });
      await writesFor(world, 5_000);
      for (const id of world.nodeIds()) world.setKnobs(id, { pushLossRate: 0 });
      world.edit({ nodes: 3 });
      await world.advance(fate.between(20_000, 40_000));
      for (const id of world.nodeIds()) if (world.member(id) !== undefined) world.setKnobs(id, { laneDelayMs: 0 });
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'copies-lost',
    story:
      'The new homes do not get the copies of the member that went, and no counter says so: its removal is not over.',
    async run(world, fate) {
      await restedReturned(world);
      fate.begin();
      world.edit({ nodes: 3 });
      await reached(world, 'Deleting');
      for (const id of [0, 1, 2]) world.setKnobs(id, { repairDropRate: 1 });
      await world.advance(80_000);
      for (const id of [0, 1, 2]) world.setKnobs(id, { repairDropRate: 0 });
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
];

/** A cluster at rest whose members were all restarted once: they copy by anti-entropy alone
 *  (docs/design/server.md#after-a-departure). */
async function restedReturned(world: MemberWorld): Promise<void> {
  await world.formed(4);
  await writesFor(world, 10_000);
  for (const id of [0, 1, 2, 3]) {
    world.kill(id);
    await world.advance(15_000);
  }
  await world.advance(60_000);
}

async function writesFor(world: MemberWorld, ms: number): Promise<void> {
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
  await world.advance(ms);
  world.stopWriters();
}
