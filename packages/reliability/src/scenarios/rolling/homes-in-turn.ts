// What clients read of a member's keys during its turn of a rolling update: with another home, without one, and when a
// host evicts a member meanwhile.

import { rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS } from '../../world/cluster/world-view.ts';
import { judgeReads } from '../../world/judges/first-home-reads.ts';
import { delayRepairs } from '../steps/only-there.ts';
import { volumesOf } from '../steps/who-runs.ts';
import { comesBackLate, goal, hasImage, NEXT, WITHIN_MS } from './images.ts';

export const HOMES_IN_TURN_STORIES: readonly Scenario[] = [
  {
    name: 'rollout-read',
    story:
      'What a member missed in its turn comes to it late, while clients write and read: nobody but the one whose turn it is answers with less than was acknowledged a second before.',
    async run(world, fate) {
      const size = fate.whole(3, 4);
      await rested(world, fate, size);
      judgeReads(world, () => fate.isOver);
      await comesBackLate(world, fate, size - 1);
      await world.advance(fate.between(5_000, 20_000));
      delayRepairs(world, 0);
      await world.until(() => hasImage(world, NEXT) && world.isHealthy(size), WITHIN_MS, 'all have it under load');
      return goal(world, size, NEXT);
    },
  },
  {
    name: 'rollout-only-homes',
    story:
      'Every key has one home, and another image reaches every member: its keys are unavailable for the seconds of its turn, which the status reports, and all of them are available again.',
    async run(world, fate) {
      await rested(world, fate, 3, { replicationFactor: 1 });
      const volumes = volumesOf(world);
      const told = new Set<string>();
      const away = new Set<string>();
      world.kube.server.onEvent(({ resource }) => {
        const { conditions = [], update } = resource === CLUSTERS ? (world.cluster()?.status ?? {}) : {};
        if (update?.node === undefined) return;
        const of = (type: string) => conditions.find((condition) => condition.type === type);
        if (of('Available')?.status === 'False') away.add(update.node);
        if (of('RollingOut')?.message.includes('with replicationFactor 1') === true) told.add(update.node);
      });
      world.edit({ image: NEXT });
      const problem = (): string | undefined => {
        if (volumesOf(world) !== volumes) return 'a member has another volume';
        return told.size === 3 && away.size === 3 ? undefined : `said of ${[...told]}, away were ${[...away]}`;
      };
      return goal(world, 3, NEXT, problem);
    },
  },
  {
    name: 'rollout-evicted',
    story:
      'In the middle of an update under load a host evicts a member, whoever that is, and its Pod stays there as Failed: it comes back on its volume, and all have the image.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const volumes = volumesOf(world);
      fate.count('load');
      world.startWriters({ clients: 2, writesPerSecond: 20, keys: 100, isAware: fate.chance(0.5) });
      world.edit({ image: NEXT });
      await world.advance(fate.between(0, 45_000));
      fate.count('podDeleted');
      const id = fate.pick(world.nodeIds());
      const uid = world.pod(id)?.metadata.uid;
      world.evict(id);
      const isSaid = (): boolean => world.pod(id)?.metadata.uid !== uid || world.pod(id)?.status?.phase === 'Failed';
      await world.until(isSaid, 90_000, 'its Pod has failed');
      await world.until(() => hasImage(world, NEXT) && world.isHealthy(4), WITHIN_MS, 'all have it under load');
      return goal(world, 4, NEXT, () => (volumesOf(world) === volumes ? undefined : 'a member has another volume'));
    },
  },
];
