// Volumes are lost with records that only they held, or without such records: what the status reports must be true.

import { findCondition, homesAt, PARTITIONS, partitionOfKey, placementOf } from '@marekvs/api';
import type { Fate } from '../../fate/fate.ts';
import { type Goal, idsWithout, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, CLUSTERS, NAME } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { tearOut } from '../removal/without-volumes.ts';

const FIRST = [0, 1, 2, 3];

const bothHomesLost: Scenario = {
  name: 'both-homes-lost',
  story:
    'Two of four volumes are lost with their processes: exactly the partitions with both homes there are reported as lost, until a person acknowledges it.',
  async run(world, fate) {
    await whole(world, fate);
    const gone = [fate.whole(0, 1), fate.whole(2, 3)];
    for (const id of gone) {
      lose(world, fate, id);
      // The second goes at the same moment, or while the others notice; never after contents were compared again.
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
  story:
    'One of four volumes is lost with its process: the risk is reported until contents were compared, and no loss.',
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
    'Two of four volumes are deleted under their processes, which still have everything: they are replaced, and no loss is reported.',
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

const allSwept: Scenario = {
  name: 'all-volumes-swept',
  story:
    'All claims and Pods of a cluster are deleted with one command while the operator runs: no client is admitted to an empty store, or everything lost is reported.',
  async run(world, fate) {
    await whole(world, fate);
    for (const id of FIRST) {
      world.kube.givenUp.add(`data-demo-${id}`);
      world.removeObject(CLAIMS, `data-demo-${id}`);
    }
    for (const id of FIRST) {
      world.removeObject('pods', `demo-${id}`);
      await world.advance(fate.between(0, 200));
    }
    return allGone(world);
  },
};

const allLost: Scenario = {
  name: 'all-volumes-lost',
  story:
    'The volumes of all members are lost with their processes, one after the other, while the operator replaces them and may end itself: no client is admitted to an empty store, or everything lost is reported.',
  async run(world, fate) {
    await whole(world, fate);
    const ms = fate.pick([200, 2_000, 8_000, 30_000]);
    for (const id of [...FIRST].sort(() => fate.random() - 0.5)) {
      lose(world, fate, id);
      await world.advance(fate.between(0, ms));
      if (!fate.chance(0.2)) continue;
      fate.count('operatorKilled');
      world.operator.crash();
    }
    return allGone(world);
  },
};

/** None of the first members is left. Records that were not copied in time are reported; if nothing was copied, no
 *  member is let in, and a person starts again. */
async function allGone(world: MemberWorld): Promise<Goal> {
  const forget = judgeSilence(world);
  const isReported = () => isTotalLossReported(world) || world.condition('DataLost') === 'True' || world.isHealthy(4);
  await world.until(isReported, 600_000, 'what has happened is said');
  // Late members are let in by the next pass.
  await world.advance(120_000);
  const { lost, keys } = world.checkLedger();
  if (lost.length === keys && servingNodes(world) > 0)
    world.kube.violated(`${servingNodes(world)} serve, and nothing is left of what was written`);
  if (!isTotalLossReported(world))
    return {
      nodes: 4,
      isRiskReported: () => true,
      unmet: () => unlessReplaced(world),
      problem: () => unreported(world),
    };
  if (servingNodes(world) > 0) world.kube.violated(`${servingNodes(world)} serve after a total loss`);
  // A person who starts again knows about the loss.
  forget();
  world.removeObject(CLUSTERS, NAME);
  await world.until(() => world.cluster() === undefined && world.nodes().length === 0, 120_000, 'the cluster is gone');
  for (const { metadata } of world.kube.server.list(CLAIMS)) {
    world.kube.givenUp.add(metadata.name);
    world.removeObject(CLAIMS, metadata.name);
  }
  world.apply({ nodes: 4 });
  return { nodes: 4, isRiskReported: () => true };
}

/** No status may report the cluster Ready while unreported records are lost. */
function judgeSilence(world: MemberWorld): () => void {
  return world.kube.server.onEvent(({ resource }) => {
    if (resource !== CLUSTERS || world.condition('Ready') !== 'True') return;
    const problem = unreported(world);
    if (problem !== undefined) world.kube.violated(`called ready: ${problem}`);
  });
}

/** A problem when more partitions have lost records than are reported. */
function unreported(world: MemberWorld): string | undefined {
  const lost = new Set(world.checkLedger().lost.map(partitionOfKey));
  const { losses = [], lostNodeIds = [] } = world.cluster()?.status?.data ?? {};
  const reported = losses.reduce((sum, one) => sum + one.partitions, 0);
  if (lost.size <= reported || lostNodeIds.length > 0) return undefined;
  return `${lost.size} partitions have lost records, and ${reported} are told`;
}

function unlessReplaced(world: MemberWorld): string | undefined {
  const isAtRest = world.nodes().length === 4 && world.operationPhase() === undefined && servingNodes(world) === 4;
  return isAtRest ? undefined : 'not all are replaced';
}

function isTotalLossReported(world: MemberWorld): boolean {
  const stalled = findCondition(world.cluster()?.status?.conditions, 'Stalled');
  return stalled?.status === 'True' && stalled.reason === 'TotalLoss';
}

/** Counts only nodes with a Pod. */
function servingNodes(world: MemberWorld): number {
  return world.nodes().filter(({ spec }) => spec.serving === true && world.pod(spec.nodeId) !== undefined).length;
}

export const LOSING_STORIES: readonly Scenario[] = [bothHomesLost, oneHomeLost, homesOutlived, allSwept, allLost];

/** At rest, with contents compared. */
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

/** Partitions whose homes, among the first four members, are all in `gone`. */
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
