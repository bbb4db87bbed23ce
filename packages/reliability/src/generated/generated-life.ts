// One generated life by its seed, and its smallest failing plan when it fails. fast-check makes and shrinks plans. The
// number of lives spent on shrinking is bounded, and the path to the smallest plan can be run again as a life of its
// own.

import fc from 'fast-check';
import { STILL_MISSING } from '../life/closing.ts';
import { type Life, live } from '../life/life.ts';
import { tellStory } from '../life/story-text.ts';
import { plans } from './arbitrary.ts';
import type { Plan } from './plan.ts';
import { planText } from './plan-text.ts';
import { GENERATED, HANDS, type Hands, storyOf } from './story.ts';

/** The maximum number of lives, shrinking included. */
const MAX_LIVES = 40;

export interface GeneratedOptions {
  /** A shrink path, as reported with a violation: only the life at its end is run. */
  readonly path?: string;
  readonly maxLives?: number;
  readonly hands?: Hands;
}

export interface GeneratedLife {
  readonly life: Life;
  /** The plan of the smallest life that failed, or of the only life when none did. */
  readonly plan: Plan;
  /** Empty when nothing failed. */
  readonly path: string;
  /** How many lives were run. */
  readonly lives: number;
}

export async function liveGenerated(seed: number, options: GeneratedOptions = {}): Promise<GeneratedLife> {
  const { path, maxLives = MAX_LIVES, hands = HANDS } = options;
  let lives = 0;
  let last: { readonly plan: Plan; readonly life: Life } | undefined;
  const property = fc.asyncProperty(plans(), async (plan) => {
    // Out of lives: the smallest failure so far counts.
    if (lives === maxLives) return;
    lives += 1;
    const life = await live(storyOf(plan, hands), plan.seed);
    const isFailed = life.report.violation !== undefined;
    if (isFailed || last === undefined) last = { plan, life };
    if (isFailed) throw new Error(life.report.violation);
  });
  const details = await fc.check(property, {
    seed,
    numRuns: 1,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  });
  if (last === undefined) throw new RangeError(`${GENERATED}: no plan has the number ${seed} and the path ${path}`);
  return { ...last, path: path ?? details.counterexamplePath ?? '', lives };
}

/** The same as a life of the campaign, with all that a person needs to investigate a violation. */
export async function liveNumbered(seed: number, path?: string): Promise<Life> {
  const generated = await liveGenerated(seed, path === undefined ? {} : { path });
  const { life } = generated;
  const violation = life.report.violation === undefined ? undefined : violationText(seed, generated);
  return { ...life, report: { ...life.report, scenario: GENERATED, seed, violation } };
}

export function violationText(seed: number, { life, plan, path, lives }: GeneratedLife): string {
  const [first = '', ...rest] = (life.report.violation ?? '').split('\n');
  const missing = rest.filter((line) => line.startsWith(STILL_MISSING));
  return [
    first,
    ...missing,
    `The smallest plan of ${lives} lives (fast-check seed ${seed}, path ${path}):`,
    planText(plan),
    `Alone: npm run sim -- --scenario ${GENERATED} --from ${seed} --seeds 1 --path ${path} --transcript`,
    tellStory(life),
    ...rest,
  ].join('\n');
}
