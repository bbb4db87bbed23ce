// Members that are requested but make no progress joining: nothing relies on them, and they can be given up.

import { ids, rested, type Scenario } from '../../life/scenario.ts';
import { NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { goal, NEXT } from '../rolling/images.ts';

const STUCK = { neverLeavesJoining: true };

/** Grows to `to` with members that stay in Joining, and waits long enough to be sure of it. */
async function grownStuck(world: MemberWorld, from: number, to: number): Promise<void> {
  world.kube.knobs = STUCK;
  world.edit({ nodes: to });
  const last = to - 1;
  await world.until(() => world.member(last) !== undefined, 60_000, `${last} starts`);
  await world.advance(60_000);
  world.kube.knobs = {};
  if (world.nodes().filter(({ spec }) => spec.nodeId >= from && spec.serving).length > 0)
    throw new Error('a stuck member was let in');
}

/** A few requests pass between the last question and the end of the Pod. */
const UNDER_WAY_MS = 60;

export const JOINING_STORIES: readonly Scenario[] = [
  {
    name: 'stuck-joining',
    story:
      'New members never leave Joining, and the size is lowered again: they go first, without proof of what they do not have.',
    async run(world, fate) {
      await rested(world, fate, 4);
      const count = fate.whole(1, 2);
      await grownStuck(world, 4, 4 + count);
      world.edit({ nodes: 4 });
      return { nodes: 4, ids: ids(0, 3) };
    },
  },
  {
    name: 'stuck-and-deleted',
    story: 'A new member never leaves Joining and a person deletes its node: another one joins in its place.',
    async run(world, fate) {
      await rested(world, fate, 4);
      await grownStuck(world, 4, 5);
      fate.count('nodeDeleted');
      world.removeObject(NODES, 'demo-4');
      return { nodes: 5 };
    },
  },
  {
    name: 'joined-at-last',
    story:
      'A member that was joining for long becomes Active at any moment of being given up: from then on it is removed with proof.',
    async run(world, fate) {
      await rested(world, fate, 4);
      await grownStuck(world, 4, 5);
      world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
      forbidUnprovenEnd(world, 4);
      world.setKnobs(4, { neverLeavesJoining: null });
      await world.advance(fate.between(1_000, 3_000));
      world.edit({ nodes: 4 });
      await world.advance(20_000);
      world.stopWriters();
      return { nodes: 4 };
    },
  },
  {
    name: 'frozen-at-first',
    story:
      'A new member serves clients for a moment, which the others have shown, and freezes, and the image changes: it is not ended as one that never had clients.',
    async run(world, fate) {
      await rested(world, fate, 3);
      world.edit({ nodes: 4 });
      await world.until(() => world.member(3) !== undefined, 60_000, 'the fourth starts');
      world.setKnobs(3, { pushLossRate: 1 });
      world.startWriters({ clients: 4, writesPerSecond: 40, keys: 150 });
      await world.until(() => isSeenActive(world, 3), 60_000, 'somebody has heard that the fourth is Active');
      await world.advance(fate.between(0, 200));
      fate.count('memberFrozen');
      world.freeze(3);
      world.stopWriters();
      world.edit({ image: NEXT });
      await world.advance(fate.between(15_000, 25_000));
      world.thaw(3);
      world.setKnobs(3, { pushLossRate: 0 });
      return goal(world, 4, NEXT);
    },
  },
];

/** Once another member shows it as Active, clients that know homes find it. */
function isSeenActive(world: MemberWorld, id: number): boolean {
  return ids(0, id - 1).some((by) =>
    world.member(by)?.view.members.some((one) => one.id === id && one.phase === 'Active'),
  );
}

/** From the moment it is Active, ending its Pod without proof is a violation. */
function forbidUnprovenEnd(world: MemberWorld, id: number): void {
  const uid = world.pod(id)?.metadata.uid;
  let activeSinceMs = Number.POSITIVE_INFINITY;
  const check = (): void => {
    if (world.pod(id)?.metadata.uid !== uid) return;
    if (world.member(id)?.phase === 'Active') activeSinceMs = Math.min(activeSinceMs, world.nowMs);
    world.kube.clock.after(10, check);
  };
  check();
  let isEnding = false;
  world.kube.server.onEvent(({ resource, object }) => {
    if (isEnding || resource !== 'pods' || object.metadata.uid !== uid) return;
    isEnding = object.metadata.deletionTimestamp !== undefined;
    if (!isEnding) return;
    const basis = world.cluster()?.status?.operation?.basis;
    if (
      basis === 'NeverJoined' &&
      world.operationPhase() !== 'Cancelling' &&
      world.nowMs - activeSinceMs > UNDER_WAY_MS
    )
      world.kube.violated(`demo-${id} ends as one that never joined, and it has joined`);
  });
}
