// The same story under several rules: how many acknowledged writes are lost in the end. The operator under test is one
// of them.

import {
  COUNTED,
  delayRepairs,
  missPushes,
  writeApart,
  writeLarge,
  writeSmall,
} from '../scenarios/steps/only-there.ts';
import { MemberWorld } from '../world/member-world.ts';
import { flatRoundsRule } from './flat-rounds-rule.ts';
import { gaugeRule } from './gauge-rule.ts';
import type { OtherRule } from './rule.ts';

/** A cluster that is made smaller. */
export interface Story {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Every member was restarted once, so only anti-entropy fills new homes
   *  (docs/design/server.md#after-a-departure). */
  readonly isRestarted?: boolean;
  /** Knobs that make every member worse than the simulator's defaults, which are fit to the real server. */
  readonly knobs?: Readonly<Record<string, number>>;
  readonly writesPerSecond: number;
  /** What happens right before the cluster is made smaller. */
  readonly before?: (world: MemberWorld) => Promise<void>;
  /** What happens afterwards, and after how many virtual milliseconds. */
  readonly after?: { readonly ms: number; readonly run: (world: MemberWorld) => void };
}

export const STORIES: readonly Story[] = [
  { name: '5 to 3, quiet', from: 5, to: 3, writesPerSecond: 0 },
  { name: '5 to 3, writes', from: 5, to: 3, writesPerSecond: 20 },
  {
    name: '6 to 3, repairs wait in a lane',
    from: 6,
    to: 3,
    isRestarted: true,
    knobs: { laneDelayMs: 15_000 },
    writesPerSecond: 0,
    // Observers of contents wait in the same lane.
    after: { ms: 300_000, run: (world) => delayRepairs(world, 0) },
  },
  {
    name: '6 to 3, slow copies, writes',
    from: 6,
    to: 3,
    isRestarted: true,
    knobs: { copyRecordsPerSecond: 5 },
    writesPerSecond: 20,
  },
  {
    name: '4 to 3, pushes missed, repairs late',
    from: 4,
    to: 3,
    writesPerSecond: 0,
    async before(world) {
      delayRepairs(world, 20_000);
      await missPushes(world, 3, 5_000);
    },
    after: { ms: 60_000, run: (world) => delayRepairs(world, 0) },
  },
  {
    name: '4 to 3, counted apart, repairs late',
    from: 4,
    to: 3,
    writesPerSecond: 0,
    async before(world) {
      delayRepairs(world, 20_000);
      await writeApart(world, 3, 20, COUNTED);
    },
    after: { ms: 60_000, run: (world) => delayRepairs(world, 0) },
  },
  {
    name: '5 to 3, a value above the frame',
    from: 5,
    to: 3,
    writesPerSecond: 0,
    before: async (world) => writeLarge(world, 3),
    after: { ms: 660_000, run: (world) => writeSmallIfThere(world, 3) },
  },
];

/** The rule may have removed the member already. */
function writeSmallIfThere(world: MemberWorld, id: number): void {
  if (world.member(id) !== undefined) writeSmall(world, id);
}

export const OTHER_RULES: readonly OtherRule[] = [
  gaugeRule,
  flatRoundsRule({
    name: 'one flat round',
    story: 'No member repairs anything in one round.',
    rounds: 1,
    bound: 'zero',
  }),
  flatRoundsRule({
    name: 'rounds',
    story:
      'No member repairs anything in three rounds: what this operator went by before it compared contents, besides its test keys.',
    rounds: 3,
    bound: 'zero',
  }),
  flatRoundsRule({
    name: 'five rounds, any baseline',
    story: 'Five rounds within three times the 95th percentile of the last 20, whatever happened in these.',
    rounds: 5,
    bound: 'baseline',
  }),
];

export interface RuleOutcome {
  /** Keys whose last acknowledged write is on no running member. */
  readonly lost: number;
  /** Keys that lacked a copy on some home when a removal was called safe, summed over all removals. */
  readonly missing: number;
  readonly keys: number;
}

const KEYS = 4_000;
const SETTLE_MS = 120_000;

/** @param rule undefined: the operator under test */
export async function tell(story: Story, rule: OtherRule | undefined, seed: number): Promise<RuleOutcome> {
  const world = new MemberWorld({ seed });
  const first = world.operator;
  await world.formed(story.from);
  // Forty clients, so that all keys exist after a few seconds: twice as many acknowledged writes as keys.
  world.startWriters({ clients: 40, writesPerSecond: 20, keys: KEYS / 40 });
  await world.advance(10_000);
  world.stopWriters();
  await world.advance(30_000);
  if (story.isRestarted === true) await restartAll(world, story.from);
  for (const id of world.nodeIds()) if (story.knobs !== undefined) world.setKnobs(id, story.knobs);
  if (story.writesPerSecond > 0)
    world.startWriters({ clients: 2, writesPerSecond: story.writesPerSecond / 2, keys: 100 });
  await world.advance(150_000);
  const { before, after } = story;
  await before?.(world);
  if (after !== undefined) world.kube.clock.after(after.ms, () => after.run(world));
  const missing = rule === undefined ? await ours(world, story.to) : await theirs(world, first, rule, story.to);
  world.stopWriters();
  await world.advance(SETTLE_MS);
  const { lost, keys } = world.checkLedger();
  return { lost: lost.length, missing, keys };
}

async function ours(world: MemberWorld, wanted: number): Promise<number> {
  let missing = 0;
  let last = world.cluster()?.status?.lastOperation?.id;
  world.kube.server.onEvent(() => {
    const id = world.cluster()?.status?.lastOperation?.id;
    if (id === last) return;
    last = id;
    missing += world.checkLedger().incomplete.length;
  });
  world.edit({ nodes: wanted });
  await world.until(() => world.isHealthy(wanted), 1_800_000, `${wanted} stay`);
  return missing;
}

async function theirs(
  world: MemberWorld,
  operator: MemberWorld['operator'],
  rule: OtherRule,
  wanted: number,
): Promise<number> {
  world.endOperator(operator);
  const { missingWhenCalledSafe } = await rule.shrink(world, wanted);
  return missingWhenCalledSafe.reduce((sum, count) => sum + count, 0);
}

async function restartAll(world: MemberWorld, size: number): Promise<void> {
  for (const id of world.nodeIds()) {
    const uid = world.pod(id)?.metadata.uid;
    world.removeObject('pods', `demo-${id}`);
    const isBack = () => world.pod(id)?.metadata.uid !== uid && world.member(id) !== undefined && world.isHealthy(size);
    await world.until(isBack, 120_000, `${id} is back`);
    await world.advance(20_000);
  }
}
