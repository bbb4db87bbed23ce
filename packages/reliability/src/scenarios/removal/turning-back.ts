// A removal begins and does not complete: somebody changes their mind or pauses it, or a survivor fails to prove what
// it should.

import type { Fate } from '../../fate/fate.ts';
import { type Goal, ids, pausedIn, podEnding, rested, type Scenario } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';

/** Phases before the DELETE of the node, from which there is a way back. */
const REVOCABLE: readonly string[] = ['Claimed', 'Isolating', 'Sealing', 'Proving'];

async function callOff(world: MemberWorld, fate: Fate, phase: string, waitMs: number): Promise<Goal> {
  await rested(world, fate, 4);
  const volume = world.claim(3)?.metadata.uid;
  world.edit({ nodes: 3 });
  const held = await pausedIn(world, phase);
  await world.advance(fate.between(0, waitMs));
  world.edit({ nodes: 4 });
  held.goOn();
  const problem = (): string | undefined =>
    world.claim(3)?.metadata.uid === volume ? undefined : '3 is not on its volume';
  return { nodes: 4, ids: ids(0, 3), withinMs: 300_000, problem };
}

export const paused: Scenario = {
  name: 'paused',
  story:
    'A removal is paused for a while: until its point of no return nothing is written to Pods, volumes and nodes meanwhile.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.edit({ nodes: 3 });
    const phase = fate.pick(['Claimed', 'Proving', 'Deleting', 'Settling']);
    const held = await pausedIn(world, phase);
    fate.count('paused');
    world.edit({ paused: true });
    held.goOn();
    await world.advance(5_000);
    const before = world.writes.length;
    await world.advance(fate.between(30_000, 120_000));
    const written = world.writes.slice(before).filter(({ resource }) => PAUSED.test(resource));
    if (REVOCABLE.includes(phase) && written[0] !== undefined)
      world.kube.violated(`${written[0].verb} ${written[0].resource} ${written[0].name} while paused in ${phase}`);
    world.edit({ paused: null });
    return { nodes: 3, ids: ids(0, 2) };
  },
};

/** The objects that a pause protects, without their status. */
const PAUSED = /^(?:pods|persistentvolumeclaims|marekvsnodes\.marekvs\.io)$/;

export const TURNING_BACK_STORIES: readonly Scenario[] = [
  {
    name: 'cancel',
    story: 'A removal from 4 to 3 is called off before its point of no return: the same 4 are back on their volumes.',
    run: (world, fate) => callOff(world, fate, fate.pick(['Claimed', 'Proving']), 3_000),
  },
  {
    name: 'cancel-late',
    story:
      'A removal from 4 to 3 is called off when its proof is there or was used: in the end the same 4 are there on their volumes.',
    run: (world, fate) => callOff(world, fate, fate.pick(['Deleting', 'Settling']), 10_000),
  },
  {
    name: 'rollback',
    story:
      'A survivor falls silent before the copies are complete: the removed member is made again from its kept volume.',
    async run(world, fate) {
      await rested(world, fate, 5);
      const volume = world.claim(4)?.metadata.uid;
      world.edit({ nodes: 4 });
      await podEnding(world, 4);
      fate.count('metricsHang');
      world.setKnobs(0, { metrics: 'hang' });
      await world.until(() => world.operationPhase() === 'Cancelling', 300_000, 'the removal is undone');
      world.setKnobs(0, { metrics: 'ok' });
      await world.until(() => world.cluster()?.status?.operation === undefined, 300_000, 'the member is back');
      const reason = world.cluster()?.status?.lastOperation?.reason;
      const isBack = world.claim(4)?.metadata.uid === volume;
      // The size is still 4, so the removal would be tried again later.
      world.edit({ nodes: 5 });
      const problem = (): string | undefined =>
        reason === 'RolledBack' && isBack ? undefined : `${reason}, on its volume: ${isBack}`;
      return { nodes: 5, ids: ids(0, 4), problem };
    },
  },
  paused,
  {
    name: 'cluster-deleted-midway',
    story:
      'The whole cluster is deleted while one of its nodes is being removed: all of it goes but its volumes, with every write.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 3 });
      const held = await pausedIn(world, fate.pick(['Claimed', 'Proving', 'Deleting', 'Settling']));
      await world.advance(fate.between(0, 3_000));
      held.goOn();
      world.removeObject('marekvsclusters.marekvs.io', 'demo');
      const problem = (): string | undefined =>
        world.claimNames().length === 4 ? undefined : `${world.claimNames().length} of 4 volumes are there`;
      return { nodes: 0, withinMs: 120_000, problem };
    },
  },
];
