// Which slots a replica that shares by other rules may hold. A rollout changes the rules one replica after the other,
// and until the last has changed, no replica may take a slot that another may still work on. Pure.
import { isPlaceholder } from '../lease/lease-record.ts';
import { isGone, isHeld, isSilent, type LeaseSight, type SeenLease } from './leases/lease-table.ts';
import { type Ordinal, ordinalAssignment } from './slots/assignment.ts';

export type ShareRules = { readonly kind: 'ring' } | { readonly kind: 'static'; readonly count: number };

/** The annotation may have been written by anyone, so it is cut when it is shown. */
const MAX_SHOWN = 20;

/** Which replica of other rules may hold a slot; undefined: none. */
export type ForeignClaims = (slot: number) => string | undefined;

/** @param markKey annotation with which a sharing replica marks the leader's lease as held by it */
export function foreignClaims(sight: LeaseSight, rules: ShareRules, markKey: string): ForeignClaims {
  const all = unmarkedLeader(sight, markKey) ?? othersOfAll(sight, rules);
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

/** Why this replica takes no part: a replica of another format does, and a lease of ours would keep it from taking over
 *  from replicas of its own format (F31). Undefined when there is none. */
export function whyIncompatible(sight: LeaseSight): string | undefined {
  for (const [ordinal, lease] of sight.leases) {
    if (ordinal === sight.self || lease.format === sight.format) continue;
    if (!isHeld(lease, sight.nowMs) || isSilent(lease, sight)) continue;
    const format = lease.format.slice(0, MAX_SHOWN);
    return `${lease.record.holder} shares in format ${format}, which is not the ${sight.format} of this version: it waits until no such replica is left`;
  }
  return undefined;
}

/** A replica in mode `single` leads alone and has everything; undefined when there is none. */
export function soleLeader({ leader }: LeaseSight, markKey: string): string | undefined {
  if (leader === undefined || leader.holder === '' || isPlaceholder(leader)) return undefined;
  return leader.annotations?.[markKey] === leader.holder ? undefined : `${leader.holder} leads alone`;
}

/** As long as no sharing replica holds the leader's lease, one in mode `single` could take it at any moment. */
function unmarkedLeader(sight: LeaseSight, markKey: string): string | undefined {
  const isOurs = sight.leader !== undefined && sight.leader.annotations?.[markKey] === sight.leader.holder;
  if (isOurs && sight.leader?.holder !== '') return undefined;
  return soleLeader(sight, markKey) ?? 'nobody who shares holds the lease of the leader yet';
}

/** A holder whose note has other rules, or none (as behind a placeholder), may have any slot. Other counts are compared
 *  slot by slot. */
export function othersOfAll(sight: LeaseSight, rules: ShareRules): string | undefined {
  for (const [ordinal, lease] of sight.leases) {
    if (ordinal === sight.self || !isHeld(lease, sight.nowMs)) continue;
    const { note, record } = lease;
    if (note?.kind !== rules.kind || (note.kind === 'static' && note.ordinal !== ordinal))
      return `${record.holder || record.name} shares by other rules`;
  }
  return undefined;
}

/** A replica without a lease may have lost it a moment ago. */
function mayHold(owner: Ordinal, count: number, sight: LeaseSight): boolean {
  if (owner === sight.self) return false;
  const lease = sight.leases.get(owner);
  if (lease === undefined) return !isGone(owner, sight);
  return isHeld(lease, sight.nowMs) && hasCount(lease, count);
}

function hasCount({ note }: SeenLease, count: number): boolean {
  return note?.kind === 'static' && note.count === count;
}
