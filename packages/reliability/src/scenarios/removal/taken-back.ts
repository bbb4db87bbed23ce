// A removal is called off while another member is impaired. The target takes its place back by a restart, and until
// then it is a full home: waiting loses nothing, while a restart at once would take down the second of two homes.

import type { Fate } from '../../fate/fate.ts';
import { ids, idsWithout, isLeavingPod, reached, refuseFor, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { lateFor } from '../unseen/unseen.ts';
import { tearOut } from './without-volumes.ts';

/** The answer to a patch of one object of demo-3 is lost and its watch is late, and the removal is called off before
 *  the operator knows of its own write.
 *  @param written waits until that patch is stored */
function calledOffUnheard(
  name: string,
  story: string,
  resource: string,
  written: (world: MemberWorld, isLost: () => boolean) => Promise<unknown>,
): Scenario {
  return {
    name,
    story,
    async run(world, fate) {
      await rested(world, fate, 4);
      lateFor(world, resource);
      let isLost = false;
      world.fateOf = (request) => {
        if (isLost || request.verb !== 'patch' || request.resource !== resource || request.name !== 'demo-3')
          return 'pass';
        isLost = true;
        return 'lose';
      };
      world.setKnobs(3, { pushLossRate: 1 });
      world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
      world.edit({ nodes: 3 });
      await written(world, () => isLost);
      await world.advance(fate.between(0, 3_000));
      world.edit({ nodes: 4 });
      await world.advance(60_000);
      world.stopWriters();
      world.lagMs = () => 2;
      return { nodes: 4, ids: ids(0, 3) };
    },
  };
}

export const TAKEN_BACK_STORIES: readonly Scenario[] = [
  {
    name: 'cancel-beside-pod',
    story:
      'A removal is called off right after a person has deleted the Pod of another member, which cannot be made again for minutes: the target is restarted when that one is back.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const target = fate.pick([1, 3]);
      world.annotate(NODES, `demo-${target}`, { 'marekvs.io/remove-first': 'true' });
      world.edit({ nodes: 3 });
      await isLeavingPod(world, target);
      await world.advance(fate.between(0, 3_000));
      const other = fate.pick([0, 2]);
      forbidRestart(world, target, () => (isUp(world, other) ? undefined : `while demo-${other} is down`));
      fate.count('podDeleted');
      world.removeObject('pods', `demo-${other}`);
      refuseFor(world, LONG_MS, 'pods');
      await world.advance(fate.between(0, 1_500));
      world.edit({ nodes: 4 });
      await world.advance(LONG_MS);
      return { nodes: 4, ids: ids(0, 3), withinMs: 300_000 };
    },
  },
  {
    name: 'cancel-beside-unseen',
    story:
      'A removal is called off, a person deletes the Pod of another member in the moment in which the target may be restarted, and the operator hears of it late: the target is restarted when that one is back.',
    async run(world, fate) {
      const other = await oneLeaves(world, fate);
      world.edit({ nodes: 4 });
      await isReinstated(world);
      lateFor(world, 'pods');
      fate.count('podDeleted');
      world.removeObject('pods', `demo-${other}`);
      forbidRestart(world, 3, () => (isUp(world, other) ? undefined : `while demo-${other} is down`));
      await world.advance(30_000);
      world.lagMs = () => 2;
      return { nodes: 4, ids: ids(0, 3), withinMs: 300_000 };
    },
  },
  {
    name: 'cancel-beside-volume',
    story:
      'A removal is called off when the volume of another member is deleted by force at the same moment: the target is restarted once a new member has replaced that one, which takes minutes.',
    async run(world, fate) {
      const other = await oneLeaves(world, fate);
      forbidRestart(world, 3, () => {
        const sound = world.nodeIds().filter((id) => id !== 3 && world.claim(id) !== undefined && isUp(world, id));
        return sound.length >= 3 ? undefined : `beside ${sound.length} members with volumes`;
      });
      // At the same moment: without the wish for four the target itself would take that place.
      tearOut(world, fate, other);
      refuseFor(world, LONG_MS, CLAIMS);
      world.edit({ nodes: 4 });
      await world.advance(UNHEARD_MS);
      // If it was called off too late, both are replaced.
      const isGoing = world.node(3)?.metadata.deletionTimestamp !== undefined || world.node(3) === undefined;
      await world.until(() => world.node(other) === undefined, 600_000, `${other} is replaced`);
      return isGoing ? { nodes: 4 } : { nodes: 4, ids: idsWithout(4, other) };
    },
  },
  {
    name: 'cancel-beside-deleted',
    story:
      'A removal is called off because the volume of another member is deleted, and a person deletes two more nodes: those are held back and keep running, so the target is restarted beside them.',
    async run(world, fate) {
      await rested(world, fate, 5);
      world.edit({ nodes: 4 });
      await isLeavingPod(world, 4);
      fate.count('volumeDeleted');
      world.removeObject(CLAIMS, 'data-demo-0');
      for (const id of [1, 3]) {
        await world.advance(fate.between(0, 500));
        fate.count('nodeDeleted');
        world.removeObject(NODES, `demo-${id}`);
      }
      return { nodes: 4 };
    },
  },
  {
    name: 'cancel-beside-crashed',
    story:
      'A removal is called off, a person deletes another node, and the process of that one ends and is started again: the target is restarted when it is back.',
    async run(world, fate) {
      const other = await oneLeaves(world, fate);
      fate.count('nodeDeleted');
      world.removeObject(NODES, `demo-${other}`);
      world.edit({ nodes: 4 });
      forbidRestart(world, 3, () =>
        isUp(world, other) || world.wasStruckWithin(other, UNHEARD_MS) ? undefined : `while demo-${other} is down`,
      );
      // Clients have five seconds before the target is restarted.
      await world.advance(fate.between(4_000, 9_000));
      world.kill(other);
      return { nodes: 4 };
    },
  },
  {
    name: 'cancel-beside-recreated',
    story:
      'A removal is called off, a person deletes another node and its Pod, and a new Pod cannot be made for some seconds: the target is restarted when that one is back.',
    async run(world, fate) {
      const other = await oneLeaves(world, fate);
      fate.count('nodeDeleted');
      world.removeObject(NODES, `demo-${other}`);
      fate.count('podDeleted');
      world.removeObject('pods', `demo-${other}`);
      refuseFor(world, fate.between(2_000, 10_000), 'pods');
      forbidRestart(world, 3, () => (isUp(world, other) ? undefined : `while demo-${other} is down`));
      world.edit({ nodes: 4 });
      return { nodes: 4 };
    },
  },
  {
    name: 'cancel-with-new-pod',
    story:
      'A removal is called off, a person deletes the Pod of its target, and no operator runs for half a minute: the new Pod serves, and is told neither to leave nor to end.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await isLeavingPod(world, 3);
      world.edit({ nodes: 4 });
      await reached(world, 'Cancelling');
      fate.count('podDeleted');
      world.removeObject('pods', 'demo-3');
      fate.count('operatorKilled');
      world.restartMs = fate.between(20_000, 40_000);
      world.operator.crash();
      // Patches of its node fail for a while after the new Pod serves.
      const failing = new Set([NODES]);
      world.fateOf = ({ verb, resource }) => (verb === 'patch' && failing.has(resource) ? 'unavailable' : 'pass');
      const old = world.pod(3)?.metadata.uid;
      const isServing = (): boolean => world.pod(3)?.metadata.uid !== old && world.member(3)?.phase === 'Active';
      await world.until(isServing, 90_000, 'it serves in a new Pod');
      world.setKnobs(3, { pushLossRate: 1 });
      world.startWriters({ clients: 4, writesPerSecond: 20, keys: 150 });
      forbidRestart(world, 3, () => 'although nobody has told it to leave');
      await world.advance(fate.between(500, 2_500));
      failing.clear();
      await world.advance(60_000);
      world.stopWriters();
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  calledOffUnheard(
    'cancel-before-heard',
    'The target of a removal is told to leave, the answer to that is lost, and the removal is called off before the operator hears of it: the target is restarted when the others have what it took.',
    'pods',
    (world) => isLeavingPod(world, 3),
  ),
  calledOffUnheard(
    'cancel-before-known',
    'A node is marked as the one that goes, the answer to that is lost, and the removal is called off before the operator hears of it: it ends only once the mark is off again.',
    NODES,
    (world, isLost) => world.until(isLost, 60_000, 'the node is marked'),
  ),
];

/** The operator cannot know yet what happened this recently. */
const UNHEARD_MS = 200;

/** Longer than a removal that was called off waits for a comparison. */
const LONG_MS = 150_000;

/** A cluster of four is told to shrink, and demo-3 to leave.
 *  @returns the id of another member, to which something is about to happen */
async function oneLeaves(world: MemberWorld, fate: Fate): Promise<number> {
  await rested(world, fate, 4);
  world.edit({ nodes: 3 });
  await isLeavingPod(world, 3);
  await world.advance(fate.between(0, 3_000));
  return fate.whole(0, 2);
}

/** Waits until the node is to stay again: its Pod is restarted next. */
async function isReinstated(world: MemberWorld): Promise<void> {
  await world.until(() => world.node(3)?.spec.intent === 'Active', 60_000, 'it may be restarted');
}

/** Its member serves, and its Pod is not terminating. */
function isUp(world: MemberWorld, id: number): boolean {
  const isEnding = world.pod(id)?.metadata.deletionTimestamp !== undefined;
  return !isEnding && world.member(id)?.phase === 'Active';
}

/** Ending the Pod of a node is a violation while `against` gives a reason. */
function forbidRestart(world: MemberWorld, id: number, against: () => string | undefined): void {
  world.kube.server.onEvent(({ resource, object, previous }) => {
    if (resource !== 'pods' || object.metadata.name !== `demo-${id}`) return;
    const isTerminating = object.metadata.deletionTimestamp !== undefined;
    if (!isTerminating || previous?.metadata.deletionTimestamp !== undefined) return;
    const problem = world.node(id)?.spec.intent === 'Active' ? against() : undefined;
    if (problem !== undefined) world.kube.violated(`demo-${id} is restarted ${problem}`);
  });
}
