// Which replica gets which slot. Pure. A change of the replicas moves as few slots as possible, and leaves no replica
// with two more than another.
import { SLOTS } from './slots.ts';

/** A replica's number: the ordinal of its Pod. */
export type Ordinal = number;

/** The owner of each slot; undefined: none. */
export type Assignment = readonly (Ordinal | undefined)[];

/** The stored register, which people read, has one hexadecimal digit per slot. */
export const MAX_REPLICAS = 16;

/** No slot has an owner. */
export const NOBODY: Assignment = Array.from({ length: SLOTS }, () => undefined);

/** Gives every slot to one of `owners`, who keep their slots of `current` up to their quota. NOBODY without owners. */
export function balance(current: Assignment, owners: readonly Ordinal[]): Assignment {
  if (owners.length === 0) return NOBODY;
  const quota = quotas(current, owners);
  const next = current.map((owner) => {
    const left = owner === undefined ? undefined : quota.get(owner);
    if (owner === undefined || left === undefined || left === 0) return undefined;
    quota.set(owner, left - 1);
    return owner;
  });
  const open = owners.flatMap((owner) => Array.from({ length: quota.get(owner) ?? 0 }, () => owner));
  return next.map((owner) => owner ?? open.shift());
}

/** Slots per owner. The larger quotas go to the owners that have the most slots. */
function quotas(current: Assignment, owners: readonly Ordinal[]): Map<Ordinal, number> {
  const has = new Map(owners.map((owner) => [owner, 0]));
  for (const owner of current) {
    const count = owner === undefined ? undefined : has.get(owner);
    if (owner !== undefined && count !== undefined) has.set(owner, count + 1);
  }
  const part = Math.floor(SLOTS / owners.length);
  const larger = SLOTS % owners.length;
  const byCount = [...owners].sort((a, b) => (has.get(b) ?? 0) - (has.get(a) ?? 0));
  return new Map(byCount.map((owner, index) => [owner, index < larger ? part + 1 : part]));
}

/** What each of `count` replicas has without asking the others. Built up from a single replica one by one, so that
 *  adding or removing the last replica moves only its own slots. */
export function ordinalAssignment(count: number): Assignment {
  const known = byCount.get(count);
  if (known !== undefined) return known;
  const before = count <= 1 ? NOBODY : ordinalAssignment(count - 1);
  const made = balance(
    before,
    Array.from({ length: count }, (_, ordinal) => ordinal),
  );
  byCount.set(count, made);
  return made;
}

const byCount = new Map<number, Assignment>();

/** The slots of one replica. */
export function slotsOf(assignment: Assignment, ordinal: Ordinal): ReadonlySet<number> {
  return new Set(assignment.flatMap((owner, slot) => (owner === ordinal ? [slot] : [])));
}
