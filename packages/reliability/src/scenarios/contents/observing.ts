// Comparisons of contents are disturbed: by members that cannot be read or are restarted, by another observer with the
// same number, by the operator's own death.

import { STRIKES } from '../../fate/member-faults.ts';
import {
  ids,
  isLeavingPod,
  isSealing,
  missingReason,
  reached,
  reasonsFor,
  rested,
  type Scenario,
} from '../../life/scenario.ts';
import { CLUSTERS, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { missPushes } from '../steps/only-there.ts';

const GONE_MS = 300_000;

/** From now on storing a proof is a violation. */
function forbidProof(world: MemberWorld, how: string): () => void {
  return world.kube.server.onEvent(({ resource }) => {
    const operation = resource === CLUSTERS ? world.cluster()?.status?.operation : undefined;
    if (operation?.proof !== undefined)
      world.kube.violated(`${operation.target?.name} is proven to be dispensable ${how}`);
  });
}

export const OBSERVING_STORIES: readonly Scenario[] = [
  {
    name: 'unreadable-with-proof',
    story:
      'Nobody can read what members hold any more when the proof is there and the DELETE is held up: that proof is not renewed on what was read before.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      let isFailing = true;
      world.fateOf = ({ resource }) => (isFailing && resource === `${NODES}/status` ? 'unavailable' : 'pass');
      await reached(world, 'Deleting');
      for (const id of world.nodeIds()) world.setKnobs(id, { contents: 'hang' });
      await world.advance(fate.between(100_000, 130_000));
      for (const id of world.nodeIds()) world.setKnobs(id, { contents: 'ok' });
      isFailing = false;
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'second-observer',
    story: 'Somebody else compares the contents of the members under the same number while a cluster is to shrink.',
    async run(world, fate) {
      await rested(world, fate, 4);
      await missPushes(world, 3, 3_000);
      const stranger = world.kube.addStranger({ everyMs: fate.between(100, 600), staysMs: 2_000 });
      world.edit({ nodes: 3 });
      await world.advance(fate.between(10_000, 40_000));
      stranger.stop();
      await world.until(() => world.isHealthy(3), GONE_MS, '3 of 4 stay');
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'observer-restarts',
    story: 'The operator dies again and again while it compares what members hold, which each time begins anew.',
    async run(world, fate) {
      await rested(world, fate, 4);
      await missPushes(world, 3, 3_000);
      world.restartMs = 500;
      world.edit({ nodes: 3 });
      for (let n = 0; n < 6; n += 1) {
        await world.advance(fate.between(500, 5_000));
        if (STRIKES.operatorKilled(world)) fate.count('operatorKilled');
      }
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'unreadable',
    story:
      'The mesh port of one member is closed to the operator that compares, hangs or answers nonsense: no member leaves, and the status reports why, until the port answers correctly again.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const id = fate.whole(0, 3);
      world.setKnobs(id, { contents: fate.pick(['close', 'hang', 'garbage']) });
      world.edit({ nodes: 3 });
      const forget = forbidProof(world, `while nobody can read what demo-${id} holds`);
      const reasons = await reasonsFor(world, fate.between(120_000, 180_000));
      forget();
      world.setKnobs(id, { contents: 'ok' });
      return { nodes: 3, ids: ids(0, 2), problem: () => missingReason(reasons, 'ContentsUnreadable') };
    },
  },
  {
    name: 'restarted-meanwhile',
    story:
      'A member is killed in the middle of a comparison, between its digests and its records, and another process answers.',
    async run(world, fate) {
      await rested(world, fate, 4);
      for (const id of world.nodeIds()) world.setKnobs(id, { copyRecordsPerSecond: 10 });
      await missPushes(world, 3, 5_000);
      world.edit({ nodes: 3 });
      await isLeavingPod(world, 3);
      await world.advance(fate.between(1_000, 5_000));
      fate.count('memberKilled');
      if (world.node(3)?.metadata.deletionTimestamp === undefined) world.kill(fate.whole(0, 3));
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'never-proven',
    story:
      'One member cannot be read: the removal of another is taken back at its deadline, and the member serves again.',
    async run(world, fate) {
      await rested(world, fate, 4, { removal: { deadlineSeconds: 305 } });
      world.edit({ nodes: 3 });
      if (fate.chance(0.5)) await isSealing(world);
      world.setKnobs(1, { contents: 'close' });
      const last = () => world.cluster()?.status?.lastOperation;
      await world.until(() => last() !== undefined, 500_000, 'the removal is taken back');
      const reason = last()?.reason;
      world.setKnobs(1, { contents: 'ok' });
      world.edit({ nodes: 4 });
      const problem = (): string | undefined =>
        reason === 'DeadlineExceeded' ? undefined : `the removal has ended with ${reason}`;
      return { nodes: 4, ids: ids(0, 3), problem };
    },
  },
];
