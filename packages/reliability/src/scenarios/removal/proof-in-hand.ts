// Before the DELETE of the node, and until its end is known: the proof exists, and its subject keeps changing.

import { ids, podEnding, reached, rested, type Scenario } from '../../life/scenario.ts';
import { NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { startOperator } from '../../world/operator/operator-process.ts';
import { lateFor } from '../unseen/unseen.ts';
import { diesAt, FORCE, whileDown } from './departing.ts';

/** Difference between the clocks of two hosts. */
const AHEAD_MS = 300_000;

function otherClock(name: string, when: string, isThen: (world: MemberWorld) => boolean): Scenario {
  return {
    name,
    story: `An operator whose clock is five minutes ahead dies ${when}, and the next one starts when its own clock shows that time: it relies on no proof but its own.`,
    async run(world, fate) {
      await rested(world, fate, 4);
      world.retireFirst();
      world.areClocksApart = true;
      world.restartMs = AHEAD_MS + fate.between(-4_000, 4_000);
      world.makeOperator = (options) => startOperator({ ...options, skewMs: AHEAD_MS });
      world.startOperator();
      world.edit({ nodes: 3 });
      await diesAt(world, () => isThen(world));
      world.makeOperator = startOperator;
      return { nodes: 3, ids: ids(0, 2), withinMs: 900_000 };
    },
  };
}

export const PROOF_IN_HAND_STORIES: readonly Scenario[] = [
  {
    name: 'killed-before-delete',
    story:
      'A member is killed in the moment in which the proof is stored: its last answer is young, and the node stays until it serves again.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await reached(world, 'Deleting');
      world.kill(1);
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'killed-after-delete',
    story:
      'A member is killed in the moment in which the node is deleted: the Pod of the node stays until that member serves again.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      const isDeleted = (): boolean => world.node(3)?.metadata.deletionTimestamp !== undefined;
      await world.until(isDeleted, 180_000, 'the DELETE');
      world.kill(1);
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'pod-deleted-before-delete',
    story:
      'The Pod of the member that is to go is evicted in the moment in which its proof is stored, and the operator hears late what the node carries: the node is not deleted on the proof of a Pod that is gone.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await reached(world, 'Deleting');
      lateFor(world, NODES);
      // It ends at once, so that the next one is compared while the proof is still young.
      world.evict(3);
      await world.advance(30_000);
      world.lagMs = () => 2;
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'last-moment',
    story:
      'A removal is paused after its proof, and a member falls silent meanwhile: nothing is deleted on that proof.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await reached(world, 'Deleting');
      world.edit({ paused: true });
      world.setKnobs(1, { metrics: 'hang' });
      await world.advance(8_000);
      world.edit({ paused: null });
      const forget = world.kube.server.onEvent(({ resource, object }) => {
        if (resource === NODES && object.metadata.deletionTimestamp !== undefined)
          world.kube.violated(`${object.metadata.name} is deleted while a member is silent`);
      });
      await world.advance(30_000);
      forget();
      world.setKnobs(1, { metrics: 'ok' });
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'long-gone',
    story: 'The operator dies after the proof, and none runs for a minute: nothing is deleted on what was proven then.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      world.restartMs = 60_000;
      await diesAt(
        world,
        () => world.operationPhase() === 'Deleting' && world.node(3)?.status?.removalProof !== undefined,
      );
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  otherClock(
    'other-clock-after-delete',
    'when the node is deleted and its Pod still runs',
    (world) => world.node(3)?.metadata.deletionTimestamp !== undefined,
  ),
  otherClock(
    'other-clock-before-delete',
    'with the proof in hand',
    (world) => world.operationPhase() === 'Deleting' && world.node(3)?.status?.removalProof !== undefined,
  ),
  {
    name: 'paused-with-proof',
    story: 'A removal is paused after its proof: when it continues, that proof is renewed before anything is deleted.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await reached(world, 'Deleting');
      world.edit({ paused: true });
      await world.advance(fate.between(40_000, 60_000));
      world.edit({ paused: null });
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unsaid',
    story: 'The status of nodes cannot be stored for a while: the node is not deleted before it carries its proof.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await world.until(() => world.node(3)?.spec.intent === 'Leaving', 60_000, 'the last one is told to leave');
      world.fateOf = ({ resource }) => (resource === `${NODES}/status` && !fate.isOver ? 'unavailable' : 'pass');
      await world.advance(fate.between(20_000, 30_000));
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'forced-and-deleted',
    story: 'A person forces a node out and deletes it as well: its clients are moved away first all the same.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const id = fate.whole(0, 3);
      world.annotate(NODES, `demo-${id}`, { [FORCE]: `${world.node(id)?.metadata.uid}/its disk ticks` });
      world.removeObject(NODES, `demo-${id}`);
      return { nodes: 4 };
    },
  },
  {
    name: 'stuck-list',
    story:
      'A member hangs with an old list when another one has gone: the node is kept until it is known that all forgot it.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await podEnding(world, 3);
      world.setKnobs(1, { keptInView: [3], slowStore: true });
      await world.advance(fate.between(20_000, 25_000));
      if (world.member(1) !== undefined) world.setKnobs(1, { keptInView: [], slowStore: false });
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'last-gossip',
    story:
      'A member that is forced out hangs at its end until all have forgotten it, continues for a moment and gossips once more: its node stays until it is forgotten again.',
    async run(world, fate) {
      await rested(world, fate, 4);
      // One that was proven to hold nothing alone has no time to hang: its kubelet kills it after two seconds.
      world.annotate(NODES, 'demo-3', { [FORCE]: `${world.node(3)?.metadata.uid}/its disk ticks` });
      await podEnding(world, 3);
      world.freeze(3);
      const isForgotten = (): boolean => ids(0, 2).every((id) => !world.shows(id, 3));
      await world.until(isForgotten, 60_000, 'all have forgotten it');
      await world.advance(fate.between(1_000, 3_000));
      world.thaw(3);
      return { nodes: 4, ids: [0, 1, 2, 4] };
    },
  },
  {
    name: 'dead-two',
    story: 'Two members crash at every start and a person deletes both nodes: they go one after the other.',
    async run(world, fate) {
      await rested(world, fate, 5, { replicationFactor: 3 });
      for (const id of [3, 4]) whileDown(world, id);
      await world.advance(20_000);
      for (const id of [3, 4]) world.removeObject(NODES, `demo-${id}`);
      return { nodes: 5, ids: [0, 1, 2, 5, 6] };
    },
  },
];
