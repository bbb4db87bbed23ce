// Homes of every partition for one list of candidates, with the primary moved off leaving members
// (docs/design/server.md#placement). The ranking itself is in @marekvs/api; this file adds the lookups that a member
// needs often, cached per distinct input.

import { oncePer, placementOf } from '@marekvs/api';
import { partitionCount, slotsPerPartition } from '../basics/constants.ts';

export interface Candidate {
  readonly id: number;
  readonly isLeaving: boolean;
}

/** A run of slots with one owner list, primary first: one entry of CLUSTER SLOTS. */
export interface SlotRange {
  readonly start: number;
  readonly end: number;
  readonly owners: readonly number[];
}

export interface Placement {
  readonly candidates: readonly Candidate[];
  readonly replicas: number;
  /** Owners per partition, primary first. Read-only and shared. */
  readonly owners: readonly (readonly number[])[];
  /** Partitions homed on `id`; undefined when it homes none. */
  readonly owned: ReadonlyMap<number, readonly number[]>;
}

/** Joining members are no candidates; Leaving ones are full owners but not primary. */
export function placementFor(candidates: readonly Candidate[], replicas: number): Placement {
  const key = `${replicas}:${candidates.map((candidate) => `${candidate.id}${candidate.isLeaving ? '-' : '+'}`).join()}`;
  const placement = cache.get(key) ?? compute(candidates, replicas);
  // Set again: a Map keeps insertion order, so the first key is the least recently used.
  cache.delete(key);
  cache.set(key, placement);
  for (const oldest of cache.keys()) {
    if (cache.size <= cachedPlacements) break;
    cache.delete(oldest);
  }
  return placement;
}

/** The placement once `id` is a candidate too; a joiner plans with only itself added. */
export function placementWith(placement: Placement, id: number, replicas: number): Placement {
  if (placement.owned.has(id)) return placement;
  const joined = joinedPer(placement);
  const key = `${id}:${replicas}`;
  let future = joined.get(key);
  if (future === undefined) {
    const candidates = [...placement.candidates, { id, isLeaving: false }].sort((a, b) => a.id - b.id);
    future = placementFor(candidates, replicas);
    joined.set(key, future);
  }
  return future;
}

export function ownersAt(placement: Placement, partition: number): readonly number[] {
  return placement.owners[partition] ?? [];
}

export function isOwner(placement: Placement, partition: number, id: number): boolean {
  return ownersAt(placement, partition).includes(id);
}

export function ownedBy(placement: Placement, id: number): readonly number[] {
  return placement.owned.get(id) ?? [];
}

/** The owners of each partition without `id`. Shared and read-only, since every round needs it for every partition. */
export function coOwnersAt(placement: Placement, id: number): readonly (readonly number[])[] {
  const perMember = coOwnersPer(placement);
  let coOwners = perMember.get(id);
  if (coOwners === undefined) {
    const lists = new Map<readonly number[], readonly number[]>();
    for (const owners of new Set(placement.owners))
      lists.set(
        owners,
        owners.filter((owner) => owner !== id),
      );
    coOwners = placement.owners.map((owners) => lists.get(owners) ?? []);
    perMember.set(id, coOwners);
  }
  return coOwners;
}

/** The partitions of `id` grouped by their only other home, if each has exactly one; undefined otherwise. Shared. */
export function soleCoOwners(placement: Placement, id: number): ReadonlyMap<number, readonly number[]> | undefined {
  const perMember = solePer(placement);
  if (!perMember.has(id)) {
    const coOwners = coOwnersAt(placement, id);
    const owned = ownedBy(placement, id);
    const isSole = owned.every((partition) => coOwners[partition]?.length === 1);
    perMember.set(id, isSole ? Map.groupBy(owned, (partition) => coOwners[partition]?.[0] ?? -1) : undefined);
  }
  return perMember.get(id);
}

/** Neighbouring partitions with identical owner lists merged, as CLUSTER SLOTS prints them. */
export const slotRanges = oncePer((placement: Placement): readonly SlotRange[] => {
  const ranges: SlotRange[] = [];
  let from = 0;
  for (let partition = 1; partition <= partitionCount; partition += 1) {
    const owners = ownersAt(placement, from);
    if (partition < partitionCount && isSameList(owners, ownersAt(placement, partition))) continue;
    if (owners.length > 0) {
      ranges.push({ start: from * slotsPerPartition, end: partition * slotsPerPartition - 1, owners });
    }
    from = partition;
  }
  return ranges;
});

/** What CLUSTER NODES prints behind one member: ` 0-3 20-23 ...`, or nothing. */
export function primarySlotText(placement: Placement, id: number): string {
  return slotTexts(placement).get(id) ?? '';
}

const slotTexts = oncePer((placement: Placement): ReadonlyMap<number, string> => {
  const perPrimary = Map.groupBy(slotRanges(placement), ({ owners }) => owners[0] ?? -1);
  return new Map(
    [...perPrimary].map(([primary, ranges]) => [primary, ranges.map(({ start, end }) => ` ${start}-${end}`).join('')]),
  );
});

/** About 100 KB each. A forming cluster needs about thirty. */
const cachedPlacements = 128;
const cache = new Map<string, Placement>();
const coOwnersPer = oncePer((_placement: Placement) => new Map<number, readonly (readonly number[])[]>());
const solePer = oncePer(
  (_placement: Placement) => new Map<number, ReadonlyMap<number, readonly number[]> | undefined>(),
);
const joinedPer = oncePer((_placement: Placement) => new Map<string, Placement>());

function compute(candidates: readonly Candidate[], replicas: number): Placement {
  const leaving = new Set(candidates.filter((candidate) => candidate.isLeaving).map((candidate) => candidate.id));
  const ranked = placementOf(
    candidates.map((candidate) => candidate.id),
    replicas,
  );
  // There are few distinct owner lists; sharing them keeps 4,096 entries small and makes comparing cheap. They are
  // keyed by ranking, and by final order too: moving the primary can turn two rankings into the same list.
  const byRanking = new Map<number | string, readonly number[]>();
  const lists = new Map<number | string, readonly number[]>();
  const owners: (readonly number[])[] = [];
  const owned = new Map<number, number[]>(candidates.map((candidate) => [candidate.id, []]));
  for (let partition = 0; partition < partitionCount; partition += 1) {
    const from = partition * ranked.width;
    const ranking = keyOf(ranked.owners, from, from + ranked.width);
    let shared = byRanking.get(ranking);
    if (shared === undefined) {
      const list = Array.from({ length: ranked.width }, (_, rank) => ranked.owners[from + rank] ?? 0);
      movePrimaryFirst(list, leaving);
      const key = keyOf(list, 0, list.length);
      shared = lists.get(key) ?? list;
      lists.set(key, shared);
      byRanking.set(ranking, shared);
    }
    owners.push(shared);
    for (const id of shared) owned.get(id)?.push(partition);
  }
  return { candidates, replicas, owners, owned };
}

/** Up to three ids of 16 bits fit into a number, which is cheaper than a text. */
function keyOf(list: ArrayLike<number>, from: number, to: number): number | string {
  if (to - from > 3) return Array.from({ length: to - from }, (_, rank) => list[from + rank]).join();
  let key = 0;
  for (let at = from; at < to; at += 1) key = key * 65_536 + (list[at] ?? 0);
  return key;
}

function movePrimaryFirst(list: number[], leaving: ReadonlySet<number>): void {
  const index = list.findIndex((id) => !leaving.has(id));
  if (index <= 0) return;
  const [primary] = list.splice(index, 1);
  if (primary !== undefined) list.unshift(primary);
}

function isSameList(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((id, index) => id === b[index]));
}
