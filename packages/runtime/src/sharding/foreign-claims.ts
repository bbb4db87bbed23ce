// Answers: which slots may somebody hold who shares by other rules? A rollout changes rules one replica after the
// other, and until the last one has changed nobody may take what another may still work on. Pure.
import { isPlaceholder } from '../lease-record.ts';
import { type Ordinal, ordinalAssignment } from './assignment.ts';
import { isGone, isHeld, isSilent, type LeaseSight, type SeenLease } from './lease-table.ts';

export type ShareRules = { readonly kind: 'ring' } | { readonly kind: 'static'; readonly count: number };

/** Of a text that anybody may have written. */
const MAX_SHOWN = 20;

/** Who may hold a slot; undefined: nobody of other rules. */
export type ForeignClaims = (slot: number) => string | undefined;

/** @param markKey annotation by which a sharing replica says that it holds the leader's lease */
export function foreignClaims(sight: LeaseSight, rules: ShareRules, markKey: string): ForeignClaims {
  const all = unmarkedLeader(sight, markKey) ?? othersOfAll(sight, rules) ?? whoIsMissing(sight, rules);
  if (all !== undefined) return () => all;
  if (rules.kind === 'ring') return () => undefined;
  const counted = [...sight.counts].filter((count) => count !== rules.count);
  return (slot) => {
    for (const count of counted) {
      const owner = ordinalAssignment(count)[slot];
      if (owner !== undefined && mayHold(owner, count, sight)) return `replica ${owner} of ${count}`;
    }
    return undefined;
  };
}

/** Why this replica takes no part: somebody of another format does, whom a lease of ours would keep from taking over
 *  from its like (F31). Undefined when nobody does. */
export function whyIncompatible(sight: LeaseSight): string | undefined {
  for (const [ordinal, lease] of sight.leases) {
    if (ordinal === sight.self || lease.format === sight.format) continue;
    if (!isHeld(lease, sight.nowMs) || isSilent(lease, sight)) continue;
    const format = lease.format.slice(0, MAX_SHOWN);
    return `${lease.record.holder} shares in format ${format}, which is not the ${sight.format} of this version: it waits until no such replica is left`;
  }
  return undefined;
}

/** Somebody leads alone: it has everything. */
export function soleLeader({ leader }: LeaseSight, markKey: string): string | undefined {
  if (leader === undefined || leader.holder === '' || isPlaceholder(leader)) return undefined;
  return leader.annotations?.[markKey] === leader.holder ? undefined : `${leader.holder} leads alone`;
}

/** As long as none of us holds the leader's lease, one who leads alone could take it at any moment. */
function unmarkedLeader(sight: LeaseSight, markKey: string): string | undefined {
  const isOurs = sight.leader !== undefined && sight.leader.annotations?.[markKey] === sight.leader.holder;
  if (isOurs && sight.leader?.holder !== '') return undefined;
  return soleLeader(sight, markKey) ?? 'nobody who shares holds the lease of the leader yet';
}

/** A holder whose note is of other rules, or of none, as behind a placeholder: it may have anything. Other counts are
 *  compared slot by slot. */
function othersOfAll(sight: LeaseSight, rules: ShareRules): string | undefined {
  for (const [ordinal, lease] of sight.leases) {
    if (ordinal === sight.self || !isHeld(lease, sight.nowMs)) continue;
    const { note, record } = lease;
    if (note?.kind !== rules.kind || (note.kind === 'static' && note.ordinal !== ordinal))
      return `${record.holder || record.name} shares by other rules`;
  }
  return undefined;
}

/** One of ours without a lease: it may have lost it before we came, and have counted otherwise. */
function whoIsMissing(sight: LeaseSight, rules: ShareRules): string | undefined {
  if (rules.kind === 'ring') return undefined;
  for (let ordinal = 0; ordinal < rules.count; ordinal += 1)
    if (ordinal !== sight.self && !sight.leases.has(ordinal) && !isGone(ordinal, sight))
      return `the lease of replica ${ordinal} has not been missing for long`;
  return undefined;
}

/** One whose lease is missing may have lost it a moment ago. */
function mayHold(owner: Ordinal, count: number, sight: LeaseSight): boolean {
  if (owner === sight.self) return false;
  const lease = sight.leases.get(owner);
  if (lease === undefined) return !isGone(owner, sight);
  return isHeld(lease, sight.nowMs) && hasCount(lease, count);
}

function hasCount({ note }: SeenLease, count: number): boolean {
  return note?.kind === 'static' && note.count === count;
}
