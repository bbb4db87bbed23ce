// Another size is requested, and nothing stands in the way except the operator's own rules.

import { ids, rested, type Scenario } from '../../life/scenario.ts';

export const shrink: Scenario = {
  name: 'shrink',
  story: 'A quiet cluster goes from 5 to 3: one after the other, both volumes stay.',
  async run(world, fate) {
    await rested(world, fate, 5);
    world.edit({ nodes: 3 });
    const problem = (): string | undefined =>
      world.claimNames().length === 5 ? undefined : `${world.claimNames().length} of 5 volumes are there`;
    return { nodes: 3, ids: ids(0, 2), withinMs: 300_000, problem };
  },
};

export const shrinkReclaiming: Scenario = {
  name: 'shrink-reclaiming',
  story:
    'A quiet cluster goes from 4 to 3 and deletes the volume, after the others have proven that they have everything.',
  async run(world, fate) {
    await rested(world, fate, 4, { volumeRetention: { whenScaled: 'Delete' } });
    world.edit({ nodes: 3 });
    const problem = (): string | undefined => (world.claim(3) === undefined ? undefined : 'the volume of 3 is there');
    return { nodes: 3, ids: ids(0, 2), withinMs: 300_000, problem };
  },
};

export const SIZE_STORIES: readonly Scenario[] = [
  {
    name: 'form',
    story: 'A new cluster of 3 forms from nothing.',
    async run(world, fate) {
      fate.begin();
      world.apply({ nodes: 3 });
      // An id that may have been used is never reused: after a crash the ids may start higher.
      return { nodes: 3, withinMs: 180_000 };
    },
  },
  {
    name: 'grow',
    story: 'A quiet cluster grows from 3 to 4.',
    async run(world, fate) {
      await rested(world, fate, 3);
      world.edit({ nodes: 4 });
      return { nodes: 4, ids: ids(0, 3), withinMs: 180_000 };
    },
  },
  shrink,
  shrinkReclaiming,
  {
    name: 'shrink-under-load',
    story: 'Clients write all the while a cluster goes from 4 to 3.',
    async run(world, fate) {
      await rested(world, fate, 4);
      fate.count('load');
      world.startWriters({ clients: 2, writesPerSecond: fate.between(10, 40), keys: 150 });
      await world.advance(5_000);
      world.edit({ nodes: 3 });
      await world.until(() => world.isHealthy(3), 120_000, '3 of 4 stay under load');
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'far',
    story: 'A cluster grows from 3 to 8 and goes all the way back.',
    async run(world, fate) {
      await rested(world, fate, 3);
      world.edit({ nodes: 8 });
      await world.until(() => world.isHealthy(8), 400_000, '8 members');
      await world.advance(fate.between(0, 60_000));
      world.edit({ nodes: 3 });
      return { nodes: 3, ids: ids(0, 2), withinMs: 900_000 };
    },
  },
];
