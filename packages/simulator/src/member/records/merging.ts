// Which of two versions of one record is kept, or what becomes of both: the server's own merge
// (docs/design/server.md#how-records-merge). A newer version replaces an older one, except for what is made of parts
// that several members write at once: elements, counters and registers. Pure. Written from the facts about the server,
// not from the planner's rule of covering, which is judged by it.

import type { Counter, CounterSlot, Dot, Element, Register, Stamp, Version } from '../basics/messages.ts';

/** Values that an element keeps at most, and writes that it remembers as covered. Trap of the server: what is pushed
 *  out is not covered, and can come back from a member that still has it. */
export const MAX_LIVE = 4;
const MAX_COVERED = 255;

export function isNewer(a: Stamp, b: Stamp): boolean {
  return a.clock > b.clock || (a.clock === b.clock && a.origin > b.origin);
}

/** What a member holds after `incoming` has arrived at `local`. Returns `local` itself when that changes nothing, and
 *  `incoming` itself when it is the result, so that hashes need not be computed again. */
export function merge(local: Version, incoming: Version): Version {
  if (local === incoming) return local;
  const [mine, other] = [local.merged, incoming.merged];
  // A tombstone of an element is an element without live values: it merges like any other.
  if (other?.kind === 'element' && mine?.kind === 'element') return joined(local, incoming, mergedElement(mine, other));
  if (other?.kind === 'counter' && mine?.kind === 'counter') return joined(local, incoming, mergedCounter(mine, other));
  if (other?.kind === 'register' && mine?.kind === 'register') return keptRegister(local, mine, incoming, other);
  return isNewer(incoming, local) ? incoming : local;
}

/** Whether `other` has nothing that `held` lacks: merging it would change nothing. Of two registers the higher rank
 *  holds what the lower one counted, whichever is newer. */
export function contains(held: Version, other: Version): boolean {
  if (held.merged?.kind === 'register' && other.merged?.kind === 'register')
    return held.merged.rank >= other.merged.rank && deadlineOf(held) >= deadlineOf(other);
  return merge(held, other) === held;
}

/** What a client reads. */
export function readValueOf(merged: Element | Counter | Register): string {
  if (merged.kind === 'element') return merged.live[0]?.value ?? '';
  if (merged.kind === 'register') return String(merged.rank);
  return String(merged.slots.reduce((sum, slot) => sum + slot.increments - slot.decrements, merged.base.value));
}

/** `held` with one more value. It covers none of the others: the newest is read. */
export function withValue(held: Element | undefined, dot: Dot): Element {
  return { kind: 'element', live: newest([dot, ...(held?.live ?? [])], MAX_LIVE), covered: held?.covered ?? [] };
}

/** `held` with all its values covered. */
export function withoutValues(held: Element): Element {
  return { kind: 'element', live: [], covered: mergedStamps(held.covered, held.live.map(stampOf)) };
}

/** The merged content under the greater version, with that version's deadline. */
function joined(local: Version, incoming: Version, merged: Element | Counter): Version {
  const newer = isNewer(incoming, local) ? incoming : local;
  const isSameAs = ({ merged: content }: Version) => content !== undefined && isSameContent(content, merged);
  if (isSameAs(newer)) return newer;
  const isDead = merged.kind === 'element' && merged.live.length === 0;
  return { ...newer, merged, isDead, value: readValueOf(merged) };
}

function mergedElement(a: Element, b: Element): Element {
  const covered = mergedStamps(a.covered, b.covered);
  const live = [...a.live, ...b.live.filter((dot) => !a.live.some((one) => isSameStamp(one, dot)))];
  const left = live.filter((dot) => !covered.some((stamp) => isSameStamp(stamp, dot)));
  return { kind: 'element', live: newest(left, MAX_LIVE), covered };
}

function mergedStamps(a: readonly Stamp[], b: readonly Stamp[]): readonly Stamp[] {
  const added = b.filter((stamp) => !a.some((one) => isSameStamp(one, stamp)));
  return added.length === 0 ? a : newest([...a, ...added], MAX_COVERED);
}

function newest<T extends Stamp>(list: T[], most: number): readonly T[] {
  return list.sort((a, b) => b.clock - a.clock || b.origin - a.origin).slice(0, most);
}

function mergedCounter(a: Counter, b: Counter): Counter {
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

/** The higher rank with its own version, and of equal ranks the lower version: so a higher rank can have the lower
 *  version, and anti-entropy, which sends by version, never offers it. */
function keptRegister(local: Version, mine: Register, incoming: Version, other: Register): Version {
  if (mine.rank !== other.rank) return other.rank > mine.rank ? incoming : local;
  return isNewer(local, incoming) ? incoming : local;
}

function isSameContent(a: Element | Counter | Register, b: Element | Counter): boolean {
  if (a === b) return true;
  if (a.kind === 'element')
    return b.kind === 'element' && areSame(a.live, b.live, isSameStamp) && areSame(a.covered, b.covered, isSameStamp);
  return (
    a.kind === 'counter' && b.kind === 'counter' && isSameStamp(a.base, b.base) && areSame(a.slots, b.slots, isSameSlot)
  );
}

function areSame<T>(a: readonly T[], b: readonly T[], isSame: (one: T, other: T) => boolean): boolean {
  return a === b || (a.length === b.length && a.every((one, at) => isSame(one, b[at] ?? one)));
}

function isSameSlot(a: CounterSlot, b: CounterSlot): boolean {
  return a.id === b.id && a.increments === b.increments && a.decrements === b.decrements;
}

function isSameStamp(a: Stamp, b: Stamp): boolean {
  return a.clock === b.clock && a.origin === b.origin;
}

function stampOf({ clock, origin }: Stamp): Stamp {
  return { clock, origin };
}

function deadlineOf({ expiresAtMs = Number.POSITIVE_INFINITY }: Version): number {
  return expiresAtMs;
}
