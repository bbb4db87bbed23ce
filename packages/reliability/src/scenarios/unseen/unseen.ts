// Something changes that the operator cannot know of yet: only a live read, or the precondition of its write, keeps it
// from acting on the past.

import { ids, podEnded, reached, rested, type Scenario } from '../../life/scenario.ts';
import { CLUSTERS, NAME, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';

const UNHEARD_MS = 5_000;
/** A request that was already on its way is not the operator's fault. */
const UNDER_WAY_MS = 100;

export const UNSEEN_STORIES: readonly Scenario[] = [
  {
    name: 'unseen-deletion',
    story:
      'A person deletes one node and lowers the size, and the operator hears of the deletion late: no second one goes.',
    async run(world, fate) {
      await rested(world, fate, 4);
      lateFor(world, NODES);
      world.removeObject(NODES, 'demo-1');
      await world.advance(fate.between(UNDER_WAY_MS, 300));
      world.edit({ nodes: 3 });
      world.kube.server.onEvent(({ resource }) => {
        const { target, phase } = (resource === CLUSTERS ? world.cluster()?.status?.operation : undefined) ?? {};
        const isDeleted = world.node(1)?.metadata.deletionTimestamp !== undefined;
        if (phase === 'Claimed' && isDeleted && target?.name !== 'demo-1')
          world.kube.violated(`the removal of ${target?.name} begins while demo-1 is being deleted`);
      });
      await world.advance(30_000);
      return { nodes: 3 };
    },
  },
  {
    name: 'unseen-change',
    story:
      'The size is raised again right before the DELETE, and the operator hears of it late: the node is not deleted.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await reached(world, 'Deleting');
      lateFor(world, CLUSTERS);
      world.edit({ nodes: 4 });
      forbidDelete(world, 'although it is wanted again', UNDER_WAY_MS);
      await world.advance(30_000);
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  {
    name: 'unseen-return',
    story:
      'The Pod of a node has ended, its removal goes back to gathering the proof, and the operator hears of that late: the node is not released.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      await podEnded(world, 3);
      lateFor(world, CLUSTERS);
      const patch = { status: { operation: { phase: 'Proving' } } };
      world.kube.server.patch(CLUSTERS, { namespace: NAMESPACE, name: NAME }, patch, 'status');
      await world.advance(30_000);
      world.lagMs = () => 2;
      return { nodes: 3 };
    },
  },
  {
    name: 'late-delete',
    story:
      'The DELETE of a node is long under way, and meanwhile the node is taken back: the DELETE finds another version.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      let isLate = false;
      world.fateOf = ({ verb, resource }) => {
        if (isLate || verb !== 'delete' || resource !== NODES) return 'pass';
        isLate = true;
        world.edit({ nodes: 4 });
        forbidDelete(world, 'by a request from before it was taken back', 0);
        return 'late';
      };
      await world.until(() => isLate, 180_000, 'the DELETE is under way');
      await world.advance(30_000);
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
];

/** Watches of that kind are five seconds late, until `lagMs` is set anew. */
export function lateFor(world: MemberWorld, late: string): void {
  world.kube.transcript.add('world', `watches of ${late} are ${UNHEARD_MS} ms late`);
  world.lagMs = (resource) => (resource === late ? UNHEARD_MS : 2);
}

function forbidDelete(world: MemberWorld, how: string, afterMs: number): void {
  const fromMs = world.nowMs + afterMs;
  world.kube.server.onEvent(({ resource, object }) => {
    if (resource === NODES && object.metadata.deletionTimestamp !== undefined && world.nowMs >= fromMs)
      world.kube.violated(`${object.metadata.name} is deleted ${how}`);
  });
}
