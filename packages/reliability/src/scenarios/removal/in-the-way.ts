// An obstacle to a removal: before it, the removal does not begin; in the middle, no member goes; once it is over, the
// removal completes. The obstacle is random, or given by the name of the scenario.

import type { Fate } from '../../fate/fate.ts';
import { type Goal, ids, pausedIn, podEnding, rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { LAST_OBSTACLES, LATER_OBSTACLES, OBSTACLES, type Obstacle } from './obstacles.ts';

/** Time until the obstacle can be known: an answer is asked for twice, a gauge is two seconds old. */
const KNOWN_MS = 15_000;
const WATCHED_MS = 40_000;
/** Members are asked every second, and some of their metrics are two seconds old. */
const PROOF_MS = 6_000;
/** Nothing read before the end of the obstacle may serve as proof. */
const AFTER_MS = 5_000;

export const inTheWay: Scenario = {
  name: 'in-the-way',
  story: 'One thing is wrong when a cluster is to shrink: no removal begins before it is put right.',
  run: (world, fate) => beforeRemoval(world, fate, fate.pick(OBSTACLES)),
};

export const halfWay: Scenario = {
  name: 'half-way',
  story: 'One thing goes wrong in the middle of a removal: no member leaves before it is put right.',
  run: (world, fate) => amidRemoval(world, fate, fate.pick(LATER_OBSTACLES)),
};

export const toTheEnd: Scenario = {
  name: 'to-the-end',
  story: 'One thing goes wrong when the member of a removal has gone: the removal is not over before it is put right.',
  run: (world, fate) => afterRemoval(world, fate, fate.pick(LAST_OBSTACLES)),
};

/** The same with one obstacle each: `in-the-way/mesh`. */
export const ONE_IN_THE_WAY: readonly Scenario[] = [
  ...OBSTACLES.map((obstacle) => ({
    name: `${inTheWay.name}/${obstacle.name}`,
    story: `A cluster is to shrink while ${obstacle.story}.`,
    run: (world: MemberWorld, fate: Fate) => beforeRemoval(world, fate, obstacle),
  })),
  ...LATER_OBSTACLES.map((obstacle) => ({
    name: `${halfWay.name}/${obstacle.name}`,
    story: `In the middle of a removal ${obstacle.story}.`,
    run: (world: MemberWorld, fate: Fate) => amidRemoval(world, fate, obstacle),
  })),
  ...LAST_OBSTACLES.map((obstacle) => ({
    name: `${toTheEnd.name}/${obstacle.name}`,
    story: `When the member of a removal has gone ${obstacle.story}.`,
    run: (world: MemberWorld, fate: Fate) => afterRemoval(world, fate, obstacle),
  })),
];

async function beforeRemoval(world: MemberWorld, fate: Fate, obstacle: Obstacle): Promise<Goal> {
  await rested(world, fate, 4, obstacle.spec);
  begin(world, obstacle);
  await world.advance(obstacle.knownMs ?? KNOWN_MS);
  world.edit({ nodes: 3 });
  const forget = world.kube.server.onEvent(({ resource }) => {
    const target = resource === CLUSTERS ? world.cluster()?.status?.operation?.target : undefined;
    if (target !== undefined) world.kube.violated(`the removal of ${target.name} begins while ${obstacle.story}`);
  });
  await world.advance(WATCHED_MS);
  forget();
  end(world, obstacle);
  return { nodes: 3 };
}

async function amidRemoval(world: MemberWorld, fate: Fate, obstacle: Obstacle): Promise<Goal> {
  await rested(world, fate, 4, obstacle.spec);
  world.edit({ nodes: 3 });
  const held = await pausedIn(world, 'Proving');
  begin(world, obstacle);
  await world.advance(PROOF_MS);
  held.goOn();
  let endedAtMs = Number.POSITIVE_INFINITY;
  const forget = world.kube.server.onEvent(({ resource }) => {
    if (resource !== CLUSTERS) return;
    const at = Date.parse(world.cluster()?.status?.operation?.proof?.pre?.at ?? '');
    if (at < endedAtMs) world.kube.violated(`demo-3 is proven to be dispensable while ${obstacle.story}`);
  });
  await world.advance(WATCHED_MS);
  endedAtMs = world.kube.nowMs();
  end(world, obstacle);
  await world.advance(AFTER_MS);
  forget();
  return { nodes: 3, ids: ids(0, 2) };
}

async function afterRemoval(world: MemberWorld, fate: Fate, obstacle: Obstacle): Promise<Goal> {
  await rested(world, fate, 4);
  world.edit({ nodes: 3 });
  await podEnding(world, 3);
  begin(world, obstacle);
  const beganAtMs = world.kube.nowMs();
  let endedAtMs = Number.POSITIVE_INFINITY;
  const forget = world.kube.server.onEvent(({ resource }) => {
    if (resource !== CLUSTERS) return;
    const at = Date.parse(world.cluster()?.status?.lastOperation?.proof?.post?.at ?? '');
    if (at > beganAtMs && at < endedAtMs) world.kube.violated(`the removal of demo-3 is over while ${obstacle.story}`);
  });
  await world.advance(WATCHED_MS);
  endedAtMs = world.kube.nowMs();
  end(world, obstacle);
  await world.advance(AFTER_MS);
  forget();
  return { nodes: 3, ids: ids(0, 2) };
}

function begin(world: MemberWorld, obstacle: Obstacle): void {
  world.kube.transcript.add('world', `from now on ${obstacle.story}`);
  obstacle.put(world);
}

function end(world: MemberWorld, obstacle: Obstacle): void {
  world.kube.transcript.add('world', `no longer: ${obstacle.story}`);
  obstacle.take(world);
}
