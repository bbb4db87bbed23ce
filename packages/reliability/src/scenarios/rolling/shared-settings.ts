// Settings that all members share change while they run: the number of homes, and how long deletions are kept.

import type { Fate } from '../../fate/fate.ts';
import { type Goal, rested, type Scenario, unlessAtRest } from '../../life/scenario.ts';
import { FACTOR, settingOf } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { replaceOperators } from '../steps/operator-ends.ts';
import { strike } from '../steps/strike.ts';

const GRACE = 'MAREKVS_GC_GRACE_SECS';
/** A turn of each of six members, and what a fault adds to it. */
const WITHIN_MS = 900_000;
/** Without faults. */
const UNDISTURBED_MS = 400_000;

export interface SharedSettings {
  readonly replicationFactor?: number;
  readonly gcGraceSeconds?: number;
}

export const SHARED_SETTINGS_STORIES: readonly Scenario[] = [
  {
    name: 'factor-raised',
    story: 'Every key gets a third home while clients write; where there are too few members, one joins first.',
    async run(world, fate) {
      const size = fate.pick([3, 4, 5]);
      await rested(world, fate, size);
      write(world, fate);
      world.edit({ replicationFactor: 3 });
      await changed(world, Math.max(4, size), FACTOR, 3);
      return goal(world, Math.max(4, size), FACTOR, 3);
    },
  },
  {
    name: 'factor-lowered',
    story: 'A key loses one of three homes while clients write, and a node may go as soon as nobody counts on three.',
    async run(world, fate) {
      await rested(world, fate, 4, { replicationFactor: 3 });
      write(world, fate);
      const nodes = fate.pick([3, 4]);
      world.edit({ replicationFactor: 2, nodes });
      await changed(world, nodes, FACTOR, 2);
      return goal(world, nodes, FACTOR, 2);
    },
  },
  {
    name: 'factor-one',
    story:
      'Keys have one home and get a second one, or have two and keep one of them; a smaller size may be asked for.',
    async run(world, fate) {
      const isRaised = fate.chance(0.6);
      await rested(world, fate, 4, { replicationFactor: isRaised ? 1 : 2 });
      const nodes = fate.pick([3, 4]);
      const factor = isRaised ? 2 : 1;
      world.edit(isRaised ? { replicationFactor: 2, nodes } : { replicationFactor: 1 });
      return goal(world, isRaised ? nodes : 4, FACTOR, factor);
    },
  },
  {
    name: 'factor-set-back',
    story: 'The number of homes is changed, and set back or changed to a third one before all members have it.',
    async run(world, fate) {
      await rested(world, fate, 5, { replicationFactor: fate.pick([2, 3]) });
      const first = homesOf(world);
      write(world, fate);
      world.edit({ replicationFactor: first === 2 ? 3 : 2 });
      await world.advance(fate.between(0, 60_000));
      const last = fate.pick([first, 4]);
      world.edit({ replicationFactor: last });
      world.stopWriters();
      return goal(world, 5, FACTOR, last);
    },
  },
  {
    name: 'factor-disturbed',
    story:
      'While another number of homes reaches the members, the size changes, a node, a Pod or a volume is deleted, a member ends, or the operator.',
    async run(world, fate) {
      const from = fate.pick([2, 3]);
      await rested(world, fate, 5, { replicationFactor: from });
      const factor = from === 2 ? 3 : 2;
      const nodes = fate.pick([4, 5, 6]);
      world.edit({ replicationFactor: factor });
      await world.advance(fate.between(0, 50_000));
      if (fate.chance(0.5)) world.edit({ nodes });
      else await strike(world, fate);
      return goal(world, Number(world.cluster()?.spec.nodes), FACTOR, factor);
    },
  },
  {
    name: 'factor-killed',
    story: 'The operator ends again and again while another number of homes reaches the members.',
    async run(world, fate) {
      const from = fate.pick([2, 3]);
      await rested(world, fate, 4, { replicationFactor: from });
      world.restartMs = fate.between(500, 8_000);
      world.edit({ replicationFactor: 5 - from });
      await replaceOperators(world, fate, 6, 500, 12_000);
      return goal(world, 4, FACTOR, 5 - from);
    },
  },
  {
    name: 'grace-changed',
    story: 'Deletions are to be remembered for longer, or not as long: members learn it one after the other.',
    async run(world, fate) {
      await rested(world, fate, 3, { gcGraceSeconds: 86_400 });
      const seconds = fate.pick([3_600, 604_800]);
      write(world, fate);
      world.edit({ gcGraceSeconds: seconds });
      await changed(world, 3, GRACE, seconds);
      return goal(world, 3, GRACE, seconds);
    },
  },
];

function write(world: MemberWorld, fate: Fate): void {
  fate.count('load');
  const kind = fate.pick([{}, { msetKeys: 10, isAware: false }, { counters: 3, isAware: false }, { isAware: false }]);
  world.startWriters({ clients: 2, writesPerSecond: fate.between(5, 30), keys: 150, ...kind });
}

/** Waits for the change while clients write. */
async function changed(world: MemberWorld, nodes: number, setting: string, value: number): Promise<void> {
  await world.until(
    () => unlessChanged(world, nodes, setting, value) === undefined,
    UNDISTURBED_MS,
    'all have it under load',
  );
  world.stopWriters();
}

/** Healthy at this size, with every process started with the setting. */
function goal(world: MemberWorld, nodes: number, setting: string, value: number): Goal {
  return { nodes, withinMs: WITHIN_MS, unmet: () => unlessChanged(world, nodes, setting, value) };
}

function unlessChanged(world: MemberWorld, nodes: number, setting: string, value: number): string | undefined {
  const unrest = unlessAtRest(world, nodes);
  if (unrest !== undefined) return unrest;
  const others = world.nodeIds().filter((id) => Number(settingOf(world.pod(id), setting)) !== value);
  return others.length === 0 ? undefined : `demo-${others.join()} has another ${setting}`;
}

/** Which members were started with other settings; undefined when none was. */
export function othersThan(
  world: MemberWorld,
  { replicationFactor, gcGraceSeconds }: SharedSettings,
): string | undefined {
  const wanted = [
    [FACTOR, replicationFactor],
    [GRACE, gcGraceSeconds],
  ] as const;
  for (const [setting, value] of wanted) {
    const others = world
      .nodeIds()
      .filter((id) => value !== undefined && Number(settingOf(world.pod(id), setting)) !== value);
    if (others.length > 0) return `demo-${others.join()} has another ${setting}`;
  }
  return undefined;
}

function homesOf(world: MemberWorld): number {
  return Number(settingOf(world.pod(0), FACTOR));
}
