// The flags of `npm run sim`. Pure: words in, a wish or what is wrong with them out.

import { parseArgs } from 'node:util';
import { GENERATED } from '../generated/story.ts';
import { UNIT_KINDS, type Unit, type UnitKind } from '../run/units.ts';

export interface SimWish {
  readonly kinds: readonly UnitKind[];
  /** Of each scenario; undefined: its own number. */
  readonly seeds: number | undefined;
  readonly from: number;
  readonly jobs: number;
  readonly isJson: boolean;
  readonly transcript: Unit['transcript'];
  /** Of one generated life. */
  readonly path: string | undefined;
  /** The figures go into docs/reliability.json. */
  readonly isRecorded: boolean;
}

/** Other rules in the same worlds. */
export interface ComparisonWish {
  readonly comparedLives: number;
  readonly isRecorded: boolean;
}

const COMPARED_LIVES = 3;
const PATH = /^\d+(?::\d+)*$/;
/** Every scenario whose name ends so. */
const TIME_TRAVEL = 'time-travel';
/** A transcript is for reading. */
const MAX_TRANSCRIPTS = 20;

export function parseSimOptions(
  args: readonly string[],
  cores: number,
): SimWish | ComparisonWish | 'help' | 'golden' | { readonly problem: string } {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  if (values.help) return 'help';
  if (values.golden) return 'golden';
  const kinds = kindsOf(values.scenario);
  if (kinds.length === 0) return { problem: `no scenario ${values.scenario}` };
  const seeds = values.seeds === undefined ? undefined : wholeNumber(values.seeds, 1, 10_000_000);
  const from = wholeNumber(values.from, 1, 2_000_000_000);
  const jobs = values.jobs === undefined ? cores : wholeNumber(values.jobs, 1, 256);
  if (values.seeds !== undefined && seeds === undefined) return { problem: '--seeds: a whole number from 1' };
  if (from === undefined) return { problem: '--from: a whole number from 1' };
  if (jobs === undefined) return { problem: '--jobs: a whole number from 1 to 256' };
  const transcript = values.lines ? 'lines' : values.transcript ? 'story' : 'none';
  const { json: isJson, record: isRecorded, path } = values;
  if (values.compare) return { comparedLives: seeds ?? COMPARED_LIVES, isRecorded };
  const wish: SimWish = { kinds, seeds, from, jobs, isJson, transcript, path, isRecorded };
  if (path !== undefined && (values.scenario !== GENERATED || countUnits(wish) !== 1 || !PATH.test(path)))
    return { problem: `--path: like 0:3:1, of one seed of ${GENERATED}` };
  if (transcript !== 'none' && countUnits(wish) > MAX_TRANSCRIPTS)
    return { problem: `--transcript: for at most ${MAX_TRANSCRIPTS} seeds` };
  return wish;
}

export function countUnits(wish: Pick<SimWish, 'kinds' | 'seeds' | 'from'>): number {
  return wish.kinds.reduce((sum, kind) => sum + countOf(kind, wish), 0);
}

/** Scenario after scenario. */
export function* unitsOf(wish: SimWish): Generator<Unit> {
  for (const kind of wish.kinds) {
    const end = wish.from + countOf(kind, wish);
    for (let seed = wish.from; seed < end; seed += 1) yield unitOf(kind, seed, wish);
  }
}

function unitOf({ name }: UnitKind, seed: number, { transcript, path }: SimWish): Unit {
  return { scenario: name, seed, transcript, ...(path === undefined ? {} : { path }) };
}

export function helpText(): string {
  const width = Math.max(...UNIT_KINDS.map(({ name }) => name.length));
  return `Runs whole lives of clusters on virtual time and tries to make the operator lose data.

  npm run sim -- [--scenario <name>] [--seeds <n>] [--from <seed>] [--jobs <n>] [--path <path>]
              [--json] [--transcript | --lines] [--record]
  npm run sim -- --compare [--seeds <n>] [--record]

  --scenario    one of those below, all (without the crashes and the fields), or time-travel (those that end so);
                default mixed
  --seeds       how many seeds of each; default 10
  --from        the first of them; default 1
  --jobs        processes at once; default one per core
  --path        of one generated life that was violated: only the smaller plan it names
  --json        one object instead of text
  --transcript  the story of each seed: what was done, written and said, and who died
  --lines       every line of the transcript instead
  --compare     other rules in the same worlds, and what each of them loses; --seeds lives of each, default ${COMPARED_LIVES}
  --record      the figures go into docs/reliability.json; then npm run generate writes docs/reliability.md
  --golden      writes the reviewed stories in packages/reliability/test/transcripts anew, and nothing else

Ends with 1 when anything was violated, and names the seed that shows it again.

${UNIT_KINDS.map(({ name, story }) => `  ${name.padEnd(width)}  ${story}`).join('\n')}
`;
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string', default: 'mixed' },
      seeds: { type: 'string' },
      from: { type: 'string', default: '1' },
      jobs: { type: 'string' },
      path: { type: 'string' },
      json: { type: 'boolean', default: false },
      transcript: { type: 'boolean', default: false },
      lines: { type: 'boolean', default: false },
      golden: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}

function kindsOf(name: string): readonly UnitKind[] {
  if (name === 'all') return UNIT_KINDS.filter((kind) => !kind.isFinite);
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
