// Who gets which slot. Pure: a change of the replicas moves as few slots as can be, and leaves nobody with two more
// than another.
import { SLOTS } from './slots.ts';

/** A replica's number: the ordinal of its Pod. */
export type Ordinal = number;

/** Of each slot its owner; undefined: nobody. */
export type Assignment = readonly (Ordinal | undefined)[];

/** One digit per slot has to be enough, where a person reads it. */
export const MAX_REPLICAS = 16;

/** Nobody has anything. */
export const NOBODY: Assignment = Array.from({ length: SLOTS }, () => undefined);

/** `current` with every slot at one of `owners`. Who has a slot keeps it, unless that makes it more than its part. */
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

/** The larger parts go to those that have the most. */
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

/** What `count` replicas have without asking each other. Grown one by one from a single replica, so that one more, or
 *  one less at the end, moves only what that one gets or had. */
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

/** The slots of one of them. */
export function slotsOf(assignment: Assignment, ordinal: Ordinal): ReadonlySet<number> {
  return new Set(assignment.flatMap((owner, slot) => (owner === ordinal ? [slot] : [])));
}
