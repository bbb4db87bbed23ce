// The flags of `npm run sim` (sim-help.ts has their meaning). Pure: returns a wish, or what is wrong with the
// arguments.

import { parseArgs } from 'node:util';
import { GENERATED } from '../generated/story.ts';
import { findMutant } from '../mutants/catalogue.ts';
import { UNIT_KINDS, type Unit, type UnitKind } from '../run/units.ts';

export interface SimWish {
  readonly kinds: readonly UnitKind[];
  /** Per scenario; undefined: the scenario's own number. */
  readonly seeds: number | undefined;
  readonly from: number;
  readonly jobs: number;
  readonly isJson: boolean;
  readonly transcript: Unit['transcript'];
  /** Shrink path of one generated life. */
  readonly path: string | undefined;
  /** Name of the guard to leave out. */
  readonly mutant: string | undefined;
  /** Whether the figures go into docs/reliability.json. */
  readonly isRecorded: boolean;
}

/** Every mutant in the life that catches it. */
export interface MutantsWish {
  readonly mutants: 'all';
  readonly jobs: number;
}

const PATH = /^\d+(?::\d+)*$/;
/** Stands for every scenario whose name ends like this. */
const TIME_TRAVEL = 'time-travel';
/** Transcripts are for reading, so no more than this. */
const MAX_TRANSCRIPTS = 20;

export function parseSimOptions(
  args: readonly string[],
  cores: number,
): SimWish | MutantsWish | 'help' | 'golden' | { readonly problem: string } {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  if (values.help) return 'help';
  if (values.golden) return 'golden';
  const mutant = values.mutant === undefined ? undefined : findMutant(values.mutant);
  if (values.mutant !== undefined && mutant === undefined) return { problem: `no mutant ${values.mutant}` };
  const scenario = values.scenario ?? mutant?.caught.scenario ?? 'mixed';
  const kinds = kindsOf(scenario);
  if (kinds.length === 0) return { problem: `no scenario ${scenario}` };
  const isCatch = mutant !== undefined && values.seeds === undefined && values.scenario === undefined;
  const seeds = values.seeds === undefined ? (isCatch ? 1 : undefined) : wholeNumber(values.seeds, 1, 10_000_000);
  const from = wholeNumber(values.from ?? String(isCatch ? mutant.caught.seed : 1), 1, 2_000_000_000);
  const jobs = values.jobs === undefined ? cores : wholeNumber(values.jobs, 1, 256);
  if (values.seeds !== undefined && seeds === undefined) return { problem: '--seeds: a whole number from 1' };
  if (from === undefined) return { problem: '--from: a whole number from 1' };
  if (jobs === undefined) return { problem: '--jobs: a whole number from 1 to 256' };
  const { json: isJson, record: isRecorded, path } = values;
  if (values.mutants) return { mutants: 'all', jobs };
  const transcript = values.lines ? 'lines' : values.transcript ? 'story' : 'none';
  const wish: SimWish = { kinds, seeds, from, jobs, isJson, transcript, path, mutant: mutant?.name, isRecorded };
  const problem = problemWith(wish, scenario);
  return problem === undefined ? wish : { problem };
}

/** What is wrong with flags that are valid one by one. */
function problemWith(wish: SimWish, scenario: string): string | undefined {
  const count = countUnits(wish);
  if (wish.path !== undefined && (scenario !== GENERATED || count !== 1 || !PATH.test(wish.path)))
    return `--path: like 0:3:1, of one seed of ${GENERATED}`;
  if (wish.mutant !== undefined && wish.isRecorded) return '--record: of the product as it is';
  if (wish.transcript !== 'none' && count > MAX_TRANSCRIPTS)
    return `--transcript: for at most ${MAX_TRANSCRIPTS} seeds`;
  return undefined;
}

export function countUnits(wish: Pick<SimWish, 'kinds' | 'seeds' | 'from'>): number {
  return wish.kinds.reduce((sum, kind) => sum + countOf(kind, wish), 0);
}

/** Scenario after scenario. */
export function* unitsOf(wish: SimWish): Generator<Unit> {
  const { transcript, path, mutant } = wish;
  const common = { transcript, ...(path === undefined ? {} : { path }), ...(mutant === undefined ? {} : { mutant }) };
  for (const kind of wish.kinds) {
    const end = wish.from + countOf(kind, wish);
    for (let seed = wish.from; seed < end; seed += 1) yield { scenario: kind.name, seed, ...common };
  }
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string' },
      seeds: { type: 'string' },
      from: { type: 'string' },
      jobs: { type: 'string' },
      path: { type: 'string' },
      json: { type: 'boolean', default: false },
      transcript: { type: 'boolean', default: false },
      lines: { type: 'boolean', default: false },
      mutant: { type: 'string' },
      mutants: { type: 'boolean', default: false },
      golden: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}

function kindsOf(name: string): readonly UnitKind[] {
  if (name === 'all') return UNIT_KINDS.filter((kind) => !kind.isFinite && !kind.isPart);
  if (name === TIME_TRAVEL) return UNIT_KINDS.filter((kind) => kind.name.endsWith(`-${TIME_TRAVEL}`));
  return UNIT_KINDS.filter((kind) => kind.name === name);
}

function countOf(kind: UnitKind, { seeds, from }: Pick<SimWish, 'seeds' | 'from'>): number {
  if (!kind.isFinite) return seeds ?? kind.seeds;
  return Math.max(0, Math.min(seeds ?? kind.seeds, kind.seeds - from + 1));
}

function wholeNumber(text: string, min: number, max: number): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}
