// What CLUSTER SLOTS and CLUSTER NODES *should* say for given members, from the placement alone. Comparing a member's
// 36 KB answer with this shows that it has the expected members, phases and replication factor without fetching 557 KB
// of SLOTS.

import { homesAt, PARTITIONS, type Placement } from '@marekvs/api';
import { type MemberLine, NumberDigest } from '../../src/cluster-nodes.ts';
import type { SlotRange } from './cluster-slots.ts';

export type ExpectedSlots = Pick<MemberLine, 'primarySlots' | 'rangeCount' | 'slotsDigest'>;

const NOBODY: ReadonlySet<number> = new Set();

/** The table of CLUSTER SLOTS: primary first, neighbours with the same homes in the same order merged, as the server
 *  does. */
export function expectedSlotRanges(placement: Placement, leaving: ReadonlySet<number> = NOBODY): readonly SlotRange[] {
  const ranges: { start: number; end: number; owners: readonly number[] }[] = [];
  for (let pid = 0; pid < PARTITIONS; pid += 1) {
    const primary = primaryAt(placement, pid, leaving);
    if (primary === undefined) return [];
    const homes = homesAt(placement, pid);
    const owners = homes[0] === primary ? homes : [primary, ...homes.filter((id) => id !== primary)];
    const last = ranges.at(-1);
    if (last !== undefined && isSameList(last.owners, owners)) last.end = pid * 4 + 3;
    else ranges.push({ start: pid * 4, end: pid * 4 + 3, owners });
  }
  return ranges;
}

function isSameList(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/** The slot part of every member's CLUSTER NODES line; the server prints the ranges of SLOTS, unmerged, at their
 *  primary. */
export function expectedNodeSlots(
  placement: Placement,
  leaving: ReadonlySet<number> = NOBODY,
): ReadonlyMap<number, ExpectedSlots> {
  const perMember = new Map(placement.ids.map((id) => [id, { slots: 0, count: 0, digest: new NumberDigest() }]));
  for (const { start, end, owners } of expectedSlotRanges(placement, leaving)) {
    const member = perMember.get(owners[0] ?? -1);
    if (member === undefined) continue;
    member.slots += end - start + 1;
    member.count += 1;
    member.digest.add((start << 16) | end);
  }
  return new Map(
    [...perMember].map(([id, { slots, count, digest }]) => [
      id,
      { primarySlots: slots, rangeCount: count, slotsDigest: digest.hex() },
    ]),
  );
}

/** The primary (H1) of one partition: its first home that is not leaving, or its first home when all are leaving.
 *  Undefined only for a placement without members. */
function primaryAt({ owners, width }: Placement, pid: number, leaving: ReadonlySet<number>): number | undefined {
  for (let i = pid * width; i < (pid + 1) * width; i += 1) {
    const owner = owners[i];
    if (owner !== undefined && !leaving.has(owner)) return owner;
  }
  return width === 0 ? undefined : owners[pid * width];
}
