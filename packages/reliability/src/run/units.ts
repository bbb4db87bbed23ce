// Everything the command can run by name: the scenarios of the catalogue, generated lives, crashes and fields. A name
// with a number is a unit: the same life, wherever and whenever it is run.

import { changeOf, changeTitle, FIELDS, FIELDS_STORY, fieldNumbers, liveChange } from '../fields/field-units.ts';
import { liveNumbered } from '../generated/generated-life.ts';
import { GENERATED, GENERATED_STORY } from '../generated/story.ts';
import { type Life, type LifeReport, live } from '../life/life.ts';
import type { Scenario } from '../life/scenario.ts';
import { tellStory } from '../life/story-text.ts';
import { PARTS, SCENARIOS } from '../scenarios/catalogue.ts';
import { CRASH_NUMBERS, CRASHES, CRASHES_STORY, crashTitle, liveWithCrash } from './crashes.ts';

export interface Unit {
  readonly scenario: string;
  readonly seed: number;
  /** Path to a smaller plan of a generated life. */
  readonly path?: string;
  /** Whether its transcript is wanted too. */
  readonly transcript: 'none' | 'story' | 'lines';
  /** Name of the guard that is missing in the product; undefined: the product as it is. Empty: as it is, but loaded in
   *  the realm of mutants, for comparison with one of them. */
  readonly mutant?: string;
}

export interface UnitReport {
  readonly unit: Unit;
  /** Undefined when there is no such life. */
  readonly life: LifeReport | undefined;
  readonly transcript?: string;
}

export interface UnitKind {
  readonly name: string;
  readonly story: string;
  /** Default number of lives. */
  readonly seeds: number;
  /** Whether there are only `seeds` lives. */
  readonly isFinite: boolean;
  /** Whether it is a special case of another kind. */
  readonly isPart: boolean;
}

interface LivingKind extends UnitKind {
  readonly live: (unit: Unit) => Promise<Life | undefined>;
  /** The meaning of one number, for a person; default: none. */
  readonly title?: (seed: number) => string;
}

const KINDS: readonly LivingKind[] = [
  ...SCENARIOS.map((scenario) => kindOf(scenario, false)),
  ...PARTS.map((scenario) => kindOf(scenario, true)),
  {
    name: GENERATED,
    story: GENERATED_STORY,
    seeds: 10,
    isFinite: false,
    isPart: false,
    live: ({ seed, path }) => liveNumbered(seed, path),
  },
  {
    name: CRASHES,
    story: CRASHES_STORY,
    seeds: CRASH_NUMBERS,
    isFinite: true,
    isPart: false,
    live: ({ seed }) => liveWithCrash(seed),
    title: crashTitle,
  },
  {
    name: FIELDS,
    story: FIELDS_STORY,
    get seeds() {
      return fieldNumbers();
    },
    isFinite: true,
    isPart: false,
    live: ({ seed }) => liveChange(seed),
    title: (seed) => changeTitle(changeOf(seed)),
  },
];

export const UNIT_KINDS: readonly UnitKind[] = KINDS;

function kindOf(scenario: Scenario, isPart: boolean): LivingKind {
  const { name, story } = scenario;
  return { name, story, seeds: 10, isFinite: false, isPart, live: ({ seed }) => live(scenario, seed) };
}

const byName = new Map(KINDS.map((kind) => [kind.name, kind]));

/** @throws RangeError for an unknown name or number */
export async function runUnit(unit: Unit): Promise<UnitReport> {
  const kind = byName.get(unit.scenario);
  if (kind === undefined) throw new RangeError(`no scenario ${unit.scenario}`);
  const life = await kind.live(unit);
  if (life === undefined) return { unit, life };
  const { report, world } = life;
  if (unit.transcript === 'none') return { unit, life: report };
  const transcript = unit.transcript === 'lines' ? `${world.transcript.join('\n')}\n` : tellStory(life);
  return { unit, life: report, transcript };
}

/** A unit in words. */
export function titleOf({ scenario, seed, mutant }: Pick<Unit, 'scenario' | 'seed' | 'mutant'>): string {
  const title = byName.get(scenario)?.title?.(seed);
  const life = title === undefined ? `${scenario}, seed ${seed}` : `${scenario}, number ${seed}: ${title}`;
  return mutant === undefined || mutant === '' ? life : `${life} without ${mutant}`;
}
