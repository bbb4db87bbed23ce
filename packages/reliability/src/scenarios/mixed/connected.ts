// Clients that never hang up, while their members are restarted, stopped or removed for other reasons: nobody waits for
// them, and what they write until the end comes back with the volume.

import { ANNOTATIONS } from '@marekvs/api';
import type { Fate } from '../../fate/fate.ts';
import { STRIKES } from '../../fate/member-faults.ts';
import { ids, rested, type Scenario } from '../../life/scenario.ts';
import { NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { hasImage, NEXT } from '../rolling/images.ts';
import { pinClients, roamingClients } from '../steps/pinned.ts';

const ROLLED_MS = 600_000;
/** Of the time of a roll without clients: what they write has to be compared and copied as well. */
const NO_LONGER = 1.25;
/** A comparison, and the ends of the Pods. */
const STOPPED_MS = 45_000;

const rolled: Scenario = {
  name: 'rollout-connected',
  story: 'Another image reaches five members whose clients never hang up, in the time that it takes without clients.',
  async run(world, fate) {
    await rested(world, fate, 5);
    const aloneMs = await rolledTo(world, NEXT);
    await world.advance(30_000);
    fate.count('load');
    pinClients(world, ids(0, 4), { clients: 5, writesPerSecond: fate.between(1, 10) });
    const connectedMs = await rolledTo(world, 'marekvs:third');
    const problem = (): string | undefined =>
      connectedMs <= NO_LONGER * aloneMs
        ? undefined
        : `the roll took ${Math.round(connectedMs)} ms under clients that stay, and ${Math.round(aloneMs)} ms without`;
    return { nodes: 5, ids: ids(0, 4), problem };
  },
};

const hibernated: Scenario = {
  name: 'hibernated-connected',
  story: 'All members are stopped under clients that never hang up: these have their grace, and nobody waits longer.',
  async run(world, fate) {
    const clientGraceSeconds = fate.pick([0, 5, 20]);
    await rested(world, fate, 3, { removal: { clientGraceSeconds } });
    fate.count('load');
    pinClients(world, ids(0, 2), { writesPerSecond: 5 });
    world.edit({ hibernated: true });
    await stopped(world, ids(0, 2), clientGraceSeconds);
    await world.until(() => world.cluster()?.status?.phase === 'Hibernated', STOPPED_MS, 'all are stopped');
    world.stopWriters();
    await world.advance(fate.between(0, 60_000));
    world.edit({ hibernated: false });
    return { nodes: 3, ids: ids(0, 2), withinMs: 300_000 };
  },
};

const suspended: Scenario = {
  name: 'suspended-connected',
  story: 'One member is stopped under clients that never hang up: these have their grace, and nobody waits longer.',
  async run(world, fate) {
    const clientGraceSeconds = fate.pick([0, 5, 20]);
    await rested(world, fate, 4, { removal: { clientGraceSeconds } });
    const id = fate.whole(0, 3);
    fate.count('load');
    pinClients(world, [id], { writesPerSecond: 10 });
    const suspend = (words: string | null) =>
      world.annotate(NODES, `demo-${id}`, { [ANNOTATIONS.suspend]: words } as Readonly<Record<string, string>>);
    suspend('anna: its disk is checked');
    await stopped(world, [id], clientGraceSeconds);
    await world.until(() => world.node(id)?.status?.phase === 'Suspended', STOPPED_MS, `demo-${id} is off its volume`);
    await world.advance(fate.between(0, 60_000));
    suspend(null);
    return { nodes: 4, ids: ids(0, 3), withinMs: 300_000 };
  },
};

const twoOperators: Scenario = {
  name: 'two-operators-connected',
  story:
    'For up to half a minute, and again, two operators both believe to be the only one, and clients write to any Pod at any moment: one node goes, once, behind its closed door.',
  async run(world, fate) {
    await rested(world, fate, 4, { volumeRetention: { whenScaled: 'Delete' } });
    fate.count('load');
    roamingClients(world, { writesPerSecond: fate.between(5, 20) });
    world.edit({ nodes: 3 });
    await disturbed(world, fate);
    return { nodes: 3, ids: ids(0, 2) };
  },
};

export const CONNECTED_STORIES: readonly Scenario[] = [rolled, hibernated, suspended, twoOperators];

async function disturbed(world: MemberWorld, fate: Fate): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    await world.advance(fate.between(0, 12_000));
    fate.count('twoOperators');
    STRIKES.twoOperators(world, fate);
    await world.advance(fate.between(5_000, 25_000));
  }
}

async function rolledTo(world: MemberWorld, image: string): Promise<number> {
  world.edit({ image });
  const isDone = (): boolean =>
    hasImage(world, image) && world.isHealthy(5) && world.condition('RollingOut') !== 'True';
  return await world.until(isDone, ROLLED_MS, `all run ${image}`);
}

/** Waits until the Pods of these nodes end, which is not before their clients have had their grace, nor long after. */
async function stopped(world: MemberWorld, members: readonly number[], graceSeconds: number): Promise<void> {
  const isEnding = (id: number): boolean => world.pod(id)?.metadata.deletionTimestamp !== undefined;
  const tookMs = await world.until(() => members.some(isEnding), STOPPED_MS + graceSeconds * 1000, 'Pods end');
  if (tookMs < graceSeconds * 1000)
    world.kube.violated(`clients had ${Math.round(tookMs)} ms before their member ended`);
}
