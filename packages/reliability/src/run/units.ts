// What the command can be asked for by name: every scenario of the catalogue, the crashes and the fields. One number of one name is a unit:
// it is one life, wherever and whenever it is run.

import { changeOf, changeTitle, FIELD_NUMBERS, FIELDS, FIELDS_STORY, liveChange } from '../fields/field-units.ts';
import { findScenario, SCENARIOS } from '../scenarios/catalogue.ts';
import { CRASH_NUMBERS, CRASHES, CRASHES_STORY, crashOf, liveWithCrash } from './crashes.ts';
import { type Life, type LifeReport, live } from './life.ts';
import { tellStory } from './story-text.ts';

export interface Unit {
  readonly scenario: string;
  readonly seed: number;
  /** Whether its transcript is wanted as well. */
  readonly transcript: 'none' | 'story' | 'lines';
}

export interface UnitReport {
  readonly unit: Unit;
  /** Undefined: there is no such life. */
  readonly life: LifeReport | undefined;
  readonly transcript?: string;
}

export interface UnitKind {
  readonly name: string;
  readonly story: string;
  /** How many when no number is asked for. */
  readonly seeds: number;
  /** There are no more than these. */
  readonly isFinite: boolean;
}

export const UNIT_KINDS: readonly UnitKind[] = [
  ...SCENARIOS.map(({ name, story }) => ({ name, story, seeds: 10, isFinite: false })),
  { name: CRASHES, story: CRASHES_STORY, seeds: CRASH_NUMBERS, isFinite: true },
  { name: FIELDS, story: FIELDS_STORY, seeds: FIELD_NUMBERS, isFinite: true },
];

/** @throws RangeError for a name or a number that is none */
export async function runUnit(unit: Unit): Promise<UnitReport> {
  const life = await lifeOf(unit);
  if (life === undefined) return { unit, life };
  const { report, world } = life;
  if (unit.transcript === 'none') return { unit, life: report };
  const transcript = unit.transcript === 'lines' ? `${world.transcript.join('\n')}\n` : tellStory(life);
  return { unit, life: report, transcript };
}

async function lifeOf({ scenario, seed }: Unit): Promise<Life | undefined> {
  if (scenario === CRASHES) return await liveWithCrash(seed);
  if (scenario === FIELDS) return await liveChange(seed);
  const found = findScenario(scenario);
  if (found === undefined) throw new RangeError(`no scenario ${scenario}`);
  return await live(found, seed);
}

/** What a unit is, for a person. */
export function titleOf({ scenario, seed }: Pick<Unit, 'scenario' | 'seed'>): string {
  if (scenario === FIELDS) return `${scenario}, number ${seed}: ${changeTitle(changeOf(seed))}`;
  if (scenario !== CRASHES) return `${scenario}, seed ${seed}`;
  const { story, nth, way } = crashOf(seed);
  return `${scenario}, number ${seed}: ${way} at write ${nth} of ${story.name}`;
}
