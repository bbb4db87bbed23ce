// Volumes fill up and grow by themselves: only on what members say of their disks now, and up to a limit.

import type { Fate } from '../../fate/fate.ts';
import { rested, type Scenario } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { replaceOperator } from '../steps/operator-ends.ts';
import { goal, sizeOf, stalledReason, WITHIN_MS } from './volume-sizes.ts';

const GI = 1024 ** 3;
/** The shipped defaults of hours are minutes here. */
const AUTO_GROW = { atPercent: 80, byPercent: 50, max: '30Gi' };

const volumesFill: Scenario = {
  name: 'volumes-fill',
  story:
    'Volumes fill up at their own pace and grow by themselves, one growth at a time, up to a limit; the operator ends meanwhile.',
  async run(world, fate) {
    await filling(world, fate);
    for (const size of ['15Gi', '23Gi']) {
      for (const id of world.nodeIds()) fill(world, id, 82);
      await world.until(() => world.nodeIds().every((id) => sizeOf(world, id) === size), WITHIN_MS, `all have ${size}`);
      // Full again long before they may grow again.
      for (const id of world.nodeIds()) fill(world, id, 88);
      await world.advance(fate.between(0, 40_000));
      await replaceOperator(world, fate);
      await world.advance(fate.between(60_000, 200_000));
    }
    const isFull = (): boolean => world.nodeIds().every((id) => sizeOf(world, id) === '30Gi');
    for (let n = 0; !isFull() && n < 10; n += 1) {
      for (const id of world.nodeIds()) fill(world, id, 85);
      await world.advance(fate.between(60_000, 200_000));
    }
    for (const id of world.nodeIds()) fill(world, id, 85);
    await world.until(isFull, WITHIN_MS, 'all are as large as they may be');
    await world.until(() => stalledReason(world) === 'AutoGrowAtMax', 300_000, 'that they are is said');
    // Members that serve nothing are asked for their metrics every four minutes.
    await world.advance(300_000);
    const unmet = (): string | undefined => (world.condition('Ready') === 'True' ? undefined : 'not Ready');
    return { nodes: 3, withinMs: WITHIN_MS, unmet };
  },
};

const volumesUnknown: Scenario = {
  name: 'volumes-unknown',
  story: 'A member whose disk fills up gives no figures, or those of another disk: its volume is left alone.',
  async run(world, fate) {
    await filling(world, fate);
    const id = fate.pick(world.nodeIds());
    const how = fate.pick(['hang', 'other-disk'] as const);
    world.setKnobs(
      id,
      how === 'hang' ? { metrics: 'hang' } : { diskTotalBytes: 500 * GI, diskAvailableBytes: 50 * GI },
    );
    await world.advance(100_000);
    fill(world, id, 88);
    await world.advance(fate.between(120_000, 300_000));
    const wasAlone = sizeOf(world, id) === '10Gi';
    world.setKnobs(id, how === 'hang' ? { metrics: 'ok' } : { diskTotalBytes: 10 * GI, diskAvailableBytes: 1.2 * GI });
    const { unmet, ...rest } = goal(world, 3, undefined, () =>
      wasAlone ? undefined : 'it has grown on what nobody knew',
    );
    const isGrown = (): boolean => sizeOf(world, id) === '15Gi';
    return {
      ...rest,
      unmet: () => unmet?.() ?? (isGrown() ? undefined : 'it has not grown although it is known to be full'),
    };
  },
};

const volumesStale: Scenario = {
  name: 'volumes-stale',
  story:
    'Members whose disks were full fall silent, and then much is deleted: their earlier figures do not make the volumes grow.',
  async run(world, fate) {
    await filling(world, fate, 3, 900);
    for (const id of world.nodeIds()) fill(world, id, 82);
    await world.until(() => world.nodeIds().every((id) => sizeOf(world, id) === '15Gi'), WITHIN_MS, 'all have grown');
    for (const id of world.nodeIds()) fill(world, id, 88);
    await world.advance(fate.between(250_000, 290_000));
    for (const id of world.nodeIds()) {
      world.setKnobs(id, { metrics: 'hang' });
      fill(world, id, 40);
    }
    await world.advance(fate.between(900_000, 1_000_000));
    for (const id of world.nodeIds()) world.setKnobs(id, { metrics: 'ok' });
    return goal(world, 3, '15Gi');
  },
};

const volumesSettling: Scenario = {
  name: 'volumes-settling',
  story: 'Disks fill up while the others settle without a removed node: nothing grows before they have.',
  async run(world, fate) {
    await filling(world, fate, 4);
    world.edit({ nodes: 3 });
    const isDeleted = (): boolean => world.nodes().some(({ metadata }) => metadata.deletionTimestamp !== undefined);
    await world.until(isDeleted, 180_000, 'a node is deleted');
    const left = world.nodeIds().filter((id) => id !== world.cluster()?.status?.operation?.target?.nodeId);
    for (const id of left) world.setKnobs(id, { contents: 'close' });
    for (const id of left) fill(world, id, fate.between(82, 89));
    await world.advance(fate.between(10_000, 40_000));
    for (const id of left) world.setKnobs(id, { contents: 'ok' });
    return goal(world, 3, '15Gi');
  },
};

export const FILLING_STORIES: readonly Scenario[] = [volumesFill, volumesUnknown, volumesStale, volumesSettling];

/** A cluster whose volumes grow by themselves, and are half full. */
async function filling(world: MemberWorld, fate: Fate, nodes = 3, coolDownSeconds = 120): Promise<void> {
  await rested(world, fate, nodes, { storage: { size: '10Gi', autoGrow: { ...AUTO_GROW, coolDownSeconds } } });
  for (const id of world.nodeIds()) fill(world, id, 50);
  await world.advance(60_000);
}

/** @param percent of the size of the volume */
export function fill(world: MemberWorld, id: number, percent: number): void {
  const claim = world.claim(id);
  const disk = world.kube.kubelet.diskOf(claim?.metadata.uid ?? '');
  const gibibytes = Number.parseInt(sizeOf(world, id) ?? '0', 10);
  disk?.fill((gibibytes * GI * percent) / 100);
  world.kube.transcript.add('world', `fills the volume of ${id} to ${Math.round(percent)} % of ${gibibytes}Gi`);
}
