// Another node takes the place of one that was deleted by hand, lost its volume, was forced out, or is dead.

import { idsWithout, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export const byHand: Scenario = {
  name: 'by-hand',
  story: 'A person deletes one node: a new one joins first, then it is removed with proof.',
  async run(world, fate) {
    await rested(world, fate, 4);
    fate.count('nodeDeleted');
    const id = fate.whole(0, 3);
    world.removeObject(NODES, `demo-${id}`);
    return { nodes: 4, ids: idsWithout(4, id), problem: () => keptVolume(world, id) };
  },
};

export const byHandTwo: Scenario = {
  name: 'by-hand-two',
  story: 'A person deletes two nodes at once: they are replaced one after the other.',
  async run(world, fate) {
    await rested(world, fate, 4);
    const [a, b] = [fate.whole(0, 1), fate.whole(2, 3)];
    for (const id of [a, b]) {
      fate.count('nodeDeleted');
      world.removeObject(NODES, `demo-${id}`);
      await world.advance(fate.between(0, 3_000));
    }
    const uids = [a, b].map((id) => world.node(id)?.metadata.uid);
    await world.until(
      () => !world.nodes().some(({ metadata }) => uids.includes(metadata.uid)),
      600_000,
      `${a} and ${b} are replaced`,
    );
    // The second may be replaced by the first one's id on the first one's volume.
    return { nodes: 4, problem: () => keptVolume(world, a) ?? keptVolume(world, b) };
  },
};

export const volumeDeleted: Scenario = {
  name: 'volume-deleted',
  story: 'A person deletes the volume claim of a running member: it is replaced while it still has its data.',
  async run(world, fate) {
    await rested(world, fate, 4);
    fate.count('volumeDeleted');
    const id = fate.whole(0, 3);
    world.removeObject(CLAIMS, `data-demo-${id}`);
    const problem = (): string | undefined =>
      world.claim(id) === undefined ? undefined : `volume ${id} is still there`;
    return { nodes: 4, ids: idsWithout(4, id), problem };
  },
};

export const forced: Scenario = {
  name: 'forced',
  story: 'A person forces one node out by name: the order is kept although the proof is skipped.',
  async run(world, fate) {
    await rested(world, fate, 4);
    const id = fate.whole(0, 3);
    world.annotate(NODES, `demo-${id}`, {
      'marekvs.io/force-remove': `${world.node(id)?.metadata.uid}/its disk ticks`,
    });
    return { nodes: 4, ids: idsWithout(4, id), problem: () => keptVolume(world, id) };
  },
};

export const deadMember: Scenario = {
  name: 'dead-member',
  story:
    'A member crashes at every start and a person deletes its node: the others prove that they suffice, its volume stays.',
  async run(world, fate) {
    await rested(world, fate, 4);
    const id = fate.whole(0, 3);
    keepDown(world, id);
    await world.advance(fate.between(10_000, 40_000));
    fate.count('nodeDeleted');
    world.removeObject(NODES, `demo-${id}`);
    return { nodes: 4, ids: idsWithout(4, id), problem: () => keptVolume(world, id) };
  },
};

export const podDeleted: Scenario = {
  name: 'pod-deleted',
  story: 'A person deletes a Pod: the same node comes back on the same volume.',
  async run(world, fate) {
    await rested(world, fate, 3);
    fate.count('podDeleted');
    const id = fate.whole(0, 2);
    const volume = world.claim(id)?.metadata.uid;
    world.removeObject('pods', `demo-${id}`);
    await world.until(() => !world.isHealthy(3), 30_000, 'the missing member is noticed');
    const problem = (): string | undefined =>
      world.claim(id)?.metadata.uid === volume ? undefined : `${id} is not on its volume`;
    return { nodes: 3, ids: [0, 1, 2], problem };
  },
};

/** Kills its process half a second after every start, as long as its node exists. */
function keepDown(world: MemberWorld, id: number): void {
  const uid = world.node(id)?.metadata.uid;
  world.kube.transcript.add('world', `the process of ${id} ends at every start`);
  const check = (): void => {
    if (world.node(id)?.metadata.uid !== uid) return;
    if (world.member(id) !== undefined) world.kube.network.kill(world.processOf(id));
    world.kube.clock.after(500, check);
  };
  check();
}

function keptVolume(world: MemberWorld, id: number): string | undefined {
  return world.claim(id) === undefined ? `volume ${id} is gone` : undefined;
}
