// Runs every mutant in the life that catches it, and the same life of the unchanged product, so that the guard makes
// the difference.

import type { Mutant } from '../mutants/edits/mutant.ts';
import { runCampaign } from './campaign.ts';
import type { Unit } from './units.ts';

export interface Trial {
  readonly mutant: Mutant;
  /** The first line of what went wrong without the guard. */
  readonly found: string | undefined;
  /** Why this proves nothing about the guard; undefined when it is caught as recorded. */
  readonly problem: string | undefined;
}

/** One trial per mutant, in order; fewer when `signal` comes first. */
export async function tryMutants(
  mutants: readonly Mutant[],
  { jobs, signal }: { readonly jobs: number; readonly signal: AbortSignal },
): Promise<readonly Trial[]> {
  const violations = new Map<string, string | undefined>();
  await runCampaign({
    units: unitsFor(mutants),
    jobs,
    signal,
    onReport: ({ unit, life }) => violations.set(keyOf(unit), life?.violation),
  });
  return mutants
    .filter((mutant) => violations.has(keyOf(unitOf(mutant))) && violations.has(keyOf(unitWith(mutant))))
    .map((mutant) => trialOf(mutant, violations.get(keyOf(unitWith(mutant))), violations.get(keyOf(unitOf(mutant)))));
}

/** One line per trial: guard, life, finding. */
export function trialsText(trials: readonly Trial[]): string {
  const width = Math.max(...trials.map(({ mutant }) => mutant.name.length));
  const lines = trials.map(({ mutant: { name, caught }, found, problem }) => {
    const life = `${caught.scenario} ${caught.seed}`.padEnd(28);
    return `${problem === undefined ? '✓' : '✗'} ${name.padEnd(width)}  ${life} ${problem ?? found}`;
  });
  const missed = trials.filter(({ problem }) => problem !== undefined).length;
  return `${[...lines, '', `${trials.length - missed} of ${trials.length} missing guards are seen`].join('\n')}\n`;
}

function trialOf(mutant: Mutant, usual: string | undefined, violation: string | undefined): Trial {
  const found = violation?.split('\n')[0];
  return { mutant, found, problem: problemOf(mutant, usual, found) };
}

function problemOf({ caught }: Mutant, usual: string | undefined, found: string | undefined): string | undefined {
  if (usual !== undefined) return `with the guard as well: ${usual.split('\n')[0]}`;
  if (found === undefined) return 'nothing goes wrong without it';
  return caught.violation.test(found) ? undefined : `something else goes wrong: ${found}`;
}

/** The lives of the unchanged product first, each once. */
function* unitsFor(mutants: readonly Mutant[]): Generator<Unit> {
  yield* new Map(mutants.map(unitWith).map((unit) => [keyOf(unit), unit])).values();
  yield* mutants.map(unitOf);
}

/** Runs in the same realm as the life without the guard: nothing else differs, and compiled code serves both. */
function unitWith({ caught: { scenario, seed } }: Mutant): Unit {
  return { scenario, seed, transcript: 'none', mutant: '' };
}

function unitOf(mutant: Mutant): Unit {
  return { ...unitWith(mutant), mutant: mutant.name };
}

function keyOf({ scenario, seed, mutant = '' }: Unit): string {
  return `${scenario} ${seed} ${mutant}`;
}
