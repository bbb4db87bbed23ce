// Answers: how many rounds of anti-entropy have gone by without this or that, on every member? (marekvs.md 5.5)
// Folds over histories. What a proof needs besides is in evidence.ts.

import type { ProofRules } from './evidence.ts';
import type { MemberHistory } from './sample.ts';

/** Flat rounds a proof needs on every member (marekvs.md 5.7 and 11). */
export function requiredRounds(rules: ProofRules): number {
  const strict = rules.replicationFactor >= 4 ? 4 : 3;
  const base = rules.tier === 'Bounded' ? Math.max(5, strict) : strict;
  return rules.audited && !rules.isDead ? base : 2 * base;
}

/** Complete rounds, up to now, in which no member repaired anything: the smallest number over all. Undefined = not known. */
export function quietRounds(
  _ids: readonly number[],
  _histories: readonly MemberHistory[],
  _monotonicMs: number,
): number | undefined {
  return undefined;
}

/** As `quietRounds`, and without digest scans and bootstraps: no commits of any kind anywhere. */
export function idleRounds(
  _ids: readonly number[],
  _histories: readonly MemberHistory[],
  _monotonicMs: number,
): number | undefined {
  return undefined;
}

/** Rounds begun on every member since any member's list (ids and generations) last changed. Undefined = not known. */
export function settledRounds(
  _ids: readonly number[],
  _histories: readonly MemberHistory[],
  _monotonicMs: number,
): number | undefined {
  return undefined;
}
