// Members whose disks are full refuse the writes of clients, deletions too, and serve reads. The repair has to reach
// them although they are not well: a larger volume, whose file system grows when the Pod starts anew, or another
// template.

import { ids, rested, type Scenario } from '../../life/scenario.ts';
import { goal, imageOf, NEXT } from '../rolling/images.ts';
import { fill } from './filling.ts';
import { sizeOf } from './volume-sizes.ts';

/** 90 % used, and less than 1 GiB free (docs/design/server.md#disk). */
const FULL_PERCENT = 96;
/** With these settings a disk that is that full takes writes again. */
const WATER = { MAREKVS_DISK_HIGH_WATER_PCT: '99', MAREKVS_DISK_LOW_WATER_PCT: '98', MAREKVS_DISK_MIN_AVAIL_MB: '64' };
const LARGER = { storage: { size: '20Gi' } };
const WITHIN_MS = 900_000;

export const rolloutFullDisks: Scenario = {
  name: 'rollout-full-disks',
  story:
    'The disks of one member, of two, or of all are full, so that they take no writes: the update that mends it reaches all of them all the same, one after the other, and compared.',
  async run(world, fate) {
    const size = fate.whole(3, 4);
    const [kind, edit] = fate.pick([
      ['size', LARGER],
      ['settings', { extraEnv: WATER }],
      ['both', { ...LARGER, image: NEXT }],
    ] as const);
    await rested(world, fate, size, { storage: { className: kind === 'both' ? 'standard' : 'offline' } });
    const image = imageOf(world, 0);
    fate.count('load');
    world.startWriters({ clients: 2, writesPerSecond: 20, keys: 100 });
    const full = fate.pick([ids(0, 0), ids(size - 1, size - 1), ids(0, 1), ids(0, size - 1)]);
    for (const id of full) fill(world, id, FULL_PERCENT);
    const hasStopped = (id: number): boolean => world.member(id)?.metrics.get('disk_write_stopped') === 1;
    await world.until(() => full.every(hasStopped), 60_000, 'they take no writes any more');
    await world.advance(fate.between(0, 120_000));
    world.edit(edit);
    const { unmet, ...rest } = goal(world, size, kind === 'both' ? NEXT : image);
    const isMended = (): boolean => !world.nodeIds().some(hasStopped);
    const isLarger = (): boolean => kind === 'settings' || world.nodeIds().every((id) => sizeOf(world, id) === '20Gi');
    return {
      ...rest,
      withinMs: WITHIN_MS,
      unmet: () => unmet?.() ?? (isMended() && isLarger() ? undefined : 'a disk is still full'),
    };
  },
};

export const FULL_DISK_STORIES: readonly Scenario[] = [rolloutFullDisks];
