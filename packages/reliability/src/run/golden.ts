// The main stories as text, kept under review: what is written, reported and done in them, in which order and when.

import { type LifeReport, live } from '../life/life.ts';
import { tellStory } from '../life/story-text.ts';
import { theScenario } from '../scenarios/catalogue.ts';

export interface GoldenStory {
  /** File name without its ending. */
  readonly name: string;
  readonly scenario: string;
  readonly seed: number;
}

export const GOLDEN_STORIES: readonly GoldenStory[] = [
  { name: 'shrink', scenario: 'shrink', seed: 1 },
  { name: 'cancel-early', scenario: 'cancel', seed: 2 },
  { name: 'cancel-while-proving', scenario: 'cancel', seed: 1 },
  { name: 'cancel-late', scenario: 'cancel-late', seed: 2 },
  { name: 'rollback', scenario: 'rollback', seed: 1 },
  { name: 'by-hand', scenario: 'by-hand', seed: 1 },
  { name: 'killed-at-each-phase', scenario: 'killed-at-each-phase', seed: 1 },
];

export const GOLDEN_FOLDER = new URL('../../test/transcripts/', import.meta.url);

/** The text of the file, and the report of its life. */
export async function tellGolden(golden: GoldenStory): Promise<{ readonly text: string; readonly report: LifeReport }> {
  const scenario = theScenario(golden.scenario);
  const life = await live(scenario, golden.seed);
  const { seed, scenario: name } = golden;
  const heading = `# ${scenario.story}\n# npm run sim -- --scenario ${name} --from ${seed} --seeds 1 --transcript\n`;
  return { text: `${heading}\n${tellStory(life)}`, report: life.report };
}
