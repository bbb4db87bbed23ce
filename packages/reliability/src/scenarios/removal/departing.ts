// The last steps of a removal, between the DELETE of the node and the end of its Pod: the operator dies right there,
// the world goes on, and the next one finds it changed.

import { ids, refuseFor, rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS, NAME, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export const FORCE = 'marekvs.io/force-remove';
const MARK = 'marekvs.io/removal';

export const DEPARTING_STORIES: readonly Scenario[] = [
  {
    name: 'silent-at-the-end',
    story: 'A member falls silent when the node is deleted: no member leaves before the views of all are known again.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      world.restartMs = 1_000;
      await diesAtDelete(world);
      world.setKnobs(1, { slowStore: true });
      forbidEnd(world, 3, 'while a member is silent');
      await world.advance(25_000);
      world.setKnobs(1, { slowStore: false });
      allowEnd(world);
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unstored',
    story:
      'The record of a removal has lost its proof when the node is deleted: the proof on the node itself is not enough.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      world.restartMs = 1_000;
      await diesAtDelete(world);
      const patch = { status: { operation: { proof: null } } };
      world.kube.server.patch(CLUSTERS, { namespace: NAMESPACE, name: NAME }, patch, 'status');
      world.kube.server.onEvent(({ resource, object }) => {
        if (resource !== 'pods' || object.metadata.name !== 'demo-3') return;
        const isProven = world.cluster()?.status?.operation?.proof?.pre !== undefined;
        if (object.metadata.deletionTimestamp !== undefined && !isProven)
          world.kube.violated('demo-3 goes on a proof that the removal does not have');
      });
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'other-mark',
    story: 'The node of a removal gets the mark of another removal when it is deleted: the mark is ignored.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      world.restartMs = 1_000;
      await diesAtDelete(world);
      const mark = world.node(3)?.metadata.annotations?.[MARK] ?? '';
      world.annotate(NODES, 'demo-3', { [MARK]: '3-another' });
      forbidEnd(world, 3, 'marked by another removal');
      await world.advance(25_000);
      allowEnd(world);
      world.annotate(NODES, 'demo-3', { [MARK]: mark });
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'forced-no-more',
    story:
      'A person forces a node out and takes that back when it is deleted: it stays until the order is given again.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const id = fate.whole(0, 3);
      const reason = `${world.node(id)?.metadata.uid}/its disk ticks`;
      world.annotate(NODES, `demo-${id}`, { [FORCE]: reason });
      world.restartMs = 1_000;
      await diesAtDelete(world);
      world.annotate(NODES, `demo-${id}`, { [FORCE]: 'no' });
      forbidEnd(world, id, 'although nobody forces it');
      await world.advance(25_000);
      allowEnd(world);
      world.annotate(NODES, `demo-${id}`, { [FORCE]: reason });
      return { nodes: 4 };
    },
  },
  {
    name: 'back-from-the-dead',
    story: 'A member that counted as dead serves again when its node is deleted: it does not go as a dead one.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const keepDown = whileDown(world, 2);
      await world.advance(20_000);
      world.removeObject(NODES, 'demo-2');
      // Restarts of a process that keeps crashing may be a minute and a half apart.
      world.restartMs = 180_000;
      await diesAt(world, () => world.operationPhase() === 'Deleting');
      keepDown.end();
      await world.until(() => world.member(2)?.phase === 'Active', 170_000, '2 serves again');
      forbidUnproven(world, 2, 'as a dead one, and it serves');
      return { nodes: 4 };
    },
  },
  {
    name: 'joined-after-all',
    story: 'A member that counted as never joined serves when its node is deleted: it does not go as one without data.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 5 });
      await world.advance(1_000);
      const keepDown = whileDown(world, 4);
      await world.advance(40_000);
      world.edit({ nodes: 4 });
      world.restartMs = 90_000;
      await diesAtDelete(world);
      keepDown.end();
      await world.until(() => world.member(4)?.phase === 'Active', 80_000, '4 serves');
      forbidUnproven(world, 4, 'as one that never joined, and it serves');
      return { nodes: 4 };
    },
  },
  {
    name: 'deleted-with-its-pod',
    story:
      'A person deletes a node and its Pod, which cannot be made again for a while: it does not go as a dead one, since its volume is there.',
    async run(world, fate) {
      await rested(world, fate, 5);
      fate.count('podDeleted');
      world.removeObject('pods', 'demo-2');
      fate.count('nodeDeleted');
      world.removeObject(NODES, 'demo-2');
      world.edit({ nodes: 4 });
      refuseFor(world, fate.between(15_000, 30_000), 'pods');
      forbidUnproven(world, 2, 'as a dead one, and it was Active a moment ago');
      return { nodes: 4 };
    },
  },
  {
    name: 'two-leaving',
    story:
      'When the node of a removal is deleted, no operator runs until the proof has expired, and another member is left Leaving: that one is restarted first, since clients of the homes of both have nowhere else to go.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      world.restartMs = fate.between(61_000, 120_000);
      await diesAtDelete(world);
      const other = fate.whole(0, 2);
      world.annotate('pods', `demo-${other}`, { 'marekvs.io/leaving': 'true' });
      world.member(other)?.drain();
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
];

/** Crashes the operator at the moment at which a node has been deleted. */
export function diesAtDelete(world: MemberWorld): Promise<void> {
  return diesAt(world, () => world.nodes().some(({ metadata }) => metadata.deletionTimestamp !== undefined));
}

export async function diesAt(world: MemberWorld, isThen: () => boolean): Promise<void> {
  let isOver = false;
  world.kube.server.onEvent(() => {
    if (isOver || !isThen()) return;
    isOver = true;
    world.operator.crash();
  });
  await world.until(() => isOver, 180_000, 'the operator dies');
}

const forbidden = new WeakMap<MemberWorld, () => void>();

/** From now on ending the Pod of a node is a violation. */
function forbidEnd(world: MemberWorld, id: number, how: string): void {
  const uid = world.pod(id)?.metadata.uid;
  const forget = world.kube.server.onEvent(({ resource, object }) => {
    if (resource === 'pods' && object.metadata.uid === uid && object.metadata.deletionTimestamp !== undefined)
      world.kube.violated(`demo-${id} goes ${how}`);
  });
  forbidden.set(world, forget);
}

function allowEnd(world: MemberWorld): void {
  forbidden.get(world)?.();
}

/** From now on removing the node without a proof is a violation; a restart of its Pod is not. */
function forbidUnproven(world: MemberWorld, id: number, how: string): void {
  const uid = world.node(id)?.metadata.uid;
  world.kube.server.onEvent(({ type, resource, object }) => {
    if (type !== 'DELETED' || resource !== NODES || object.metadata.uid !== uid) return;
    if (world.cluster()?.status?.operation?.basis !== 'Proof') world.kube.violated(`demo-${id} goes ${how}`);
  });
}

/** Kills its process half a second after every start. */
export function whileDown(world: MemberWorld, id: number): { end(): void } {
  const uid = world.node(id)?.metadata.uid;
  let isOver = false;
  const check = (): void => {
    if (isOver || world.node(id)?.metadata.uid !== uid) return;
    if (world.member(id) !== undefined) world.kube.network.kill(world.processOf(id));
    world.kube.clock.after(500, check);
  };
  check();
  return {
    end: () => {
      isOver = true;
    },
  };
}
