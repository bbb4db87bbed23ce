// The same removal with operators that are killed, run twice, or see the past.

import type { Fate } from '../../fate/fate.ts';
import { delayWatches, STRIKES, WATCHED } from '../../fate/member-faults.ts';
import { ids, rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export const twoOperators: Scenario = {
  name: 'two-operators',
  story: 'For up to half a minute, and again, two operators both believe to be the only one: one node goes, once.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.edit({ nodes: 3 });
    for (let n = 0; n < 3; n += 1) {
      await world.advance(fate.between(0, 15_000));
      fate.count('twoOperators');
      STRIKES.twoOperators(world, fate);
      await world.advance(fate.between(5_000, 30_000));
    }
    return { nodes: 3, ids: ids(0, 2) };
  },
};

export const OPERATOR_STORIES: readonly Scenario[] = [
  {
    name: 'killed-at-each-phase',
    story:
      'The operator is killed at the beginning of every phase of a removal, and the next one goes on with what is stored.',
    async run(world, fate) {
      await rested(world, fate, 4);
      killAtEachPhase(world, fate);
      world.edit({ nodes: 3 });
      await world.until(() => world.isHealthy(3), 600_000, '3 of 4 stay');
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  twoOperators,
  {
    name: 'stale-caches',
    story: 'What the operator sees of one kind of object, or of all, is up to five seconds old throughout a removal.',
    async run(world, fate) {
      await rested(world, fate, 4);
      delayWatches(world, fate, fate.pick([...WATCHED, 'all']), 1_000, 5_000);
      world.edit({ nodes: 3 });
      await world.until(() => world.isHealthy(3), 600_000, '3 of 4 stay with late watches');
      await world.advance(30_000);
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
];

/** Kills the operator right after the write that begins a phase, or a moment later. */
export function killAtEachPhase(world: MemberWorld, fate: Fate): void {
  let last = '';
  world.kube.server.onEvent(({ resource }) => {
    const phase = world.operationPhase() ?? '';
    if (resource !== CLUSTERS || phase === last || fate.isOver) return;
    last = phase;
    if (phase === '') return;
    world.kube.clock.after(fate.between(0, 1_000), () => {
      if (STRIKES.operatorKilled(world)) fate.count('operatorKilled');
    });
  });
}
