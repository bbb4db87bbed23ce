// All members are away for longer than deletions are remembered. Started one by one, each drops what the earlier ones
// lack (docs/design/server.md#h1), sole copies too. Started together, none does.

import type { Fate } from '../../fate/fate.ts';
import { ids, rested, type Scenario, SHORT_GRACE } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export const OUTAGE_STORIES: readonly Scenario[] = [
  {
    name: 'long-outage',
    story:
      'All hosts fail, their Pods are evicted, and gcGraceSeconds later the hosts come back one by one: the members start when the last one is there.',
    async run(world, fate) {
      await rested(world, fate, 3, SHORT_GRACE);
      await allAway(world, fate);
      await world.advance(fate.between(310_000, 400_000));
      forbidStart(world);
      await backOneByOne(world, fate, [0, 1, 2]);
      return { nodes: 3, ids: ids(0, 2), withinMs: 120_000 };
    },
  },
  {
    name: 'short-outage',
    story: 'All hosts fail and come back one by one a minute later: each member starts as soon as its host is there.',
    async run(world, fate) {
      await rested(world, fate, 3, SHORT_GRACE);
      await allAway(world, fate);
      await world.advance(fate.between(30_000, 60_000));
      await backOneByOne(world, fate, [0]);
      await world.until(() => world.member(0)?.phase === 'Active', 20_000, 'the first member is back by itself');
      await backOneByOne(world, fate, [1, 2]);
      return { nodes: 3, ids: ids(0, 2), withinMs: 120_000 };
    },
  },
  {
    name: 'outage-unwatched',
    story:
      'All hosts fail, the one of the operator as well: gcGraceSeconds later a new operator, which has seen nothing of it, starts the members when the last host is there.',
    async run(world, fate) {
      await rested(world, fate, 3, SHORT_GRACE);
      await world.advance(fate.between(200_000, 300_000));
      fate.count('operatorKilled');
      world.restartMs = 400_000;
      world.operator.crash();
      await allAway(world, fate);
      await world.advance(world.restartMs + 10_000);
      forbidStart(world);
      await backOneByOne(world, fate, [0, 1, 2]);
      return { nodes: 3, ids: ids(0, 2), withinMs: 120_000 };
    },
  },
  {
    name: 'outage-for-good',
    story:
      'All hosts fail for longer than gcGraceSeconds and one of them never comes back: the others wait for it until a person orders them to start.',
    async run(world, fate) {
      await rested(world, fate, 3, SHORT_GRACE);
      await allAway(world, fate);
      await world.advance(310_000);
      await backOneByOne(world, fate, [0, 1]);
      await world.advance(60_000);
      const early = [0, 1].filter((id) => world.pod(id) !== undefined);
      if (early.length > 0) world.kube.violated(`demo-${early.join(' and demo-')} are started without demo-2`);
      world.annotate('marekvsclusters.marekvs.io', 'demo', {
        'marekvs.io/start-after-outage': 'the host of 2 has burnt',
      });
      await world.until(() => [0, 1].every((id) => world.member(id)?.phase === 'Active'), 60_000, 'the others start');
      await backOneByOne(world, fate, [2]);
      // Records that only the last member held are lost, which the person accepted. With two copies of everything these
      // are only records whose other copy was missing.
      return { nodes: 3, ids: ids(0, 2), withinMs: 120_000, isRiskReported: () => true };
    },
  },
];

/** From now on creating a Pod while an earlier one still exists is a violation. */
function forbidStart(world: MemberWorld): void {
  world.kube.server.onEvent(({ type, resource, object }) => {
    if (type !== 'ADDED' || resource !== 'pods') return;
    const away = world.nodeIds().filter((id) => world.pod(id)?.metadata.deletionTimestamp !== undefined);
    if (away.length > 0) world.kube.violated(`${object.metadata.name} is started while the host of ${away} is away`);
  });
}

/** All Pods end, and their objects stay until their hosts are back to confirm it. */
async function allAway(world: MemberWorld, fate: Fate): Promise<void> {
  world.kube.transcript.add('world', 'all hosts fail');
  for (const id of world.nodeIds()) {
    fate.count('podDeleted');
    const ref = { namespace: 'default', name: `demo-${id}` };
    world.kube.server.patch('pods', ref, { metadata: { finalizers: ['example.com/host'] } });
    world.removeObject('pods', ref.name);
  }
  await world.until(() => world.nodeIds().every((id) => world.member(id) === undefined), 30_000, 'all have ended');
}

async function backOneByOne(world: MemberWorld, fate: Fate, order: readonly number[]): Promise<void> {
  for (const id of order) {
    world.kube.transcript.add('world', `the host of ${id} is back`);
    world.kube.server.patch('pods', { namespace: 'default', name: `demo-${id}` }, { metadata: { finalizers: [] } });
    await world.advance(fate.between(5_000, 15_000));
  }
}
