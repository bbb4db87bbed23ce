// Members whose volume claims are deleted under them: their processes still have everything, but cannot be started
// again once they end.

import type { Fate } from '../../fate/fate.ts';
import { ids, idsWithout, podEnded, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { FORCE } from './departing.ts';

export const WITHOUT_VOLUMES_STORIES: readonly Scenario[] = [
  {
    name: 'volume-torn-out',
    story: 'A person deletes the volume claim of a running member by force: only its process is left, and is replaced.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const id = fate.whole(0, 3);
      tearOut(world, fate, id);
      await world.until(() => world.node(id) === undefined, 300_000, `${id} is replaced`);
      return { nodes: 4, ids: idsWithout(4, id) };
    },
  },
  {
    name: 'volumes-torn-out',
    story:
      'The volume claims of two running members, or of all, are deleted by force: they are replaced one after the other while their processes still have the data.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const gone = fate.chance(0.7) ? [fate.whole(0, 1), fate.whole(2, 3)] : ids(0, 3);
      for (const id of gone) {
        tearOut(world, fate, id);
        // The second one while the new members join, while the first goes, or after it has gone.
        await world.advance(fate.between(0, 90_000));
      }
      const isReplaced = (): boolean => gone.every((id) => world.node(id) === undefined);
      await world.until(isReplaced, 900_000, `${gone.join(' and ')} are replaced`);
      return { nodes: 4, ids: idsWithout(3 + gone.length, ...gone) };
    },
  },
  {
    name: 'half-gone',
    story:
      'A member without its volume is about to go when another one is lost for good: the first cannot come back, and goes once its copies are elsewhere again.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const [first, second] = [fate.whole(0, 1), fate.whole(2, 3)];
      tearOut(world, fate, first);
      await world.until(() => world.node(first)?.spec.intent === 'Leaving', 120_000, `${first} is told to leave`);
      // A moment later the first may have gone already, and deleting both homes of a key asks for its loss.
      await world.advance(fate.between(0, 1_000));
      tearOut(world, fate, second);
      world.removeObject('pods', `demo-${second}`);
      const isReplaced = (): boolean => [first, second].every((id) => world.node(id) === undefined);
      await world.until(isReplaced, 600_000, `${first} and ${second} are replaced`);
      return { nodes: 4, ids: idsWithout(5, first, second) };
    },
  },
  {
    name: 'told-twice',
    story:
      'A member without its volume was told to leave, serves clients again when its removal is called off, and goes: what it stored meanwhile is copied first.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const id = fate.whole(0, 3);
      tearOut(world, fate, id);
      world.annotate(NODES, `demo-${id}`, { [FORCE]: `${world.node(id)?.metadata.uid}/its disk ticks` });
      await world.until(() => world.node(id)?.spec.intent === 'Leaving', 120_000, `${id} is told to leave`);
      // The person changes their mind.
      world.annotate(NODES, `demo-${id}`, { [FORCE]: 'no' });
      await world.until(() => world.node(id)?.spec.serving === true, 60_000, `${id} is let in again`);
      return { nodes: 4, ids: idsWithout(4, id) };
    },
  },
  {
    name: 'proof-written-over',
    story:
      'The process of the member that is to go has ended, its volume is deleted by force, and a writer with outdated data overwrites the proof on its node: it is removed as a dead member.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await podEnded(world, 3);
      const ref = { namespace: NAMESPACE, name: 'demo-3' };
      world.kube.server.patch(NODES, ref, { status: { removalProof: null } }, 'status');
      tearOut(world, fate, 3);
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
];

/** Deletes a claim even against the protection of claims in use. */
export function tearOut(world: MemberWorld, fate: Fate, id: number): void {
  fate.count('volumeDeleted');
  const name = `data-demo-${id}`;
  world.kube.server.patch(CLAIMS, { namespace: NAMESPACE, name }, { metadata: { finalizers: [] } });
  world.removeObject(CLAIMS, name);
}
