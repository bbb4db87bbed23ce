// Answers: how many partitions have all their homes in one zone? The server places homes by the ids of members and
// knows no zones. So this is a matter of chance, unless there are more homes than members in any zone
// (docs/design/server.md#placement).

import { minimumNodes, PARTITIONS, placementOf, INTEGER_RANGES as R } from '@marekvs/api';

export interface ZonedMember {
  readonly id: number;
  /** Undefined: not known, or in none. */
  readonly zone: string | undefined;
}

export interface ZoneSpread {
  /** Sorted by name, with the number of members in each. */
  readonly zones: readonly { readonly zone: string; readonly members: number }[];
  /** Partitions whose homes are all known to be in one zone, 0 to 4096: their keys are in no other zone. */
  readonly inOneZone: number;
  /** The smallest replicationFactor with which no partition is, whatever the ids of these members; undefined when there
   *  are too few members for it, and while some zone is not known. */
  readonly factorForNone: number | undefined;
}

/** @param members those that are homes */
export function zoneSpread(members: readonly ZonedMember[], replicationFactor: number): ZoneSpread {
  const counts = new Map<string, number>();
  for (const { zone } of members) if (zone !== undefined) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  const zones = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, count]) => ({ zone, members: count }));
  return {
    zones,
    inOneZone: partitionsInOneZone(members, replicationFactor),
    factorForNone: members.some(({ zone }) => zone === undefined) ? undefined : factorForNone(members.length, zones),
  };
}

function partitionsInOneZone(members: readonly ZonedMember[], replicationFactor: number): number {
  const zoneOf = new Map(members.map(({ id, zone }) => [id, zone]));
  const { owners, width } = placementOf(zoneOf.keys(), replicationFactor);
  let count = 0;
  for (let first = 0; first < PARTITIONS * width; first += width) {
    const zone = zoneOf.get(owners[first] ?? -1);
    let isOne = zone !== undefined;
    for (let i = first + 1; isOne && i < first + width; i += 1) isOne = zoneOf.get(owners[i] ?? -1) === zone;
    if (isOne) count += 1;
  }
  return count;
}

/** More homes than the fullest zone has members. */
function factorForNone(size: number, zones: ZoneSpread['zones']): number | undefined {
  const factor = Math.max(0, ...zones.map(({ members }) => members)) + 1;
  const isPossible = factor <= R.replicationFactor.max && minimumNodes({ replicationFactor: factor }) <= size;
  return isPossible ? factor : undefined;
}
