// Volumes that are lost with what only they held, or that were not the last: what is said of it has to be what is true of it.

import { findCondition, homesAt, PARTITIONS, partitionOfKey, placementOf } from '@marekvs/api';
import type { Fate } from '../fate/fate.ts';
import type { MemberWorld } from '../world/member-world.ts';
import { idsWithout, rested, type Scenario } from './scenario.ts';
import { tearOut } from './without-volumes.ts';

const FIRST = [0, 1, 2, 3];

const bothHomesLost: Scenario = {
  name: 'both-homes-lost',
  story:
    'Two of four volumes are lost with their processes: the partitions whose homes both were are told, exactly, for as long as nobody has read it.',
  async run(world, fate) {
    await whole(world, fate);
    const gone = [fate.whole(0, 1), fate.whole(2, 3)];
    for (const id of gone) {
      lose(world, fate, id);
      // The second at the same moment, or while the other members notice; never after contents were compared again.
      await world.advance(fate.between(0, 2_000));
    }
    await world.until(() => gone.every((id) => world.node(id) === undefined), 900_000, 'both are replaced');
    return {
      nodes: 4,
      ids: idsWithout(5, ...gone),
      isRiskReported: () => true,
      problem: () => lossProblem(world, gone),
    };
  },
};

const oneHomeLost: Scenario = {
  name: 'one-home-lost',
  story: 'One of four volumes is lost with its process: the risk is told until contents were compared, and no loss.',
  async run(world, fate) {
    await whole(world, fate);
    const id = fate.whole(0, 3);
    lose(world, fate, id);
    await world.until(() => world.condition('DataAtRisk') === 'True', 60_000, 'the risk is told');
    await world.until(() => world.node(id) === undefined, 600_000, 'it is replaced');
    return { nodes: 4, ids: idsWithout(4, id), problem: () => notWhole(world) };
  },
};

const homesOutlived: Scenario = {
  name: 'homes-outlived',
  story:
    'Two of four volumes are taken away under their processes, which still have everything: they are replaced, and no loss is told.',
  async run(world, fate) {
    await whole(world, fate);
    const gone = [fate.whole(0, 1), fate.whole(2, 3)];
    for (const id of gone) tearOut(world, fate, id);
    const reported = new Set<string>();
    const forget = world.kube.server.onEvent(() => {
      if (world.condition('DataLost') === 'True') reported.add('DataLost');
    });
    await world.until(() => gone.every((id) => world.node(id) === undefined), 900_000, 'both are replaced');
    forget();
    return {
      nodes: 4,
      ids: idsWithout(5, ...gone),
      problem: () => (reported.size > 0 ? 'a loss is told and there is none' : notWhole(world)),
    };
  },
};

export const LOSING_STORIES: readonly Scenario[] = [bothHomesLost, oneHomeLost, homesOutlived];

/** At rest, and its contents were compared. */
async function whole(world: MemberWorld, fate: Fate): Promise<void> {
  await rested(world, fate, 4);
  await world.until(() => world.cluster()?.status?.data?.state === 'Whole', 120_000, 'contents were compared');
}

function lose(world: MemberWorld, fate: Fate, id: number): void {
  world.kube.givenUp.add(`data-demo-${id}`);
  tearOut(world, fate, id);
  world.kill(id);
  world.removeObject('pods', `demo-${id}`);
}

function lossProblem(world: MemberWorld, gone: readonly number[]): string | undefined {
  const { data, conditions } = world.cluster()?.status ?? {};
  const losses = data?.losses ?? [];
  const reported = new Set(losses.flatMap(({ nodeIds }) => nodeIds));
  if (data?.state !== 'Lost' || findCondition(conditions, 'DataLost')?.status !== 'True') return 'the loss is not told';
  if (gone.some((id) => !reported.has(id)))
    return `the loss is told of ${[...reported].join()} and not of ${gone.join()}`;
  const partitions = lostPartitions(reported);
  const figure = losses.reduce((sum, one) => sum + one.partitions, 0);
  if (figure !== partitions.size) return `${figure} partitions are told and ${partitions.size} are lost`;
  const unreported = world.checkLedger().lost.filter((key) => !partitions.has(partitionOfKey(key)));
  return unreported.length === 0
    ? undefined
    : `${unreported.slice(0, 3).join()} are lost, and their partitions are not told`;
}

/** Partitions all of whose homes were among these, when there were four members. */
function lostPartitions(gone: ReadonlySet<number>): ReadonlySet<number> {
  const placement = placementOf(FIRST, 2);
  const all = Array.from({ length: PARTITIONS }, (_, pid) => pid);
  return new Set(all.filter((pid) => homesAt(placement, pid).every((id) => gone.has(id))));
}

function notWhole(world: MemberWorld): string | undefined {
  const { data } = world.cluster()?.status ?? {};
  if (data?.state === 'Whole' && data.lostNodeIds === undefined) return undefined;
  return `all is well, and the data is called ${data?.state} with ${data?.lostNodeIds?.join()} lost`;
}
