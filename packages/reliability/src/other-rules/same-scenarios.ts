// Scenarios of the catalogue under the existing operator's rule: how many acknowledged writes are lost in the end.

import { seededRandom } from '@marekvs/simulator';
import { Fate } from '../fate/fate.ts';
import { fateSeed } from '../life/life.ts';
import type { Scenario } from '../life/scenario.ts';
import { mixed } from '../scenarios/mixed/mixed.ts';
import { podDeleted } from '../scenarios/removal/replacing.ts';
import { cancel } from '../scenarios/removal/turning-back.ts';
import { shrink, shrinkReclaiming, shrinkUnderLoad } from '../scenarios/size/sizes.ts';
import { RuledWorld } from './ruled-world.ts';

/** Scenarios that need nothing only our operator has, such as node objects, phases or a forced removal. */
export const RULED_SCENARIOS: readonly Scenario[] = [
  shrink,
  shrinkReclaiming,
  shrinkUnderLoad,
  cancel,
  podDeleted,
  mixed,
];

export interface RuledLife {
  /** Keys whose last acknowledged write is on no running member. */
  readonly lost: number;
  readonly keys: number;
}

const SETTLE_MS = 120_000;

/** With the same seed the fate is that of a life of ours, until the two lives diverge. */
export async function liveByExistingRule(scenario: Scenario, seed: number): Promise<RuledLife> {
  const world = new RuledWorld(seed);
  const fate = new Fate({ world, random: seededRandom(fateSeed(seed)), onBegin: () => world.handOver() });
  try {
    await scenario.run(world, fate);
  } catch (error) {
    // Under another rule the scenario may wait for something that never happens; losses count all the same.
    if (!(error instanceof Error) || !error.message.startsWith('wait for')) throw error;
  }
  fate.stop();
  world.stopWriters();
  await world.advance(SETTLE_MS);
  const { lost, keys } = world.checkLedger();
  return { lost: lost.length, keys };
}
