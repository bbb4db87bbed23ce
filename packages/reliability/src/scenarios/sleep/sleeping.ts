// All members of a cluster are stopped for a while and started again.

import type { MarekvsCluster } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { ids, idsWithout, rested, type Scenario, SHORT_GRACE } from '../../life/scenario.ts';
import { CLUSTERS } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { keptAndMarked } from '../hosts/hosts.ts';
import { delayRepairs, missPushes } from '../steps/only-there.ts';
import { awake, hit, killedOften, write } from './meanwhile.ts';

/** Isolating all members, comparing them, and ending the Pods. */
const ASLEEP_MS = 180_000;

const hibernated: Scenario = {
  name: 'hibernated',
  story: 'All members are stopped under the last writes of their clients, sleep for a while, and are woken together.',
  async run(world, fate) {
    await rested(world, fate, fate.pick([3, 4, 5]));
    const size = world.nodeIds().length;
    write(world, fate);
    world.edit({ hibernated: true });
    await world.advance(fate.between(0, 8_000));
    world.stopWriters();
    await asleep(world);
    await world.advance(30_000);
    const before = world.writes.length;
    await world.advance(fate.between(60_000, 600_000));
    if (world.writes.length > before) world.kube.violated('something is written about a cluster that sleeps');
    stillAsleep(world);
    world.edit({ hibernated: false });
    return awake(size);
  },
};

export const SLEEPING_STORIES: readonly Scenario[] = [
  hibernated,
  {
    name: 'hibernated-killed',
    story: 'The operator ends again and again while all members are stopped, and while they are woken.',
    async run(world, fate) {
      await rested(world, fate, 3);
      write(world, fate);
      world.edit({ hibernated: true });
      await killedOften(world, fate, 4);
      world.stopWriters();
      await asleep(world);
      await world.advance(fate.between(10_000, 60_000));
      world.edit({ hibernated: null });
      await killedOften(world, fate, 4);
      return awake(3);
    },
  },
  {
    name: 'hibernated-struck',
    story:
      'Members and Pods end by themselves while all are stopped or woken, and the request is taken back and made again.',
    async run(world, fate) {
      const size = fate.pick([3, 4, 5]);
      await rested(world, fate, size);
      write(world, fate);
      world.edit({ hibernated: true });
      await world.advance(fate.between(0, 25_000));
      hit(world, fate);
      if (fate.chance(0.5)) {
        world.edit({ hibernated: false });
        await world.advance(fate.between(0, 20_000));
        world.edit({ hibernated: true });
      }
      world.stopWriters();
      await asleep(world, 900_000);
      await world.advance(fate.between(0, 120_000));
      stillAsleep(world);
      world.edit({ hibernated: false });
      await world.advance(fate.between(0, 15_000));
      hit(world, fate);
      return awake(size);
    },
  },
  {
    name: 'hibernated-edited',
    story:
      'While all sleep another size, another number of homes and other settings are asked for: they come with the wake and after it.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ hibernated: true });
      await asleep(world);
      const nodes = fate.pick([3, 4, 5]);
      // With one home per key no member goes: that is another story.
      const replicationFactor = fate.pick(nodes < 4 ? [2, 3] : [1, 2, 3]);
      world.edit({ nodes, replicationFactor, gcGraceSeconds: 1_209_600, resources: { cpu: '250m' } });
      await world.advance(60_000);
      stillAsleep(world);
      const pending = (world.cluster()?.status?.pendingChanges ?? []).map(({ reason }) => reason);
      if (!pending.includes('Hibernated'))
        world.kube.violated(`what was edited meanwhile is not said to wait: ${pending}`);
      world.edit({ hibernated: false });
      const size = Math.max(nodes, replicationFactor + 1);
      return { nodes: size, withinMs: 900_000 };
    },
  },
  {
    name: 'hibernated-too-long',
    story:
      'All sleep for longer than deletions are remembered: nobody is started until the grace is raised, and then nothing is lost.',
    async run(world, fate) {
      await rested(world, fate, 3, SHORT_GRACE);
      world.edit({ hibernated: true });
      await asleep(world);
      await world.advance(fate.between(400_000, 900_000));
      world.edit({ hibernated: false });
      await world.advance(fate.between(10_000, 60_000));
      stillAsleep(world);
      const { message = '', blockedBy } = world.cluster()?.status ?? {};
      if (blockedBy !== 'HibernatedTooLong') world.kube.violated(`it is not said why nobody starts: ${message}`);
      const seconds = Number(/gcGraceSeconds to (\d+)/.exec(message)?.[1]);
      world.edit({ gcGraceSeconds: seconds });
      return awake(3);
    },
  },
  {
    name: 'hibernated-without-volume',
    story:
      'A volume is deleted while all sleep: the others wake, and a new node takes the place of the one that cannot.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ hibernated: true });
      await asleep(world);
      const id = fate.pick(ids(0, 3));
      fate.count('volumeDeleted');
      world.removeObject('persistentvolumeclaims', `data-demo-${id}`);
      await world.advance(fate.between(5_000, 60_000));
      stillAsleep(world);
      world.edit({ hibernated: false });
      return { nodes: 4, ids: ids(0, 4).filter((one) => one !== id), withinMs: 900_000, isRiskReported: () => true };
    },
  },
  {
    name: 'hibernated-while-removing',
    story: 'All are to stop while a node is being removed, or a node is to go while all stop: one after the other.',
    async run(world, fate) {
      await rested(world, fate, 5);
      const isRemovalFirst = fate.chance(0.5);
      world.edit(isRemovalFirst ? { nodes: 4 } : { hibernated: true });
      await world.advance(fate.between(0, 30_000));
      const isRemoving = world.cluster()?.status?.operation?.target !== undefined;
      world.edit({ nodes: 4, hibernated: true });
      if (isRemoving) await removedFirst(world);
      await asleep(world, 400_000);
      await world.advance(30_000);
      world.edit({ hibernated: false });
      return { nodes: 4, withinMs: 600_000 };
    },
  },
  {
    name: 'hibernated-unpushed',
    story: 'What clients wrote last through one member reaches nobody for a while: nobody is stopped before it has.',
    async run(world, fate) {
      await rested(world, fate, 3);
      delayRepairs(world, fate.between(25_000, 35_000));
      await missPushes(world, 2, 5_000);
      forbidStopping(world);
      world.edit({ hibernated: true });
      await world.advance(fate.between(60_000, 90_000));
      delayRepairs(world, 0);
      await asleep(world, 400_000);
      world.edit({ hibernated: false });
      return awake(3);
    },
  },
  {
    name: 'hibernated-host-lost',
    story:
      'A host goes while all sleep, and with it the disk of one member: the others wake, the status names the one that cannot, and a new node takes its place.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.bindVolumes();
      const id = fate.pick(ids(0, 3));
      const host = world.hostOf(id);
      const formedAt = world.cluster()?.status?.formed?.at;
      world.edit({ hibernated: true });
      await asleep(world);
      fate.count('hostLost');
      world.failHost(host);
      world.removeHost(host, false);
      await world.advance(fate.between(5_000, 60_000));
      stillAsleep(world);
      world.edit({ hibernated: false });
      const isNamed = (): boolean => {
        const { message = '' } = world.cluster()?.status ?? {};
        return message.includes(host) && message.includes(`kubectl mkv replace demo-${id}`);
      };
      await world.until(isNamed, 120_000, `it is said that demo-${id} waits for ${host}`);
      const problem = (): string | undefined =>
        world.cluster()?.status?.formed?.at === formedAt ? keptAndMarked(world, id, host) : 'it was formed anew';
      return { nodes: 4, ids: idsWithout(4, id), withinMs: 1_200_000, problem };
    },
  },
  {
    name: 'slept-and-woken',
    story: 'All members are stopped for a minute and woken, and nobody writes meanwhile.',
    async run(world, fate) {
      await rested(world, fate, 3);
      world.edit({ hibernated: true });
      await asleep(world);
      await world.advance(60_000);
      stillAsleep(world);
      world.edit({ hibernated: false });
      return awake(3);
    },
  },
];

/** The current removal ends before any member is stopped, and the hibernation is reported to wait for it. */
async function removedFirst(world: MemberWorld): Promise<void> {
  const said = new Set<string>();
  const forget = world.kube.server.onEvent(({ resource, object }) => {
    const { status } = object as Partial<MarekvsCluster>;
    if (resource !== CLUSTERS || status?.operation?.type === 'Hibernate') return;
    said.add(`${status?.message}`);
    if (world.nodeIds().some((id) => world.node(id)?.spec.stopped !== undefined))
      world.kube.violated('members are stopped in the middle of a removal');
  });
  const isOver = (): boolean => world.cluster()?.status?.operation?.target === undefined;
  await world.until(isOver, 400_000, 'the removal is over');
  forget();
  if (![...said].some((message) => message.includes('stopping all members waits')))
    world.kube.violated(`it is not said that stopping waits for the removal: ${[...said].join(' / ')}`);
}

/** Clients have stopped: stopping all members before every write is on all its homes is a violation. */
function forbidStopping(world: MemberWorld): void {
  world.kube.server.onEvent(({ resource, object, previous }) => {
    if (resource !== CLUSTERS || phaseIn(object) !== 'Stopping' || phaseIn(previous) === 'Stopping') return;
    const { incomplete } = world.checkLedger();
    if (incomplete.length > 0) world.kube.violated(`all stop with ${incomplete.length} writes not on all their homes`);
  });
}

function phaseIn(object: ApiObject | undefined): string | undefined {
  return (object as Partial<MarekvsCluster> | undefined)?.status?.operation?.phase;
}

async function asleep(world: MemberWorld, withinMs = ASLEEP_MS): Promise<void> {
  await world.until(() => world.cluster()?.status?.phase === 'Hibernated', withinMs, 'all are stopped');
  stillAsleep(world);
}

function stillAsleep(world: MemberWorld): void {
  const running = world.nodeIds().filter((id) => world.pod(id) !== undefined);
  if (running.length > 0) world.kube.violated(`demo-${running.join(' and demo-')} run while all are to be stopped`);
}
