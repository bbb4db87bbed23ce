// The register of mode `ring` as this replica follows it: which slots it assigns to us, whether their previous owners
// have let go, and what the coordinator writes next. Remembers the last good register, and since when there is none.
import type { Logger } from '../logger.ts';
import { type Ordinal, slotsOf } from './assignment.ts';
import type { LeaseSight } from './lease-table.ts';
import { formatRegister, type Register } from './register.ts';
import { planRing, type RingPlan } from './ring-plan.ts';
import { goodRegister, isFreeToTake } from './ring-share.ts';

export interface FollowedRegister {
  /** Reads the register that is stored now. */
  follow(sight: LeaseSight): void;
  /** The slots that the register assigns to this replica. */
  slots(): ReadonlySet<number>;
  /** The generation that is followed; undefined before there is one. */
  readonly generation: number | undefined;
  /** Monotonic: since when that generation is followed. */
  readonly givenSinceMs: number | undefined;
  /** Acknowledged by this replica: it works on no slot that generations up to this one took from it. */
  readonly acknowledged: number;
  /** Acknowledges the followed generation, unless slots are still ending. @returns whether it was new */
  acknowledge(isAnyEnding: boolean): boolean;
  /** Why no slot may be taken by the register yet; undefined: slots may be taken. */
  whyNotYet(sight: LeaseSight): string | undefined;
  /** Which replica has not let go of a slot that is assigned to us; undefined: none. */
  claimed(slot: number, sight: LeaseSight): string | undefined;
  /** What the coordinator has to do. */
  plan(sight: LeaseSight): RingPlan;
}

/** A new replica gets slots when it has held its lease for this time. */
const JOIN_MS = 2_000;

/** @param registerKey annotation of the leader's lease */
export function createFollowedRegister(registerKey: string, self: Ordinal, logger: Logger): FollowedRegister {
  let latched: Register | undefined;
  let lostSinceMs: number | undefined;
  let givenSinceMs: number | undefined;
  let acknowledged = 0;

  /** Whether `good` is the register that is followed, compared as text: a generation has only one register. */
  function isFollowed(good: Register | undefined): boolean {
    return good !== undefined && latched !== undefined && formatRegister(good) === formatRegister(latched);
  }

  return {
    follow(sight) {
      const good = goodRegister(sight, registerKey);
      // Only a later generation replaces the one that is followed.
      if (good !== undefined && (latched === undefined || good.generation > latched.generation)) {
        logger.info('Follows the register', { generation: good.generation });
        latched = good;
        givenSinceMs = sight.nowMs;
      }
      lostSinceMs = isFollowed(good) ? undefined : (lostSinceMs ?? sight.nowMs);
    },
    slots: () => (latched === undefined ? new Set() : slotsOf(latched.now, self)),
    get generation() {
      return latched?.generation;
    },
    get givenSinceMs() {
      return givenSinceMs;
    },
    get acknowledged() {
      return acknowledged;
    },
    acknowledge(isAnyEnding) {
      if (latched === undefined || acknowledged === latched.generation || isAnyEnding) return false;
      acknowledged = latched.generation;
      return true;
    },
    whyNotYet(sight) {
      if (!isFollowed(goodRegister(sight, registerKey))) return 'the register is missing or damaged';
      const note = sight.leases.get(self)?.note;
      const isAcknowledged = note?.kind === 'ring' && note.acknowledged === latched?.generation;
      return isAcknowledged ? undefined : 'it is not said yet that the register is followed';
    },
    claimed(slot, sight) {
      if (latched === undefined || isFreeToTake(slot, latched, sight)) return undefined;
      return `replica ${latched.before?.[slot] ?? 'unknown'} has not let go`;
    },
    plan: (sight) => planRing(sight, { last: latched, lostSinceMs }, { registerKey, joinMs: JOIN_MS }),
  };
}
