// All members of a cluster are stopped for a while and started again; or one member alone, for repair by hand.

import { ANNOTATIONS, type MarekvsCluster } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import type { Fate } from '../../fate/fate.ts';
import { type Goal, ids, idsWithout, rested, type Scenario, SHORT_GRACE } from '../../life/scenario.ts';
import { CLUSTERS, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { keptAndMarked } from '../hosts/hosts.ts';
import { delayRepairs, missPushes } from '../steps/only-there.ts';

/** Isolating all members, comparing them, and ending the Pods. */
const ASLEEP_MS = 180_000;

export const hibernated: Scenario = {
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

export const hibernatedKilled: Scenario = {
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
};

export const hibernatedStruck: Scenario = {
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
};

export const hibernatedEdited: Scenario = {
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
};

export const hibernatedTooLong: Scenario = {
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
};

export const hibernatedWithoutVolume: Scenario = {
  name: 'hibernated-without-volume',
  story: 'A volume is deleted while all sleep: the others wake, and a new node takes the place of the one that cannot.',
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
};

export const hibernatedHostLost: Scenario = {
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
};

export const sleptAndWoken: Scenario = {
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
};

export const offAndBack: Scenario = {
  name: 'off-and-back',
  story: 'One member is off its volume for a minute and comes back, and nobody writes meanwhile.',
  async run(world, fate) {
    await rested(world, fate, 3);
    suspend(world, 1);
    await offItsVolume(world, 1);
    await world.advance(60_000);
    offNow(world, 1);
    resume(world, 1);
    return awake(3);
  },
};

export const hibernatedWhileRemoving: Scenario = {
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
};

export const suspendedBesideCrash: Scenario = {
  name: 'suspended-beside-crash',
  story:
    'While one member is off its volume, or on its way there or back, another one crashes, a node is deleted, or the operator ends.',
  async run(world, fate) {
    const size = fate.pick([4, 5]);
    await rested(world, fate, size);
    write(world, fate);
    const id = fate.pick(ids(0, size - 1));
    suspend(world, id);
    await world.advance(fate.between(0, 15_000));
    hit(world, fate, id);
    if (fate.chance(0.4)) await killedOften(world, fate, 2);
    await offItsVolume(world, id, 600_000);
    hit(world, fate, id);
    await world.advance(fate.between(20_000, 60_000));
    resume(world, id);
    await world.advance(fate.between(0, 10_000));
    hit(world, fate, id);
    world.stopWriters();
    return awake(size);
  },
};

export const suspendedAndAsked: Scenario = {
  name: 'suspended-and-asked',
  story:
    'While one member is off its volume a second one shall be, the size and the template change, and all shall stop: one after the other.',
  async run(world, fate) {
    await rested(world, fate, 5);
    const [first, second] = [fate.pick([0, 1]), fate.pick([2, 3, 4])];
    suspend(world, first);
    await offItsVolume(world, first);
    suspend(world, second, 'bert');
    world.edit({ nodes: 4, resources: { cpu: '250m' } });
    await world.advance(fate.between(30_000, 90_000));
    offNow(world, first);
    if (world.pod(second) === undefined) world.kube.violated('two members are off their volumes at the same time');
    if (world.nodeIds().length !== 5) world.kube.violated('a node is removed while one member is off its volume');
    resume(world, second);
    resume(world, first);
    return { nodes: 4, withinMs: 900_000 };
  },
};

export const suspendedTooLong: Scenario = {
  name: 'suspended-too-long',
  story:
    'A member is off its volume for longer than deletions are remembered: it is not started, and is replaced when a person says so.',
  async run(world, fate) {
    await rested(world, fate, 4, SHORT_GRACE);
    const id = fate.pick(ids(0, 3));
    suspend(world, id);
    await offItsVolume(world, id);
    await world.advance(fate.between(400_000, 600_000));
    resume(world, id);
    await world.advance(60_000);
    offNow(world, id);
    if (world.cluster()?.status?.blockedBy !== 'SuspendedTooLong')
      world.kube.violated('it is not said why it stays away');
    world.removeObject(NODES, `demo-${id}`);
    return { nodes: 4, ids: ids(0, 4).filter((one) => one !== id), withinMs: 900_000, isRiskReported: () => true };
  },
};

export const hibernatedUnpushed: Scenario = {
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
};

export const suspendedUnpushed: Scenario = {
  name: 'suspended-unpushed',
  story:
    'What clients wrote through the member that is to be off its volume reaches nobody for a while: it is not stopped before it has.',
  async run(world, fate) {
    await rested(world, fate, 3);
    delayRepairs(world, fate.between(25_000, 35_000));
    await missPushes(world, 2, 5_000);
    suspend(world, 2);
    await world.advance(fate.between(60_000, 90_000));
    delayRepairs(world, 0);
    await offItsVolume(world, 2, 400_000);
    resume(world, 2);
    return awake(3);
  },
};

export const suspended: Scenario = {
  name: 'suspended',
  story: 'One member is suspended while clients write, stays down for a while, and comes back on its volume.',
  async run(world, fate) {
    const size = fate.pick([3, 4, 5]);
    await rested(world, fate, size);
    write(world, fate);
    const id = fate.pick(ids(0, size - 1));
    suspend(world, id);
    await offItsVolume(world, id);
    await world.advance(fate.between(30_000, 300_000));
    offNow(world, id);
    resume(world, id);
    await world.advance(fate.between(0, 20_000));
    world.stopWriters();
    return awake(size);
  },
};

export const SLEEPING_STORIES: readonly Scenario[] = [
  hibernated,
  hibernatedKilled,
  hibernatedStruck,
  hibernatedEdited,
  hibernatedTooLong,
  hibernatedWithoutVolume,
  hibernatedWhileRemoving,
  hibernatedUnpushed,
  hibernatedHostLost,
  sleptAndWoken,
  suspended,
  suspendedBesideCrash,
  suspendedAndAsked,
  suspendedTooLong,
  suspendedUnpushed,
  offAndBack,
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

/** Ends the operator and starts another one a while later, `times` times. */
async function killedOften(world: MemberWorld, fate: Fate, times: number): Promise<void> {
  world.restartMs = fate.between(500, 6_000);
  for (let n = 0; n < times; n += 1) {
    await world.advance(fate.between(200, 5_000));
    world.endOperator(world.operator);
    fate.count('operatorKilled');
    await world.advance(world.restartMs);
    world.startOperator();
  }
}

/** Kills a member or deletes its Pod, if any member runs. */
function hit(world: MemberWorld, fate: Fate, except?: number): void {
  const there = world.nodeIds().filter((id) => id !== except && world.member(id) !== undefined);
  if (there.length === 0) return;
  const id = fate.pick(there);
  if (fate.chance(0.5)) {
    fate.count('memberKilled');
    world.kill(id);
  } else {
    fate.count('podDeleted');
    world.removeObject('pods', `demo-${id}`);
  }
}

function suspend(world: MemberWorld, id: number, words = 'anna: its disk is checked'): void {
  world.annotate(NODES, `demo-${id}`, { [ANNOTATIONS.suspend]: words });
}

function resume(world: MemberWorld, id: number): void {
  world.kube.transcript.add('user', `lets demo-${id} run again`);
  const live = world.kube.server.get(NODES, { namespace: 'default', name: `demo-${id}` });
  const { [ANNOTATIONS.suspend]: _words, ...annotations } = live.metadata.annotations ?? {};
  world.kube.server.update(NODES, { ...live, metadata: { ...live.metadata, annotations } });
}

async function offItsVolume(world: MemberWorld, id: number, withinMs = 180_000): Promise<void> {
  await world.until(() => world.node(id)?.status?.phase === 'Suspended', withinMs, `demo-${id} is off its volume`);
  offNow(world, id);
}

function offNow(world: MemberWorld, id: number): void {
  if (world.pod(id) !== undefined) world.kube.violated(`demo-${id} runs while it is to be off its volume`);
}

function write(world: MemberWorld, fate: Fate): void {
  fate.count('load');
  world.startWriters({ clients: 2, writesPerSecond: fate.between(5, 30), keys: 150 });
}

async function asleep(world: MemberWorld, withinMs = ASLEEP_MS): Promise<void> {
  await world.until(() => world.cluster()?.status?.phase === 'Hibernated', withinMs, 'all are stopped');
  stillAsleep(world);
}

function stillAsleep(world: MemberWorld): void {
  const running = world.nodeIds().filter((id) => world.pod(id) !== undefined);
  if (running.length > 0) world.kube.violated(`demo-${running.join(' and demo-')} run while all are to be stopped`);
}

function awake(nodes: number): Goal {
  return { nodes, ids: ids(0, nodes - 1), withinMs: 300_000 };
}
