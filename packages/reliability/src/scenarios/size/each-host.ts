// One member on every host with a label: hosts come and go, lose the label by mistake, are drained, lost, and come
// back. The size follows them, and no acknowledged write is lost.

import { ANNOTATIONS } from '@marekvs/api';
import type { Fate } from '../../fate/fate.ts';
import { type Goal, ids, idsWithout, type Scenario } from '../../life/scenario.ts';
import { type MemberWorld, NODES } from '../../world/member-world.ts';

const POOL = 'example.com/pool';
const HOSTS = { onePerHost: { nodeSelector: { [POOL]: 'db' } }, lostAfterSeconds: 120 };
/** Half a minute until a size counts, a removal and a join, some of them one after the other. */
const FOLLOWED_MS = 900_000;

export const EACH_HOST_STORIES: readonly Scenario[] = [
  {
    name: 'hosts-added',
    story:
      'Two more hosts get the label, and members join on both at once; one loses it, and its member is the one that goes.',
    async run(world, fate) {
      await each(world, fate, 4);
      label(world, 4, 5);
      await world.until(() => world.isHealthy(6), FOLLOWED_MS, 'six members, one on each of six hosts');
      const id = fate.whole(0, 5);
      const host = world.hostOf(id);
      if (fate.chance(0.5)) world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
      unlabel(world, host);
      if (fate.chance(0.5)) {
        fate.count('operatorKilled');
        world.kube.clock.after(fate.between(0, 30_000), () => world.operator.crash());
      }
      await world.until(() => world.node(id) === undefined, FOLLOWED_MS, 'the member of that host has gone');
      return onEach(world, 5, idsWithout(5, id));
    },
  },
  {
    name: 'label-back-in-time',
    story:
      'A host loses the label for less than half a minute, or for as long as its removal takes: no member leaves, or a member joins again.',
    async run(world, fate) {
      await each(world, fate, 5);
      const host = world.hostOf(fate.whole(0, 4));
      const isShort = fate.chance(0.5);
      unlabel(world, host);
      await world.advance(isShort ? fate.between(0, 25_000) : fate.between(30_000, 60_000));
      world.labelHost(host, POOL, 'db');
      return onEach(world, 5, isShort ? ids(0, 4) : undefined);
    },
  },
  {
    name: 'host-swapped',
    story:
      'The label goes from one host to another: the member moves where its volume can, else a new one joins there before it goes.',
    async run(world, fate) {
      await each(world, fate, 5);
      const canMove = fate.chance(0.5);
      if (canMove) world.freeVolumes();
      else world.bindVolumes();
      const host = world.hostOf(fate.whole(0, 4));
      const [first, second] = fate.chance(0.5) ? [host, 'host-5'] : ['host-5', host];
      for (const one of [first, second]) {
        if (one === host) unlabel(world, host);
        else world.labelHost(one, POOL, 'db');
        await world.advance(fate.between(0, 20_000));
      }
      return onEach(world, 5, undefined);
    },
  },
  {
    name: 'labels-lost',
    story:
      'Every host loses the label at once, by a mistake in the selector or a script: no member leaves, and the status reports it.',
    async run(world, fate) {
      await each(world, fate, 5);
      const hosts = [0, 1, 2, 3, 4].map((id) => world.hostOf(id));
      for (const host of hosts) unlabel(world, host);
      await world.advance(fate.between(60_000, 300_000));
      if (world.condition('Stalled') !== 'True') world.kube.violated('nobody is told that no host has the label');
      for (const host of hosts) world.labelHost(host, POOL, 'db');
      return onEach(world, 5, ids(0, 4));
    },
  },
  {
    name: 'selected-host-away',
    story:
      'A host with the label is cordoned, drained, or switched off for a moment: its member keeps its place, or comes back to it.',
    async run(world, fate) {
      await each(world, fate, 5);
      if (fate.chance(0.5)) world.freeVolumes();
      else world.bindVolumes();
      const id = fate.whole(0, 4);
      const host = world.hostOf(id);
      const isOff = fate.chance(0.3);
      if (isOff) {
        fate.count('hostLost');
        world.failHost(host);
        await world.advance(fate.between(1_000, 110_000));
        world.returnHost(host);
      } else {
        world.cordonHost(host);
        await world.advance(fate.between(0, 5_000));
        if (fate.chance(0.5)) world.removeObject('pods', `demo-${id}`);
        await world.advance(fate.between(1_000, 120_000));
        world.cordonHost(host, false);
      }
      return onEach(world, 5, ids(0, 4));
    },
  },
  {
    name: 'selected-host-gone',
    story:
      'A host with the label is off for good and its Node is deleted, soon or late: one member less, without another one in its place.',
    async run(world, fate) {
      await each(world, fate, 5);
      world.bindVolumes();
      const id = fate.whole(0, 4);
      const host = world.hostOf(id);
      world.kube.server.onEvent(({ type, resource, object }) => {
        if (resource === NODES && type === 'ADDED')
          world.kube.violated(`${object.metadata.name} is made, and no host is free for it`);
      });
      fate.count('hostLost');
      world.failHost(host);
      if (fate.chance(0.5)) {
        const isGivenUp = () => world.node(id)?.metadata.annotations?.[ANNOTATIONS.hostLost] !== undefined;
        await world.until(isGivenUp, 400_000, 'it is given up');
      }
      await world.advance(fate.between(0, 60_000));
      world.removeHost(host, fate.chance(0.5));
      return onEach(world, 4, idsWithout(4, id));
    },
  },
  {
    name: 'few-hosts',
    story:
      'Two hosts have the label, and three members are the fewest there may be: they share, until a third host has it.',
    async run(world, fate) {
      label(world, 0, 1);
      await world.formed(3, { hosts: HOSTS });
      fate.begin();
      if (world.condition('Stalled') !== 'True') world.kube.violated('nobody is told that hosts are missing');
      await world.advance(fate.between(0, 60_000));
      if (fate.chance(0.5)) world.freeVolumes();
      else world.bindVolumes();
      label(world, 2, 2);
      return onEach(world, 3, undefined);
    },
  },
];

/** A cluster with one member on each of the first `hosts` hosts, which has taken writes. */
async function each(world: MemberWorld, fate: Fate, hosts: number): Promise<void> {
  label(world, 0, hosts - 1);
  world.apply({ nodes: 3, hosts: HOSTS });
  await world.until(() => world.isHealthy(hosts), 180_000, `${hosts} members form, one on each host`);
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
  await world.advance(10_000);
  world.stopWriters();
  await world.advance(50_000);
  fate.begin();
}

function label(world: MemberWorld, from: number, to: number): void {
  for (const index of ids(from, to)) world.labelHost(`host-${index}`, POOL, 'db');
}

function unlabel(world: MemberWorld, host: string): void {
  world.labelHost(host, POOL, 'none');
}

function onEach(world: MemberWorld, nodes: number, left: readonly number[] | undefined): Goal {
  const isThere = (): boolean =>
    world.isHealthy(nodes) && (left === undefined || world.nodeIds().join() === left.join());
  return {
    nodes,
    ...(left === undefined ? {} : { ids: left }),
    withinMs: 1_800_000,
    unmet: () =>
      placeProblem(world) ??
      (isThere() ? undefined : `nodes ${world.nodeIds().join()} are there, not healthy at ${nodes}`),
    problem: () => placeProblem(world),
  };
}

function placeProblem(world: MemberWorld): string | undefined {
  const places = world.nodeIds().map((id) => ({ id, host: world.hostOf(id) }));
  const hosts = new Set(places.map(({ host }) => host));
  const other = places.find(
    ({ host }) => world.kube.server.find('nodes', { name: host })?.metadata.labels?.[POOL] !== 'db',
  );
  if (other !== undefined) return `demo-${other.id} is on ${other.host}, which does not have the label`;
  return hosts.size === places.length ? undefined : `${places.length} members on ${hosts.size} hosts`;
}
