// The size follows the load, under writes, while things go wrong.

import type { Fate } from '../../fate/fate.ts';
import { forbidRemoval, type Goal, type Scenario } from '../../life/scenario.ts';
import type { MemberWorld } from '../../world/member-world.ts';

/** The shipped example has windows of minutes, too long for a life. */
const AUTOSCALE = {
  minNodes: 3,
  maxNodes: 6,
  targetOpsPerNode: 20,
  scaleUpCooldownSeconds: 20,
  scaleDownStabilizationSeconds: 60,
};
const HIGH = { clients: 2, writesPerSecond: 45, keys: 150 };
const LOW = { clients: 1, writesPerSecond: 15, keys: 150 };
/** The first growth takes up to forty seconds on the server, and every removal takes a window. */
const GROWN_MS = 240_000;
const SHRUNK_MS = 600_000;

export const AUTOSCALING_STORIES: readonly Scenario[] = [
  {
    name: 'follows-load',
    story:
      'Clients write more, and a cluster grows from 3 to 5 in one step; they write less, and it goes back one by one.',
    async run(world, fate) {
      await begun(world, fate);
      await steppedUp(world);
      world.stopWriters();
      world.startWriters(LOW);
      await world.until(() => world.isHealthy(3), SHRUNK_MS, 'it has gone back under load');
      return smallAgain(world);
    },
  },
  {
    name: 'follows-load-disturbed',
    story:
      'While its size follows the load, members or operators are killed, or a member gives no figures for a while.',
    async run(world, fate) {
      await begun(world, fate);
      world.startWriters(HIGH);
      await world.advance(fate.between(0, 40_000));
      await disturbed(world, fate);
      await world.until(() => decidedSize(world) >= 5, GROWN_MS, 'it is sized up');
      world.stopWriters();
      world.startWriters(LOW);
      await world.advance(fate.between(0, 120_000));
      await disturbed(world, fate);
      world.stopWriters();
      return smallAgain(world);
    },
  },
  {
    name: 'silent-while-low',
    story: 'Nobody writes any more, and one member gives no figures: it is not known to be idle, so no member leaves.',
    async run(world, fate) {
      await begun(world, fate);
      await steppedUp(world);
      const id = fate.pick(world.nodeIds());
      world.setKnobs(id, { metrics: fate.pick(['hang', 'error', 'garbage']) });
      world.stopWriters();
      forbidRemoval(world, 'while a member gives no figures', 180_000);
      await world.advance(180_000);
      const size = decidedSize(world);
      world.setKnobs(id, { metrics: 'ok' });
      const problem = (): string | undefined => (size === 5 ? undefined : `sized to ${size} without a signal`);
      return { ...smallAgain(world), problem };
    },
  },
  {
    name: 'rises-again',
    story:
      'The load rises again while a member is being removed for want of it: it is taken back, or another one joins.',
    async run(world, fate) {
      await begun(world, fate);
      await steppedUp(world);
      world.stopWriters();
      const isRemoving = (): boolean => world.operationPhase() !== undefined;
      await world.until(isRemoving, SHRUNK_MS, 'a removal begins');
      await world.advance(fate.between(0, 12_000));
      world.startWriters(HIGH);
      await world.until(
        () => world.isHealthy(5) && decidedSize(world) >= 5,
        GROWN_MS + SHRUNK_MS,
        'it is of size again',
      );
      world.stopWriters();
      return smallAgain(world);
    },
  },
  {
    name: 'switched-on-and-off',
    story: 'spec.autoscale is taken out and set again: the size stays as it is until a person sets another one.',
    async run(world, fate) {
      await begun(world, fate);
      await steppedUp(world);
      world.edit({ autoscale: null });
      world.stopWriters();
      forbidRemoval(world, 'because autoscale was taken out', 90_000);
      await world.advance(90_000);
      const kept = world.nodeIds().length;
      const isSetAgain = fate.chance(0.5);
      world.edit(isSetAgain ? { autoscale: { ...AUTOSCALE, minNodes: 4 } } : { nodes: 4 });
      const problem = (): string | undefined => (kept === 5 ? undefined : `${kept} nodes without autoscale, not 5`);
      return { nodes: 4, withinMs: SHRUNK_MS, problem };
    },
  },
];

/** A cluster of three whose size follows the load, which is low at first. */
async function begun(world: MemberWorld, fate: Fate): Promise<void> {
  await world.formed(3, { autoscale: AUTOSCALE });
  world.startWriters(LOW);
  await world.advance(fate.between(25_000, 60_000));
  world.stopWriters();
  fate.begin();
}

/** Waits until the size goes to five in one step and the nodes have joined. */
async function steppedUp(world: MemberWorld): Promise<void> {
  const sizes = new Set<number>();
  const forget = world.kube.server.onEvent(() => void sizes.add(decidedSize(world)));
  world.startWriters(HIGH);
  await world.until(() => world.isHealthy(5), GROWN_MS, '5 members by load');
  forget();
  if (sizes.has(4)) world.kube.violated('it was sized to 4 on the way to 5: a part of a step was taken for the whole');
}

async function disturbed(world: MemberWorld, fate: Fate): Promise<void> {
  const ids = world.nodeIds().filter((id) => world.member(id) !== undefined);
  const id = fate.pick(ids);
  const blow = fate.pick(['operator', 'member', 'metrics', 'podDeleted'] as const);
  if (blow === 'operator') {
    fate.count('operatorKilled');
    world.operator.crash();
  } else if (blow === 'member') {
    fate.count('memberKilled');
    world.kill(id);
  } else if (blow === 'podDeleted') {
    fate.count('podDeleted');
    world.removeObject('pods', `demo-${id}`);
  } else {
    fate.count('metricsHang');
    const process = world.processOf(id);
    world.setKnobs(id, { metrics: 'hang' });
    await world.advance(fate.between(5_000, 60_000));
    if (world.member(id) !== undefined && world.processOf(id) === process) world.setKnobs(id, { metrics: 'ok' });
  }
}

function decidedSize(world: MemberWorld): number {
  return world.cluster()?.status?.autoscale?.size ?? 0;
}

function smallAgain(world: MemberWorld): Goal {
  return { nodes: 3, withinMs: SHRUNK_MS, restMs: 90_000, problem: () => notExplained(world) };
}

function notExplained(world: MemberWorld): string | undefined {
  const { autoscale } = world.cluster()?.status ?? {};
  return autoscale?.message === undefined ? 'the last size is not explained' : undefined;
}
