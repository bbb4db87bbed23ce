// Answers: for how many rounds have all members been steady and quiet together, counted from a moment, and if for too few,
// which member is it? One common window for all: what one member repairs speaks against the rounds of the others.

import { hold } from '../hold.ts';
import type { Hold } from '../observation.ts';
import type { Agreement, Witness } from './answers.ts';
import { type Check, failed, passed } from './checks.ts';
import type { ProofRules } from './evidence.ts';
import { roundsOf } from './repairs.ts';
import { requiredRounds } from './rounds.ts';
import { NO_BOUND, REPAIRED, steadyStateOf, steadyWindow } from './steady.ts';
import { commonStart, completeRounds, type Flaw, firstSince, roundsBegun, type Window } from './window.ts';

export interface FlatRounds {
  /** Rounds begun on every member in the common window. */
  readonly begun: number;
  /** Those of them that are complete. */
  readonly complete: number;
  /** The member whose window began last, and why. */
  readonly heldBack: { readonly name: string; readonly flaw: Flaw } | undefined;
  /** The member that goes on repairing, more than its bound where there is one, although twice the needed rounds have passed. */
  readonly restless: { readonly name: string; readonly recordsPerRound: number } | undefined;
}

const NONE: FlatRounds = { begun: 0, complete: 0, heldBack: undefined, restless: undefined };

/** @param sinceMs monotonic; what came before does not count. Undefined: nothing counts yet */
export function flatRoundsOf(
  witnesses: readonly Witness[],
  agreed: Agreement | undefined,
  rules: ProofRules,
  sinceMs: number | undefined,
): FlatRounds {
  if (agreed === undefined || sinceMs === undefined) return NONE;
  const state = steadyStateOf(agreed, rules);
  const windows: Window[] = [];
  for (const { history, last } of witnesses) {
    if (history === undefined || last === undefined) return NONE;
    windows.push(steadyWindow(history, state));
  }
  const startMs = commonStart(windows);
  const heldBack = latestFlaw(witnesses, windows, sinceMs);
  if (startMs === undefined) return { ...NONE, heldBack };
  const begun = roundsBegun(windows, Math.max(startMs, sinceMs));
  const needed = requiredRounds(rules);
  const isHeldByRepairs = heldBack?.flaw === REPAIRED && completeRounds(begun) < needed;
  const restless = isHeldByRepairs ? restlessMember(witnesses, sinceMs, needed) : undefined;
  return { begun, complete: completeRounds(begun), heldBack, restless };
}

function latestFlaw(
  witnesses: readonly Witness[],
  windows: readonly Window[],
  sinceMs: number,
): FlatRounds['heldBack'] {
  let latest: { atMs: number; name: string; flaw: Flaw } | undefined;
  windows.forEach(({ history, from, flaw }, index) => {
    const atMs = history.samples[from]?.atMs ?? Number.POSITIVE_INFINITY;
    const name = witnesses[index]?.node.name ?? '';
    if (flaw !== undefined && atMs > sinceMs && (latest === undefined || atMs > latest.atMs))
      latest = { atMs, name, flaw };
  });
  return latest;
}

/** So many times the needed rounds go by before a person is told that a member will not become quiet by itself. */
const RESTLESS_FACTOR = 2;

function restlessMember(witnesses: readonly Witness[], sinceMs: number, needed: number): FlatRounds['restless'] {
  let worst: { name: string; recordsPerRound: number } | undefined;
  for (const { node, history } of witnesses) {
    const samples = history?.samples ?? [];
    const from = firstSince(samples, sinceMs);
    const [first, newest] = [samples[from], samples.at(-1)];
    const begun = (newest?.rounds ?? 0) - (first?.rounds ?? Number.POSITIVE_INFINITY);
    if (!(completeRounds(begun) >= RESTLESS_FACTOR * needed)) return undefined;
    if (first?.repairs === newest?.repairs) continue;
    const most = Math.max(0, ...roundsOf(samples, from).map(({ repairs, rounds }) => repairs / rounds));
    const recordsPerRound = roundedUp(most);
    if (worst === undefined || recordsPerRound > worst.recordsPerRound) worst = { name: node.name, recordsPerRound };
  }
  return worst;
}

/** 1, 2, 5, 10, 20, …: a number in a message stands still while the noise goes on. */
function roundedUp(records: number): number {
  if (!(records > 1)) return 1;
  const decade = 10 ** Math.floor(Math.log10(records));
  return decade * ([1, 2, 5].find((step) => records <= step * decade) ?? 10);
}

/** Rounds every member has to begin after the target's isolation, whatever the idle history shows (marekvs.md 11, change 8). */
const ROUNDS_AFTER_ISOLATION = 2;

/** @param idleBefore idle rounds before the isolation, which stand for flat ones after it; 0 where they do not count */
export function quietCheck(flat: FlatRounds, rules: ProofRules, targetName: string, idleBefore: number): Check {
  const needed = requiredRounds(rules);
  if (flat.complete >= needed) return passed('quietRounds', `${flat.complete} quiet rounds, ${needed} needed`);
  const isIdle = mayUseIdle(rules, idleBefore);
  const since = `${flat.begun} of ${ROUNDS_AFTER_ISOLATION} rounds since`;
  if (isIdle && flat.begun >= ROUNDS_AFTER_ISOLATION)
    return passed('quietRounds', `${idleBefore} idle rounds before, ${since}`);
  const cause = flat.heldBack === undefined ? '' : `; ${flat.heldBack.name}: ${flat.heldBack.flaw}`;
  const seen = isIdle ? `${idleBefore} idle rounds before, ${since}` : `${flat.complete} of ${needed} quiet rounds`;
  const wanted = isIdle ? ROUNDS_AFTER_ISOLATION : needed;
  return failed('quietRounds', `${seen}${cause}`, quietHold(flat, rules, targetName, wanted));
}

/** Only quiet may be shown by what came before; how much repair is healthy has to be seen afterwards. */
export function mayUseIdle(rules: ProofRules, idleBefore: number): boolean {
  return rules.tier === 'Strict' && idleBefore >= requiredRounds(rules);
}

function quietHold({ restless, heldBack }: FlatRounds, rules: ProofRules, targetName: string, wanted: number): Hold {
  if (restless !== undefined) {
    const records = restless.recordsPerRound === 1 ? '1 record' : `${restless.recordsPerRound} records`;
    const quiet = 'stop the writes for a minute';
    const way =
      rules.tier === 'Strict'
        ? `${quiet}, or set spec.removal.proof: Bounded`
        : `more than is healthy here: ${quiet}, or let clients ask the homes of their keys`;
    return hold('MemberNotQuiet', `${restless.name} goes on repairing, up to ${records} a round: ${way}`, true);
  }
  if (heldBack?.flaw === NO_BOUND) return hold('NoCleanBaseline', `${heldBack.name} has no healthy baseline`);
  const why = heldBack === undefined ? '' : `; last ${heldBack.name}: ${heldBack.flaw}`;
  return hold(
    'WaitingForProof',
    `${targetName}: waiting for ${wanted} quiet rounds of anti-entropy on every member${why}`,
  );
}
