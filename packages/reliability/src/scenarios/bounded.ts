// Bounded proofs: what is healthy is measured before a removal, and only what comes near to that counts as quiet in it.

import type { Fate } from '../fate/fate.ts';
import type { MemberWorld } from '../world/member-world.ts';
import { CLUSTERS } from '../world/world-view.ts';
import { forbidRemoval, ids, type Scenario } from './scenario.ts';

const BOUNDED = { removal: { proof: 'Bounded' as const } };
/** A baseline of 20 rounds after five in which copies settle, of five seconds at least (marekvs.md 5.7, load mode). */
const BASELINE_MS = 125_000;
/** Until there is one for certain. */
const MEASURED_MS = 190_000;

export const boundedAtOnce: Scenario = {
  name: 'bounded-at-once',
  story: 'A new cluster under load shrinks on a bounded proof: what is healthy there has to be seen first.',
  async run(world, fate) {
    await world.formed(4, BOUNDED);
    fate.begin();
    fate.count('load');
    world.startWriters({ clients: 2, writesPerSecond: 10, keys: 100 });
    world.edit({ nodes: 3 });
    forbidRemoval(world, 'before anybody knows what is healthy', BASELINE_MS);
    await world.until(() => world.isHealthy(3), 600_000, '3 of 4 stay under load');
    return { nodes: 3, ids: ids(0, 2) };
  },
};

export const boundedAfterCopies: Scenario = {
  name: 'bounded-after-copies',
  story: 'A cluster shrinks on a bounded proof right after a member has copied partitions: that time is no measure.',
  async run(world, fate) {
    await world.formed(4, BOUNDED);
    fate.begin();
    await world.advance(MEASURED_MS);
    world.member(1)?.metrics.add('bootstraps_completed_total', 40);
    await world.advance(fate.between(2_000, 8_000));
    world.edit({ nodes: 3 });
    forbidRemoval(world, 'right after a member has copied partitions', BASELINE_MS - 10_000);
    return { nodes: 3, ids: ids(0, 2) };
  },
};

export const boundedStorm: Scenario = {
  name: 'bounded-storm',
  story: 'In the middle of a removal on a bounded proof a member repairs far more than it did before: nobody goes.',
  async run(world, fate) {
    await world.formed(4, BOUNDED);
    fate.begin();
    await world.advance(MEASURED_MS);
    world.edit({ nodes: 3 });
    await world.until(() => world.node(3)?.spec.intent === 'Leaving', 180_000, 'the last one is told to leave');
    await storm(world, fate, 300);
    return { nodes: 3, ids: ids(0, 2) };
  },
};

export const boundedNoise: Scenario = {
  name: 'bounded-noise',
  story: 'A member repairs so much all the time that it can mean missing copies: no bounded proof is given on that.',
  async run(world, fate) {
    await world.formed(4, BOUNDED);
    fate.begin();
    world.setKnobs(1, { repairNoise: 400 });
    await world.advance(MEASURED_MS);
    world.edit({ nodes: 3 });
    await storm(world, fate, 400);
    return { nodes: 3, ids: ids(0, 2) };
  },
};

async function storm(world: MemberWorld, fate: Fate, records: number): Promise<void> {
  world.setKnobs(1, { repairNoise: records });
  const untilMs = world.kube.nowMs() + fate.between(60_000, 70_000);
  world.kube.server.onEvent(({ resource }) => {
    if (resource !== CLUSTERS) return;
    const at = Date.parse(world.cluster()?.status?.operation?.proof?.pre?.at ?? '');
    if (at < untilMs)
      world.kube.violated(`demo-3 is proven to be dispensable while a member repairs up to ${records} a round`);
  });
  await world.advance(untilMs - world.kube.nowMs());
  world.setKnobs(1, { repairNoise: 0 });
}
