// The register of mode `ring` as one replica follows it: which slots it gives to us, whether who had them has let go,
// and how far we have said that we follow it. Pure: what is remembered is one value.
import { type Ordinal, slotsOf } from './assignment.ts';
import type { LeaseSight } from './lease-table.ts';
import { formatRegister, type Register } from './register.ts';
import { planRing, type RingMemory, type RingPlan } from './ring-plan.ts';
import { goodRegister, isFreeToTake } from './ring-share.ts';

export interface FollowedRegister extends RingMemory {
  /** Monotonic: since when `last` is followed. */
  readonly givenSinceMs: number | undefined;
  /** What this replica says: it works on nothing that generations up to this one took from it. */
  readonly acknowledged: number;
}

export const NOTHING_FOLLOWED: FollowedRegister = {
  last: undefined,
  lostSinceMs: undefined,
  givenSinceMs: undefined,
  acknowledged: 0,
};

/** A new replica gets slots when it has been there for so long. */
const JOIN_MS = 2_000;

/** Takes in what is stored now. Another generation counts when it is later than the one we follow.
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

/** Of one generation there is one register. */
function isSame(good: Register | undefined, last: Register | undefined): boolean {
  return good !== undefined && last !== undefined && formatRegister(good) === formatRegister(last);
}

/** Says that the generation which is followed took nothing that this replica still works on. */
export function acknowledgeRegister(followed: FollowedRegister, isAnyEnding: boolean): FollowedRegister {
  const { last, acknowledged } = followed;
  return last === undefined || acknowledged === last.generation || isAnyEnding
    ? followed
    : { ...followed, acknowledged: last.generation };
}

/** What the register gives to this replica. */
export function slotsGiven({ last }: FollowedRegister, self: Ordinal): ReadonlySet<number> {
  return last === undefined ? new Set() : slotsOf(last.now, self);
}

/** Why nothing may be taken by it yet; undefined: it may. */
export function whyNotYet({ last }: FollowedRegister, sight: LeaseSight, registerKey: string): string | undefined {
  if (!isSame(goodRegister(sight, registerKey), last)) return 'the register is missing or damaged';
  const note = sight.leases.get(sight.self)?.note;
  const isAcknowledged = note?.kind === 'ring' && note.acknowledged === last?.generation;
  return isAcknowledged ? undefined : 'it is not said yet that the register is followed';
}

/** Who has not let go of a slot that is given to us; undefined: nobody. */
export function whoHasNotLetGo(slot: number, { last }: FollowedRegister, sight: LeaseSight): string | undefined {
  if (last === undefined || isFreeToTake(slot, last, sight)) return undefined;
  return `replica ${last.before?.[slot] ?? 'unknown'} has not let go`;
}

/** What a coordinator has to do. */
export function planFollowed(followed: FollowedRegister, sight: LeaseSight, registerKey: string): RingPlan {
  return planRing(sight, followed, { registerKey, joinMs: JOIN_MS });
}
