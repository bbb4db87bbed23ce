// A removal closes the door of its member before it proves anything: what becomes of clients that never hang up, and is
// the member ever first home behind its closed door?

import type { MarekvsClusterSpec } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import type { Fate } from '../../fate/fate.ts';
import { ids, idsWithout, isSealed, rested, type Scenario } from '../../life/scenario.ts';
import { NODES, settingOf } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { pinClients, roamingClients } from '../steps/pinned.ts';

export const RECLAIMING: Partial<MarekvsClusterSpec> = { volumeRetention: { whenScaled: 'Delete' } };
/** What a removal takes while nothing but its clients is in its way: 40 to 60 s under writes. */
const USUAL_MS = 90_000;
/** The default of removal.clientGraceSeconds, and the time for all lists to be looked at. */
const GRACE_MS = 5_000;
/** A process is first home in a list for a moment when it starts: told four times a second or by its probes alone, for
 *  up to 1.4 s (docs/design/server.md#closed-door); its first probe may come a second late. */
const FIRST_HOME_MS = { drained: 1_500, byProbes: 2_500 };
const LOOK_MS = 100;

export const pinnedClient: Scenario = {
  name: 'pinned-client',
  story:
    'Clients that never hang up write to the member that is to go until its process ends: the removal takes its usual time, the volume is deleted, and every write is there.',
  async run(world, fate) {
    await rested(world, fate, 4, RECLAIMING);
    pin(world, fate, [3]);
    watchDoor(world, 3);
    watchGrace(world, 3);
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), USUAL_MS, '3 of 4 stay in the usual time');
    return { nodes: 3, ids: ids(0, 2), problem: () => reclaimed(world, 3) };
  },
};

const roaming: Scenario = {
  name: 'roaming-clients',
  story:
    'Clients write to any Pod at any moment, as by the headless name, all the while a cluster goes from 5 to 3 and its volumes are deleted.',
  async run(world, fate) {
    await rested(world, fate, 5, RECLAIMING);
    fate.count('load');
    roamingClients(world);
    for (const id of [3, 4]) watchDoor(world, id);
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 3 * USUAL_MS, '3 of 5 stay');
    return { nodes: 3, ids: ids(0, 2), problem: () => reclaimed(world, 3) ?? reclaimed(world, 4) };
  },
};

const replaced: Scenario = {
  name: 'pinned-replaced',
  story:
    'A person deletes a node, or drains its host, whose clients never hang up: its door is closed on that host, and it is replaced in the usual time.',
  async run(world, fate) {
    await rested(world, fate, 4, { ...RECLAIMING, hosts: { replaceOnDrain: true } });
    const id = fate.whole(0, 3);
    const host = world.hostOf(id);
    world.bindVolumes();
    pin(world, fate, [id]);
    watchDoor(world, id);
    if (fate.chance(0.5)) world.cordonHost(host);
    else world.removeObject(NODES, `demo-${id}`);
    await world.until(() => world.node(id) === undefined, 2 * USUAL_MS, `${id} is replaced`);
    return { nodes: 4, ids: idsWithout(4, id) };
  },
};

const restarted: Scenario = {
  name: 'sealed-restarted',
  story:
    'The kubelet restarts the member behind its closed door again and again, with or without an operator: its probes drain it, and what was proven before counts for nothing.',
  async run(world, fate) {
    await rested(world, fate, 4, RECLAIMING);
    pin(world, fate, [3]);
    world.edit({ nodes: 3 });
    await isSealed(world, 3);
    const isWithout = fate.chance(0.5);
    watchDoor(world, 3, isWithout ? FIRST_HOME_MS.byProbes : FIRST_HOME_MS.drained);
    if (isWithout) world.endOperator(world.operator);
    for (let n = fate.whole(1, 3); n > 0; n -= 1) {
      await world.advance(fate.between(0, 6_000));
      if (world.member(3) === undefined) continue;
      fate.count('memberKilled');
      world.kill(3);
    }
    await world.advance(fate.between(0, 10_000));
    if (isWithout) world.startOperator();
    return { nodes: 3, ids: ids(0, 2), problem: () => reclaimed(world, 3) };
  },
};

export const CLOSED_DOOR_STORIES: readonly Scenario[] = [pinnedClient, roaming, replaced, restarted];

export function pin(world: MemberWorld, fate: Fate, members: readonly number[]): void {
  fate.count('load');
  pinClients(world, members, { writesPerSecond: fate.between(5, 40) });
}

export function reclaimed(world: MemberWorld, id: number): string | undefined {
  return world.claim(id) === undefined ? undefined : `volume ${id} is still there`;
}

export function isSealedPod(pod: ApiObject | undefined): boolean {
  return settingOf(pod, 'MAREKVS_RESP_ADDR')?.startsWith('127.') === true;
}

/** From now on a member behind a closed door that is first home in any list for longer than this is a violation. */
function watchDoor(world: MemberWorld, id: number, limitMs = FIRST_HOME_MS.drained): void {
  let sinceMs: number | undefined;
  const look = (): void => {
    const generation = isSealedPod(world.pod(id)) ? world.member(id)?.generation : undefined;
    // What the others show of a process that has ended says nothing about the next one.
    const isShownFirst = (by: number): boolean =>
      world
        .member(by)
        ?.view.members.some((one) => one.id === id && one.generation === generation && one.phase === 'Active') === true;
    const isFirst = generation !== undefined && world.nodeIds().some((by) => by !== id && isShownFirst(by));
    sinceMs = isFirst ? (sinceMs ?? world.nowMs) : undefined;
    if (sinceMs !== undefined && world.nowMs - sinceMs > limitMs)
      world.kube.violated(
        `demo-${id} is first home behind its closed door for ${Math.round(world.nowMs - sinceMs)} ms`,
      );
    else world.kube.clock.after(LOOK_MS, look);
  };
  look();
}

/** The open Pod is ended only when all have shown its member drained for as long as clients have to move away. */
function watchGrace(world: MemberWorld, id: number): void {
  let sinceMs: number | undefined;
  const look = (): void => {
    const isDrained = world.nodeIds().every((by) => world.phaseShownBy(by, id) === 'Leaving');
    sinceMs = isDrained ? (sinceMs ?? world.nowMs) : undefined;
    const pod = world.pod(id);
    if (pod === undefined) return;
    if (pod.metadata.deletionTimestamp === undefined) return void world.kube.clock.after(LOOK_MS, look);
    const givenMs = sinceMs === undefined ? 0 : world.nowMs - sinceMs;
    if (givenMs < GRACE_MS) world.kube.violated(`the clients of demo-${id} had ${Math.round(givenMs)} ms to move away`);
  };
  look();
}
