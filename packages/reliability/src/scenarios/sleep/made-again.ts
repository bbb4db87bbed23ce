// A cluster is deleted and applied again on its kept volumes: its status is gone, with all that only it knew.

import { rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS } from '../../world/member-world.ts';

export const madeAgain: Scenario = {
  name: 'made-again',
  story:
    'A cluster that has reclaimed the volume of its highest id is deleted and applied again: every write is there, and that id is not used a second time.',
  async run(world, fate) {
    const spec = { nodes: 4, volumeRetention: { whenScaled: 'Delete', whenDeleted: 'Retain' } } as const;
    await rested(world, fate, 4, spec);
    world.edit({ nodes: 3 });
    await world.until(
      () => world.isHealthy(3) && world.claim(3) === undefined,
      600_000,
      'the volume of 3 is reclaimed',
    );
    await world.advance(fate.between(1_000, 20_000));
    world.removeObject(CLUSTERS, 'demo');
    const isGone = (): boolean => world.cluster() === undefined && world.kube.server.list('pods').length === 0;
    await world.until(isGone, 120_000, 'the cluster is gone');
    await world.advance(fate.between(1_000, 20_000));
    world.apply(spec);
    return { nodes: 4, ids: [0, 1, 2, 4] };
  },
};
