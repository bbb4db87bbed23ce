// What the command can be asked for by name: every scenario of the catalogue, generated lives, the crashes and the
// fields. One number of one name is a unit: it is one life, wherever and whenever it is run.

import { changeOf, changeTitle, FIELDS, FIELDS_STORY, fieldNumbers, liveChange } from '../fields/field-units.ts';
import { liveNumbered } from '../generated/generated-life.ts';
import { GENERATED, GENERATED_STORY } from '../generated/story.ts';
import { PARTS, SCENARIOS } from '../scenarios/catalogue.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { CRASH_NUMBERS, CRASHES, CRASHES_STORY, crashTitle, liveWithCrash } from './crashes.ts';
import { type Life, type LifeReport, live } from './life.ts';
import { tellStory } from './story-text.ts';

export interface Unit {
  readonly scenario: string;
  readonly seed: number;
  /** Of a generated life: which of its smaller plans. */
  readonly path?: string;
  /** Whether its transcript is wanted as well. */
  readonly transcript: 'none' | 'story' | 'lines';
  /** Name of the guard that is missing in the product; undefined: the product as it is. Empty: as it is, in the realm
   *  in which guards go missing, for a life that is compared with one of these. */
  readonly mutant?: string;
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
  /** A case of another one of these. */
  readonly isPart: boolean;
}

interface LivingKind extends UnitKind {
  readonly live: (unit: Unit) => Promise<Life | undefined>;
  /** What one number is, for a person; default: it says nothing but itself. */
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

/** @throws RangeError for a name or a number that is none */
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

/** What a unit is, for a person. */
export function titleOf({ scenario, seed, mutant }: Pick<Unit, 'scenario' | 'seed' | 'mutant'>): string {
  const title = byName.get(scenario)?.title?.(seed);
  const life = title === undefined ? `${scenario}, seed ${seed}` : `${scenario}, number ${seed}: ${title}`;
  return mutant === undefined || mutant === '' ? life : `${life} without ${mutant}`;
}
