// The register as this replica follows it: which slots it assigns to us, whether their previous owners have let go, and
// up to which generation we have acknowledged it. Pure: all that is remembered is one value.

import type { LeaseSight } from '../leases/lease-table.ts';
import { type Ordinal, slotsOf } from '../slots/assignment.ts';
import { formatRegister, type Register } from './register.ts';
import { planRing, type RingMemory, type RingPlan, type ShareRules } from './ring-plan.ts';
import { goodRegister, isFreeToTake } from './ring-share.ts';

export interface FollowedRegister extends RingMemory {
  /** Monotonic: since when `last` is followed. */
  readonly givenSinceMs: number | undefined;
  /** Acknowledged by this replica: it works on no slot that generations up to this one took from it. */
  readonly acknowledged: number;
}

export const NOTHING_FOLLOWED: FollowedRegister = {
  last: undefined,
  lostSinceMs: undefined,
  givenSinceMs: undefined,
  acknowledged: 0,
};

/** A new replica gets slots when it has held its lease for this time. */
const JOIN_MS = 2_000;

/** Reads the register that is stored now. Only a later generation replaces the one that is followed.
 *  @param registerKey annotation of the leader's lease */
export function followRegister(followed: FollowedRegister, sight: LeaseSight, registerKey: string): FollowedRegister {
  const good = goodRegister(sight, registerKey);
  const isLater = good !== undefined && (followed.last === undefined || good.generation > followed.last.generation);
  const last = isLater ? good : followed.last;
  return {
    last,
    lostSinceMs: isSame(good, last) ? undefined : (followed.lostSinceMs ?? sight.nowMs),
    givenSinceMs: isLater ? sight.nowMs : followed.givenSinceMs,
    acknowledged: followed.acknowledged,
  };
}

/** Whether `good` is the register that is followed, compared as text: a generation has only one register. */
function isSame(good: Register | undefined, last: Register | undefined): boolean {
  return good !== undefined && last !== undefined && formatRegister(good) === formatRegister(last);
}

/** Acknowledges the followed generation, unless slots are still ending. */
export function acknowledgeRegister(followed: FollowedRegister, isAnyEnding: boolean): FollowedRegister {
  const { last, acknowledged } = followed;
  return last === undefined || acknowledged === last.generation || isAnyEnding
    ? followed
    : { ...followed, acknowledged: last.generation };
}

/** The slots that the register assigns to this replica. */
export function slotsGiven({ last }: FollowedRegister, self: Ordinal): ReadonlySet<number> {
  return last === undefined ? new Set() : slotsOf(last.now, self);
}

/** Why no slot may be taken by the register yet; undefined: slots may be taken. */
export function whyNotYet({ last }: FollowedRegister, sight: LeaseSight, registerKey: string): string | undefined {
  if (!isSame(goodRegister(sight, registerKey), last)) return 'the register is missing or damaged';
  const note = sight.leases.get(sight.self)?.note;
  return note !== undefined && note.acknowledged === last?.generation
    ? undefined
    : 'it is not said yet that the register is followed';
}

/** Which replica has not let go of a slot that is assigned to us; undefined: none. */
export function whoHasNotLetGo(slot: number, { last }: FollowedRegister, sight: LeaseSight): string | undefined {
  if (last === undefined || isFreeToTake(slot, last, sight)) return undefined;
  return `replica ${last.before?.[slot] ?? 'unknown'} has not let go`;
}

/** What the coordinator has to do. */
export function planFollowed(
  followed: FollowedRegister,
  { rules, sight, keys }: { rules: ShareRules; sight: LeaseSight; keys: { readonly register: string } },
): RingPlan {
  return planRing(sight, followed, { rules, registerKey: keys.register, joinMs: JOIN_MS });
}
