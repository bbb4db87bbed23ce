// Who may work by rules that are unknown here: a replica that leads alone, one of another format, or one whose note
// cannot be read. While there is one, no slot is taken, whatever the register says. Pure.
import { isPlaceholder } from '../lease/lease-record.ts';
import { isHeld, isSilent, type LeaseSight } from './leases/lease-table.ts';

/** The annotation may have been written by anyone, so it is cut when it is shown. */
const MAX_SHOWN = 20;

/** Which replica may hold any slot; undefined: none.
 *  @param markKey annotation with which a sharing replica marks the leader's lease as held by it */
export function foreignClaim(sight: LeaseSight, markKey: string): string | undefined {
  return unmarkedLeader(sight, markKey) ?? whoSharesOtherwise(sight);
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

/** A holder without a note that can be read (as behind a placeholder) may have any slot. */
function whoSharesOtherwise(sight: LeaseSight): string | undefined {
  const others = [...sight.leases].filter(([ordinal]) => ordinal !== sight.self);
  const one = others.find(([, lease]) => lease.note === undefined && isHeld(lease, sight.nowMs))?.[1].record;
  return one === undefined ? undefined : `${one.holder || one.name} shares by other rules`;
}
