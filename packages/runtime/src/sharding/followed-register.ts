// The register of mode `ring` as this replica follows it: which slots it gives to us, whether who had them has let go,
// and what a coordinator writes next. Keeps the last good register it has seen, and since when there is none.
import type { Logger } from '../logger.ts';
import { type Ordinal, slotsOf } from './assignment.ts';
import type { LeaseSight } from './lease-table.ts';
import { formatRegister, type Register } from './register.ts';
import { planRing, type RingPlan } from './ring-plan.ts';
import { goodRegister, isFreeToTake } from './ring-share.ts';

export interface FollowedRegister {
  /** Takes in what is stored now. */
  follow(sight: LeaseSight): void;
  /** What the register gives to this replica. */
  slots(): ReadonlySet<number>;
  /** The generation that is followed; undefined before there is one. */
  readonly generation: number | undefined;
  /** Monotonic: since when that generation is followed. */
  readonly givenSinceMs: number | undefined;
  /** What this replica has said: it works on nothing that generations up to this one took from it. */
  readonly acknowledged: number;
  /** Says so of the generation that is followed. @returns whether that is news */
  acknowledge(isAnyEnding: boolean): boolean;
  /** Why nothing may be taken by it yet; undefined: it may. */
  whyNotYet(sight: LeaseSight): string | undefined;
  /** Who has not let go of a slot that is given to us; undefined: nobody. */
  claimed(slot: number, sight: LeaseSight): string | undefined;
  /** What a coordinator has to do. */
  plan(sight: LeaseSight): RingPlan;
}

/** A new replica gets slots when it has been there for so long. */
const JOIN_MS = 2_000;

/** @param registerKey annotation of the leader's lease */
export function createFollowedRegister(registerKey: string, self: Ordinal, logger: Logger): FollowedRegister {
  let latched: Register | undefined;
  let lostSinceMs: number | undefined;
  let givenSinceMs: number | undefined;
  let acknowledged = 0;

  /** Of one generation there is one register. */
  function isFollowed(good: Register | undefined): boolean {
    return good !== undefined && latched !== undefined && formatRegister(good) === formatRegister(latched);
  }

  return {
    follow(sight) {
      const good = goodRegister(sight, registerKey);
      // Another generation counts when it is later than the one we follow.
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
