// Somebody who reaches port 9121 of a member sends it `GET /drain`: it leads nothing any more and stays a full home.
// The operator notices within 15 s and restarts it on its volume, and nothing else waits for long because of it.

import { ids, rested, type Scenario } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';

const RECOGNISED_MS = 15_000;
const AGAIN_MS = 600_000;

export const DRAINED_STORIES: readonly Scenario[] = [
  {
    name: 'drained-from-outside',
    story:
      'A member at rest is drained by a stranger: within 15 s the status says so, and it is restarted and leads again.',
    async run(world, fate) {
      await rested(world, fate, fate.whole(3, 6));
      const size = world.nodeIds().length;
      const id = fate.whole(0, size - 1);
      await world.advance(fate.between(240_000, 400_000));
      await drainedAndBack(world, id);
      return { nodes: size, ids: ids(0, size - 1) };
    },
  },
  {
    name: 'drained-again',
    story:
      'A member is drained by a stranger again and again: the second time it is left as it is for ten minutes, the cluster stalls and says what to close, and a smaller size that is asked for meanwhile follows.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const id = fate.whole(0, 2);
      await drainedAndBack(world, id);
      await world.advance(fate.between(5_000, 60_000));
      const process = world.processOf(id);
      const endedMs = Date.parse(world.cluster()?.status?.lastOperation?.finishedAt ?? '');
      drain(world, id);
      await world.until(() => world.condition('Stalled') === 'True', 30_000, 'the cluster stalls');
      world.edit({ nodes: 3 });
      const leftMs = endedMs + AGAIN_MS - world.kube.nowMs();
      await world.advance(leftMs - 5_000);
      if (world.processOf(id) !== process) world.kube.violated(`demo-${id} is restarted before ten minutes are over`);
      if (world.nodes().length !== 4) world.kube.violated('a member goes while another one leads nothing');
      return { nodes: 3, ids: ids(0, 2), withinMs: 600_000 };
    },
  },
  {
    name: 'drained-meanwhile',
    story:
      'While a removal is under way, a stranger drains another member: that one leads again within minutes, and the removal ends, now or after it was taken back.',
    async run(world, fate) {
      await rested(world, fate, 5);
      world.edit({ nodes: 4 });
      await world.until(() => world.operationPhase() !== undefined, 60_000, 'a removal');
      await world.advance(fate.between(0, 20_000));
      const id = fate.whole(0, 3);
      const process = world.processOf(id);
      drain(world, id);
      await world.until(() => isBack(world, id, process), 240_000, 'it leads again');
      return { nodes: 4, ids: ids(0, 3), withinMs: 1_200_000 };
    },
  },
  {
    name: 'drained-most',
    story:
      'A stranger drains all members but one at once, which then lead less than they should: each is restarted, one after the other.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const spared = fate.whole(0, 3);
      const drained = world.nodeIds().filter((id) => id !== spared);
      const processes = drained.map((id) => [id, world.processOf(id)] as const);
      for (const [id] of processes) drain(world, id);
      await world.until(() => processes.every(([id, of]) => isBack(world, id, of)), 480_000, 'all lead again');
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  {
    name: 'drained-in-a-roll',
    story:
      'During a rolling update a stranger drains a member whose turn it is not: the update goes on, and all lead in the end.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ image: 'marekvs:next' });
      await world.until(() => world.cluster()?.status?.operation?.roll !== undefined, 60_000, 'the first turn');
      await world.advance(fate.between(0, 40_000));
      const turn = world.cluster()?.status?.operation?.roll?.nodeId;
      const id = fate.pick(
        world.nodeIds().filter((other) => other !== turn && world.member(other)?.phase === 'Active'),
      );
      drain(world, id);
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
];

function drain(world: MemberWorld, id: number): void {
  world.kube.transcript.add('user', `sends GET /drain to ${world.processOf(id)}`);
  world.member(id)?.drain();
}

async function drainedAndBack(world: MemberWorld, id: number): Promise<void> {
  const process = world.processOf(id);
  drain(world, id);
  await world.until(() => world.condition('Ready') !== 'True', RECOGNISED_MS, 'the status says that it leads nothing');
  await world.until(() => isBack(world, id, process), 120_000, 'it leads again');
  await world.until(() => world.isHealthy(world.nodes().length), 60_000, 'the cluster is well');
}

/** The member runs anew, and leads. */
function isBack(world: MemberWorld, id: number, before: string): boolean {
  return world.member(id)?.phase === 'Active' && world.processOf(id) !== before;
}
