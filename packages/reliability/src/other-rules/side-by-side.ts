// Every rule in the same worlds, and what each of them lost: the figures behind the table of docs/reliability.md.

import { live } from '../life/life.ts';
import { OTHER_RULES, STORIES, tell } from './comparison.ts';
import { liveByExistingRule, RULED_SCENARIOS } from './same-scenarios.ts';

/** One rule in one story over some lives. Shares are of all acknowledged keys. */
export interface RuleFigures {
  readonly rule: string;
  readonly lives: number;
  /** Share of the keys that are lost in the end. */
  readonly lost: number;
  /** Share of the keys that lacked a copy on some home when a removal was called safe or finished; undefined for rules
   *  that do not report this. */
  readonly missing: number | undefined;
}

export interface StoryFigures {
  readonly story: string;
  /** The other rules in their order, ours last. */
  readonly rules: readonly RuleFigures[];
}

export const OURS = 'this operator';

/** @param onDone called after each story, which takes some seconds */
export async function compareRules(
  lives: number,
  onDone: (figures: StoryFigures) => void,
): Promise<readonly StoryFigures[]> {
  const all: StoryFigures[] = [];
  const add = (figures: StoryFigures): void => {
    all.push(figures);
    onDone(figures);
  };
  for (const story of STORIES) {
    const rules: RuleFigures[] = [];
    for (const rule of [...OTHER_RULES, undefined]) {
      const outcomes = await each(lives, (seed) => tell(story, rule, seed));
      const keys = sum(outcomes, 'keys');
      const [lost, missing] = [sum(outcomes, 'lost') / keys, sum(outcomes, 'missing') / keys];
      rules.push({ rule: rule?.name ?? OURS, lives, lost, missing });
    }
    add({ story: story.name, rules });
  }
  for (const scenario of RULED_SCENARIOS) {
    const theirs = await each(lives, (seed) => liveByExistingRule(scenario, seed));
    const ours = await each(lives, async (seed) => {
      const { report, world } = await live(scenario, seed);
      if (report.violation !== undefined) throw new Error(`${scenario.name}, seed ${seed}: ${report.violation}`);
      const { lost, keys } = world.checkLedger();
      return { lost: lost.length, keys };
    });
    const figures = (rule: string, outcomes: readonly { readonly lost: number; readonly keys: number }[]) => ({
      rule,
      lives,
      lost: sum(outcomes, 'lost') / sum(outcomes, 'keys'),
      missing: undefined,
    });
    add({ story: scenario.name, rules: [figures(OTHER_RULES[0]?.name ?? '', theirs), figures(OURS, ours)] });
  }
  return all;
}

async function each<T>(lives: number, run: (seed: number) => Promise<T>): Promise<readonly T[]> {
  const outcomes: T[] = [];
  for (let seed = 1; seed <= lives; seed += 1) outcomes.push(await run(seed));
  return outcomes;
}

function sum<K extends string>(outcomes: readonly Readonly<Record<K, number>>[], field: K): number {
  return outcomes.reduce((total, one) => total + one[field], 0);
}
