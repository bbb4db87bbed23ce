// Answers: how many rounds of anti-entropy have gone by without this or that, on every member? (marekvs.md 5.5)
// Folds over histories. What a proof needs besides is in evidence.ts.

import type { ProofRules } from './evidence.ts';
import type { MemberHistory } from './sample.ts';
import { listOf, livesOf, livesWindow } from './shown-list.ts';
import {
  commonStart,
  completeRounds,
  type Holding,
  historiesOf,
  recentSample,
  roundsBegun,
  type Window,
  windowOf,
} from './window.ts';

/** Rounds in a row without a repair that a Strict proof needs; with four homes and more one round in 25 may leave a pair of
 *  homes unasked (marekvs.md 5.5). */
const FLAT_ROUNDS = 3;
const FLAT_ROUNDS_MANY_HOMES = 4;
/** Rounds in a row within the bounds (marekvs.md 5.7, load mode). */
const BOUNDED_ROUNDS = 5;

/** Complete rounds a proof needs on every member: at least 3, at least 5 when Bounded, twice as many where nothing but rounds
 *  speaks for it. */
export function requiredRounds(rules: ProofRules): number {
  const strict = rules.replicationFactor >= 4 ? FLAT_ROUNDS_MANY_HOMES : FLAT_ROUNDS;
  const rounds = rules.tier === 'Bounded' ? Math.max(BOUNDED_ROUNDS, strict) : strict;
  return rules.audited && !rules.isDead ? rounds : 2 * rounds;
}

/** Complete rounds, up to now, in which no member repaired anything: the smallest number over all. Undefined = not known. */
export function quietRounds(
  ids: readonly number[],
  histories: readonly MemberHistory[],
  monotonicMs: number,
): number | undefined {
  return begunWhile(ids, histories, monotonicMs, (history) => windowOf(history, FLAT_REPAIRS), completeRounds);
}

/** As `quietRounds`, and without digest scans and bootstraps: no commits of any kind anywhere. */
export function idleRounds(
  ids: readonly number[],
  histories: readonly MemberHistory[],
  monotonicMs: number,
): number | undefined {
  return begunWhile(ids, histories, monotonicMs, (history) => windowOf(history, NO_COMMITS), completeRounds);
}

/** Rounds begun on every member since any member's list (ids and generations) last changed; since the samples began when
 *  no change was seen, and 0 while the lists differ. Undefined = not known. */
export function settledRounds(
  ids: readonly number[],
  histories: readonly MemberHistory[],
  monotonicMs: number,
): number | undefined {
  const lives = historiesOf(ids, histories).map((history) => {
    const view = history === undefined ? undefined : listOf(history, history.samples.length - 1);
    return view === undefined ? undefined : livesOf(view);
  });
  if (lives.includes(undefined)) return undefined;
  if (new Set(lives).size > 1) return 0;
  return begunWhile(ids, histories, monotonicMs, livesWindow, (begun) => begun);
}

function begunWhile(
  ids: readonly number[],
  histories: readonly MemberHistory[],
  monotonicMs: number,
  windowFor: (history: MemberHistory) => Window,
  count: (begun: number) => number,
): number | undefined {
  const windows: Window[] = [];
  for (const history of historiesOf(ids, histories)) {
    if (history === undefined || history.samples.length < 2) return undefined;
    if (recentSample(history, monotonicMs) === undefined) return undefined;
    windows.push(windowFor(history));
  }
  const sinceMs = commonStart(windows);
  return sinceMs === undefined ? undefined : count(roundsBegun(windows, sinceMs));
}

/** A counter is known and stands still. */
const FLAT_REPAIRS: Holding = {
  alone: (sample) => (sample.repairs === undefined ? 'a figure was missing' : undefined),
  between: (before, after) => (before.repairs === after.repairs ? undefined : 'it repaired copies'),
};

const NO_COMMITS: Holding = {
  alone: ({ repairs, digestScans, bootstraps, bootstrapBytes }) =>
    repairs === undefined || digestScans === undefined || bootstraps === undefined || bootstrapBytes === undefined
      ? 'a figure was missing'
      : undefined,
  between: (before, after) =>
    before.repairs === after.repairs &&
    before.digestScans === after.digestScans &&
    before.bootstraps === after.bootstraps &&
    before.bootstrapBytes === after.bootstrapBytes
      ? undefined
      : 'something was committed',
};
