// Which of two versions of one key is kept. The newer one replaces the older. Counters and registers merge instead, so
// that counts of two members at once are not lost. Pure.

import type { Counter, CounterSlot, Register, Version } from './messages.ts';

export function isNewer(a: { clock: number; origin: number }, b: { clock: number; origin: number }): boolean {
  return a.clock > b.clock || (a.clock === b.clock && a.origin > b.origin);
}

/** Returns `held` itself when `other` adds nothing. */
export function keptOf(held: Version, other: Version): Version {
  const newer = isNewer(other, held) ? other : held;
  const merged = mergedOf(held.merged, other.merged);
  if (merged === undefined) return newer;
  const next = { ...newer, merged, value: readValueOf(merged) };
  // The same object when the merge adds nothing, so that its hash need not be computed again.
  for (const version of [held, other]) {
    if (version.clock === next.clock && version.origin === next.origin && isSame(version.merged, merged))
      return version;
  }
  return next;
}

/** Whether `other` has nothing that `held` lacks. */
export function contains(held: Version, other: Version): boolean {
  const merged = mergedOf(held.merged, other.merged);
  return merged === undefined ? !isNewer(other, held) : isSame(held.merged, merged);
}

/** What a client reads. */
export function readValueOf(merged: Counter | Register): string {
  if (merged.kind === 'register') return String(merged.rank);
  return String(merged.slots.reduce((sum, slot) => sum + slot.increments - slot.decrements, merged.base.value));
}

function mergedOf(
  a: Counter | Register | undefined,
  b: Counter | Register | undefined,
): Counter | Register | undefined {
  if (a?.kind === 'register' && b?.kind === 'register') return a.rank >= b.rank ? a : b;
  if (a?.kind !== 'counter' || b?.kind !== 'counter') return undefined;
  if (isNewer(a.base, b.base)) return a;
  if (isNewer(b.base, a.base)) return b;
  return { ...a, slots: mergedSlots(a.slots, b.slots) };
}

function mergedSlots(a: readonly CounterSlot[], b: readonly CounterSlot[]): readonly CounterSlot[] {
  const slots = new Map(a.map((slot) => [slot.id, slot]));
  for (const { id, increments, decrements } of b) {
    const known = slots.get(id);
    slots.set(id, {
      id,
      increments: Math.max(increments, known?.increments ?? 0),
      decrements: Math.max(decrements, known?.decrements ?? 0),
    });
  }
  return [...slots.values()].sort((left, right) => left.id - right.id);
}

function isSame(a: Counter | Register | undefined, b: Counter | Register): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
