// One member alone is off its volume for a while, for repair by hand, and comes back.

import { ANNOTATIONS } from '@marekvs/api';
import { ids, rested, type Scenario, SHORT_GRACE } from '../../life/scenario.ts';
import { NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { delayRepairs, missPushes } from '../steps/only-there.ts';
import { awake, hit, killedOften, write } from './meanwhile.ts';

export const SUSPENDED_STORIES: readonly Scenario[] = [
  {
    name: 'suspended',
    story: 'One member is suspended while clients write, stays down for a while, and comes back on its volume.',
    async run(world, fate) {
      const size = fate.pick([3, 4, 5]);
      await rested(world, fate, size);
      write(world, fate);
      const id = fate.pick(ids(0, size - 1));
      suspend(world, id);
      await offItsVolume(world, id);
      await world.advance(fate.between(30_000, 300_000));
      offNow(world, id);
      resume(world, id);
      await world.advance(fate.between(0, 20_000));
      world.stopWriters();
      return awake(size);
    },
  },
  {
    name: 'suspended-beside-crash',
    story:
      'While one member is off its volume, or on its way there or back, another one crashes, a node is deleted, or the operator ends.',
    async run(world, fate) {
      const size = fate.pick([4, 5]);
      await rested(world, fate, size);
      write(world, fate);
      const id = fate.pick(ids(0, size - 1));
      suspend(world, id);
      await world.advance(fate.between(0, 15_000));
      hit(world, fate, id);
      if (fate.chance(0.4)) await killedOften(world, fate, 2);
      await offItsVolume(world, id, 600_000);
      hit(world, fate, id);
      await world.advance(fate.between(20_000, 60_000));
      resume(world, id);
      await world.advance(fate.between(0, 10_000));
      hit(world, fate, id);
      world.stopWriters();
      return awake(size);
    },
  },
  {
    name: 'suspended-and-asked',
    story:
      'While one member is off its volume a second one shall be, the size and the template change, and all shall stop: one after the other.',
    async run(world, fate) {
      await rested(world, fate, 5);
      const [first, second] = [fate.pick([0, 1]), fate.pick([2, 3, 4])];
      suspend(world, first);
      await offItsVolume(world, first);
      suspend(world, second, 'bert');
      world.edit({ nodes: 4, resources: { cpu: '250m' } });
      await world.advance(fate.between(30_000, 90_000));
      offNow(world, first);
      if (world.pod(second) === undefined) world.kube.violated('two members are off their volumes at the same time');
      if (world.nodeIds().length !== 5) world.kube.violated('a node is removed while one member is off its volume');
      resume(world, second);
      resume(world, first);
      return { nodes: 4, withinMs: 900_000 };
    },
  },
  {
    name: 'suspended-too-long',
    story:
      'A member is off its volume for longer than deletions are remembered: it is not started, and is replaced when a person says so.',
    async run(world, fate) {
      await rested(world, fate, 4, SHORT_GRACE);
      const id = fate.pick(ids(0, 3));
      suspend(world, id);
      await offItsVolume(world, id);
      await world.advance(fate.between(400_000, 600_000));
      resume(world, id);
      await world.advance(60_000);
      offNow(world, id);
      if (world.cluster()?.status?.blockedBy !== 'SuspendedTooLong')
        world.kube.violated('it is not said why it stays away');
      world.removeObject(NODES, `demo-${id}`);
      return { nodes: 4, ids: ids(0, 4).filter((one) => one !== id), withinMs: 900_000, isRiskReported: () => true };
    },
  },
  {
    name: 'suspended-unpushed',
    story:
      'What clients wrote through the member that is to be off its volume reaches nobody for a while: it is not stopped before it has.',
    async run(world, fate) {
      await rested(world, fate, 3);
      delayRepairs(world, fate.between(25_000, 35_000));
      await missPushes(world, 2, 5_000);
      suspend(world, 2);
      await world.advance(fate.between(60_000, 90_000));
      delayRepairs(world, 0);
      await offItsVolume(world, 2, 400_000);
      resume(world, 2);
      return awake(3);
    },
  },
  {
    name: 'off-and-back',
    story: 'One member is off its volume for a minute and comes back, and nobody writes meanwhile.',
    async run(world, fate) {
      await rested(world, fate, 3);
      suspend(world, 1);
      await offItsVolume(world, 1);
      await world.advance(60_000);
      offNow(world, 1);
      resume(world, 1);
      return awake(3);
    },
  },
];

function suspend(world: MemberWorld, id: number, words = 'anna: its disk is checked'): void {
  world.annotate(NODES, `demo-${id}`, { [ANNOTATIONS.suspend]: words });
}

function resume(world: MemberWorld, id: number): void {
  world.kube.transcript.add('user', `lets demo-${id} run again`);
  const live = world.kube.server.get(NODES, { namespace: 'default', name: `demo-${id}` });
  const { [ANNOTATIONS.suspend]: _words, ...annotations } = live.metadata.annotations ?? {};
  world.kube.server.update(NODES, { ...live, metadata: { ...live.metadata, annotations } });
}

async function offItsVolume(world: MemberWorld, id: number, withinMs = 180_000): Promise<void> {
  await world.until(() => world.node(id)?.status?.phase === 'Suspended', withinMs, `demo-${id} is off its volume`);
  offNow(world, id);
}

function offNow(world: MemberWorld, id: number): void {
  if (world.pod(id) !== undefined) world.kube.violated(`demo-${id} runs while it is to be off its volume`);
}
