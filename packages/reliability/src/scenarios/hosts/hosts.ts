// Lost hosts: a member whose volume was on that host alone is replaced by a new one, a member whose volume can move
// follows it, and none is replaced when several hosts go at once. The others have all acknowledged writes, and a host
// that comes back is used again.

import { ANNOTATIONS } from '@marekvs/api';
import type { Fate } from '../../fate/fate.ts';
import { ids, idsWithout, isLeavingPod, rested, type Scenario } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';

const LOST_AFTER_SECONDS = 120;

/** While a member is being removed a host fails: its own, or that of another member. */
function hostLostLeaving(name: string, story: string, isOwn: boolean): Scenario {
  return {
    name,
    story,
    async run(world, fate) {
      await rested(world, fate, 5, {
        hosts: { lostAfterSeconds: LOST_AFTER_SECONDS },
        removal: { deadlineSeconds: 300 },
      });
      world.bindVolumes();
      for (const each of world.nodeIds()) world.setKnobs(each, { contents: 'close' });
      world.edit({ nodes: 4 });
      await isLeavingPod(world, 4);
      const id = isOwn ? 4 : fate.whole(0, 3);
      const host = world.hostOf(id);
      fail(world, fate, host);
      await world.advance(fate.between(0, 60_000));
      for (const each of world.nodeIds()) if (each !== id) world.setKnobs(each, { contents: 'ok' });
      world.removeHost(host, fate.chance(0.5));
      return { nodes: 4, ids: idsWithout(4, id), withinMs: 3_600_000 };
    },
  };
}

export const HOST_STORIES: readonly Scenario[] = [
  {
    name: 'host-lost',
    story:
      'A host with a local volume is off: after its time a new node joins, and the old one goes when a person confirms that the host is off for good.',
    async run(world, fate) {
      const { id, host } = await failing(world, fate);
      await world.until(() => world.member(4)?.phase === 'Active', 400_000, 'a new member has joined');
      await world.until(
        () => world.condition('FullyReplicated') === 'True',
        180_000,
        'those that are left are compared',
      );
      await world.advance(fate.between(5_000, 120_000));
      if (world.node(id) === undefined) world.kube.violated(`demo-${id} is gone, and its host may be on`);
      if (fate.chance(0.5)) world.removeHost(host, fate.chance(0.5));
      else world.taintHost(host);
      return { nodes: 4, ids: idsWithout(4, id), problem: () => keptAndMarked(world, id, host) };
    },
  },
  {
    name: 'host-gone',
    story:
      'A host with a local volume is off and its Node is deleted: its member is replaced without any further order.',
    async run(world, fate) {
      const { id, host } = await failing(world, fate);
      await world.advance(fate.between(0, 30_000));
      world.removeHost(host, fate.chance(0.5));
      return { nodes: 4, ids: idsWithout(4, id), problem: () => keptAndMarked(world, id, host) };
    },
  },
  {
    name: 'host-back',
    story:
      'A host with a local volume is off for less than its time, or comes back while its member is being replaced.',
    async run(world, fate) {
      const { id, host } = await failing(world, fate);
      const isLate = fate.chance(0.5);
      if (isLate) await world.until(() => isMarked(world, id), 400_000, 'it is being replaced');
      await world.advance(isLate ? fate.between(0, 3_000) : fate.between(1_000, 110_000));
      world.returnHost(host);
      await world.until(() => world.isHealthy(4), 600_000, 'four members again');
      const early =
        isLate || world.nodeIds().join() === ids(0, 3).join() ? undefined : 'somebody was replaced too early';
      return { nodes: 4, problem: () => early };
    },
  },
  {
    name: 'host-moved',
    story:
      'A host is off whose volumes can move: once its Node is deleted, or marked as out of service, the member is back on another host.',
    async run(world, fate) {
      const { id, host } = await failing(world, fate, { isMovable: true });
      await world.advance(fate.between(0, 400_000));
      const isGone = fate.chance(0.5);
      if (isGone) world.removeHost(host, fate.chance(0.5));
      else world.taintHost(host);
      await world.until(() => world.member(id)?.phase === 'Active', 600_000, 'it is back on another host');
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  {
    name: 'hosts-lost',
    story:
      'Two hosts with local volumes are off: no member is replaced automatically, and when one is back the other one is.',
    async run(world, fate) {
      await rested(world, fate, 4, { hosts: { lostAfterSeconds: LOST_AFTER_SECONDS } });
      world.bindVolumes();
      const [a, b] = [fate.whole(0, 1), fate.whole(2, 3)];
      const [first, second] = [world.hostOf(a), world.hostOf(b)];
      fail(world, fate, first);
      await world.advance(fate.between(0, 60_000));
      fail(world, fate, second);
      if (fate.chance(0.5)) world.removeHost(second, fate.chance(0.5));
      await world.advance(fate.between(300_000, 600_000));
      if (isMarked(world, a) || isMarked(world, b)) world.kube.violated('a node is given up while two hosts are lost');
      if (world.condition('Stalled') !== 'True') world.kube.violated('nobody is told that two hosts are lost');
      world.returnHost(first);
      if (world.kube.server.find('nodes', { name: second }) === undefined)
        return { nodes: 4, ids: idsWithout(4, b), withinMs: 1_200_000 };
      world.returnHost(second);
      return { nodes: 4, ids: ids(0, 3), withinMs: 1_200_000 };
    },
  },
  {
    name: 'host-never',
    story:
      'A host with a local volume is off, and the spec says never: no member is replaced before a person deletes the node.',
    async run(world, fate) {
      const { id, host } = await failing(world, fate, { lostAfterSeconds: 0 });
      await world.advance(fate.between(600_000, 900_000));
      if (isMarked(world, id)) world.kube.violated('a node is given up that nobody wanted to be');
      world.returnHost(host);
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  {
    name: 'host-drained',
    story: 'A host is cordoned under a member while clients write: the member moves to another one, with every record.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.freeVolumes();
      const id = fate.whole(0, 3);
      const host = world.hostOf(id);
      if (fate.chance(0.5)) world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
      world.cordonHost(host);
      await world.until(() => hasLeft(world, id, host), 300_000, 'it is on another host');
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  {
    name: 'hosts-drained',
    story: 'The hosts of all members but one are cordoned at once: they move one after the other, never two at a time.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.freeVolumes();
      const hosts = [0, 1, 2].map((id) => world.hostOf(id));
      for (const host of hosts) world.cordonHost(host);
      if (fate.chance(0.5)) {
        fate.count('operatorKilled');
        world.kube.clock.after(fate.between(0, 60_000), () => world.operator.crash());
      }
      const haveLeft = () => hosts.every((host, id) => hasLeft(world, id, host));
      await world.until(haveLeft, 900_000, 'all are on other hosts');
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  {
    name: 'drain-undone',
    story:
      'A host is cordoned under a member and uncordoned again, before, while or after the member moves: it serves, wherever.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.freeVolumes();
      const host = world.hostOf(fate.whole(0, 3));
      world.cordonHost(host);
      await world.advance(fate.between(0, 15_000));
      world.cordonHost(host, false);
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  {
    name: 'drained-bound',
    story:
      'A host is cordoned under a member whose volume is a disk of it: no member is restarted, and the status says why.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.bindVolumes();
      const id = fate.whole(0, 3);
      const uid = world.pod(id)?.metadata.uid;
      world.cordonHost(world.hostOf(id));
      await world.advance(fate.between(60_000, 180_000));
      const problem = (): string | undefined =>
        world.pod(id)?.metadata.uid === uid
          ? undefined
          : `demo-${id} was restarted, and its volume can be nowhere else`;
      return { nodes: 4, ids: ids(0, 3), problem };
    },
  },
  hostLostLeaving(
    'leaving-host-lost',
    'The host of a member that is being removed is off with its disk: the removal is taken back, and the member goes as one that was on a lost host.',
    true,
  ),
  hostLostLeaving(
    'other-host-lost',
    'While a member is being removed the host of another one is off with its disk: the first one is taken back, and the second one is given up.',
    false,
  ),
  {
    name: 'settling-host-lost',
    story:
      'A removed member has no volume any more from which it could come back, and the host of another one is off with its disk before the copies are seen: the others go on without it.',
    async run(world, fate) {
      await rested(world, fate, 5, { hosts: { lostAfterSeconds: LOST_AFTER_SECONDS } });
      world.bindVolumes();
      world.edit({ nodes: 4 });
      await world.until(() => world.node(4) === undefined, 180_000, 'demo-4 is gone');
      for (const each of world.nodeIds()) world.setKnobs(each, { contents: 'close' });
      world.removeObject('persistentvolumeclaims', 'data-demo-4');
      // By then the others have the copies, and the operator has not seen that.
      await world.advance(fate.between(40_000, 60_000));
      const id = fate.whole(0, 3);
      const host = world.hostOf(id);
      fail(world, fate, host);
      for (const each of world.nodeIds()) if (each !== id) world.setKnobs(each, { contents: 'ok' });
      await world.advance(fate.between(0, 30_000));
      world.removeHost(host, fate.chance(0.5));
      return { nodes: 4, ids: idsWithout(5, 4, id), withinMs: 1_800_000 };
    },
  },
];

function hasLeft(world: MemberWorld, id: number, host: string): boolean {
  return world.hostOf(id) !== host && world.member(id)?.phase === 'Active';
}

/** Four members, one of them on a host that has just failed, together with its disk unless the volume can move. */
async function failing(
  world: MemberWorld,
  fate: Fate,
  { lostAfterSeconds = LOST_AFTER_SECONDS, isMovable = false } = {},
): Promise<{ readonly id: number; readonly host: string }> {
  await rested(world, fate, 4, { hosts: { lostAfterSeconds } });
  if (isMovable) world.freeVolumes();
  else world.bindVolumes();
  const id = fate.whole(0, 3);
  const host = world.hostOf(id);
  fail(world, fate, host);
  return { id, host };
}

function fail(world: MemberWorld, fate: Fate, host: string): void {
  fate.count('hostLost');
  world.failHost(host);
}

function isMarked(world: MemberWorld, id: number): boolean {
  return world.node(id)?.metadata.annotations?.[ANNOTATIONS.hostLost] !== undefined;
}

export function keptAndMarked(world: MemberWorld, id: number, host: string): string | undefined {
  const claim = world.claim(id);
  if (claim === undefined) return `volume ${id} is gone`;
  const annotated = claim.metadata.annotations?.[ANNOTATIONS.hostLost];
  return annotated === host ? undefined : `volume ${id} is said to be on ${annotated}, not on ${host}`;
}
