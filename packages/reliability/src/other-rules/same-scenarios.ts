// Scenarios of the catalogue told by the existing operator's rule: how many acknowledged writes nobody has any more in
// the end.

import { seededRandom } from '@marekvs/simulator';
import { Fate } from '../fate/fate.ts';
import { fateSeed } from '../run/life.ts';
import { mixed } from '../scenarios/mixed.ts';
import { podDeleted } from '../scenarios/replacing.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { shrink, shrinkReclaiming, shrinkUnderLoad } from '../scenarios/sizes.ts';
import { cancel } from '../scenarios/turning-back.ts';
import { RuledWorld } from './ruled-world.ts';

/** Those that do not depend on what only our operator has: nodes of its own, phases, a forced removal. */
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

/** The same seed meets the same fate as in a life of ours, until their ways part. */
export async function liveByExistingRule(scenario: Scenario, seed: number): Promise<RuledLife> {
  const world = new RuledWorld(seed);
  const fate = new Fate({ world, random: seededRandom(fateSeed(seed)), onBegin: () => world.handOver() });
  try {
    await scenario.run(world, fate);
  } catch (error) {
    // What the scenario waits for may never come under another rule; what was lost counts all the same.
    if (!(error instanceof Error) || !error.message.startsWith('wait for')) throw error;
  }
  fate.stop();
  world.stopWriters();
  await world.advance(SETTLE_MS);
  const { lost, keys } = world.checkLedger();
  return { lost: lost.length, keys };
}
