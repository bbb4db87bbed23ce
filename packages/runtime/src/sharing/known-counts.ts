// Mode `static`: does a replica know by which counts all others work? It must before it takes anything, and they must
// know its own: then one that starts after the lease of another was deleted still hears of that one's count from those
// whom it told before it took anything. Pure.

import { othersOfAll, type ShareRules } from './foreign-claims.ts';
import type { CountsNote } from './leases/counts-note.ts';
import { isGone, isHeld, type LeaseSight, type SeenLease } from './leases/lease-table.ts';
import { MAX_REPLICAS } from './slots/assignment.ts';

/** What is known of counts now. Called in a term that the watch has reached.
 *  @param before what was known earlier in this term: it stays complete, since nobody has taken anything since without
 *  telling this replica */
export function countsKnown(sight: LeaseSight, own: number, before: CountsNote): CountsNote {
  const isComplete =
    before.isComplete || hasSeenAll(sight, own) || otherHolders(sight).some(({ counted }) => counted?.isComplete);
  return { counts: countsSeen(sight, own), isComplete };
}

/** What is known outside of a term: others take slots without telling this replica. */
export function countsWithoutTerm(sight: LeaseSight, own: number): CountsNote {
  return { counts: countsSeen(sight, own), isComplete: false };
}

/** Why nothing may be taken yet; undefined when it may. */
export function whyNotByCount(sight: LeaseSight, own: number, { isComplete }: CountsNote): string | undefined {
  for (const { counted, record } of otherHolders(sight))
    if (counted !== undefined && !counted.counts.includes(own))
      return `${record.holder} has not noted yet that a replica shares among ${own}`;
  return isComplete ? undefined : 'no replica knows yet among how many all others share';
}

function countsSeen(sight: LeaseSight, own: number): readonly number[] {
  return [...new Set([...sight.counts, own])].sort((a, b) => a - b);
}

/** This replica has seen every change of a lease for so long, and every lease that does not exist has been missing for
 *  so long, that no former holder of another one can still rely on it. Or it has seen every change since nobody had yet
 *  held the leader's lease, without which nobody takes anything. */
function hasSeenAll(sight: LeaseSight, own: number): boolean {
  const { nowMs, listedAtMs, isListedUnused, fenceMs, leases } = sight;
  const rules: ShareRules = { kind: 'static', count: own };
  if (othersOfAll(sight, rules) !== undefined) return false;
  if (isListedUnused) return true;
  if (nowMs - listedAtMs < fenceMs) return false;
  for (let ordinal = 0; ordinal < MAX_REPLICAS; ordinal += 1)
    if (!leases.has(ordinal) && !isGone(ordinal, sight)) return false;
  return true;
}

function otherHolders({ leases, self, nowMs }: LeaseSight): readonly SeenLease[] {
  return [...leases].filter(([ordinal, lease]) => ordinal !== self && isHeld(lease, nowMs)).map(([, lease]) => lease);
}
