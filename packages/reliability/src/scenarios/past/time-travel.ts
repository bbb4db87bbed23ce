// Operators that are shown the past: after a restart, after a cut stream, for minutes, each kind of object as of
// another moment. These are stories of other files in such a world; stories that exist only for it are in
// time-travel-stories.ts.

import { Past } from '../../fate/past.ts';
import type { Scenario } from '../../life/scenario.ts';
import { adopt, adoptAndGoOn } from '../adoption/adopting.ts';
import { mixed } from '../mixed/mixed.ts';
import { twoOperators } from '../operators/operators.ts';
import { byHand, byHandTwo, podDeleted } from '../removal/replacing.ts';
import { rolloutBad } from '../rolling/bad-images.ts';
import { rollout, rolloutTakenBack } from '../rolling/rolling.ts';
import { shrink, shrinkReclaiming } from '../size/sizes.ts';
import { madeAgain } from '../sleep/made-again.ts';
import { CATCH_UP_MS, NOTICE_MS } from './time-travel-stories.ts';

/** The same story with operators that may be in the past. */
export function inThePast(scenario: Scenario): Scenario {
  return {
    name: `${scenario.name}-time-travel`,
    story: `${scenario.story.replace(/\.$/, '')}, and API servers that come back or fall behind show the past.`,
    async run(world, fate) {
      const past = new Past(world, fate);
      fate.whenBegun(() => {
        world.restartMs = fate.between(500, 20_000);
        past.begin();
      });
      const goal = await scenario.run(world, fate);
      await world.advance(past.leftMs + NOTICE_MS);
      // The final ids are random by then, and a surplus node, made in the past, leaves a volume.
      return {
        nodes: goal.nodes,
        withinMs: CATCH_UP_MS,
        ...(goal.problem === undefined ? {} : { problem: goal.problem }),
      };
    },
  };
}

export const IN_THE_PAST: readonly Scenario[] = [
  shrink,
  shrinkReclaiming,
  byHand,
  byHandTwo,
  podDeleted,
  twoOperators,
  madeAgain,
  adopt,
  adoptAndGoOn,
  mixed,
  rollout,
  rolloutBad,
  rolloutTakenBack,
].map(inThePast);
