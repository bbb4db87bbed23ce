// For the coordinator: what to write to the register next, and whose lease to free. Pure. A generation follows another
// only when all replicas have let go of the slots that the last one took from them.
import { isPlaceholder } from '../../lease/lease-record.ts';
import { isAlive, isHeld, isSilent, type LeaseSight } from '../leases/lease-table.ts';
import { type Assignment, balance, NOBODY, type Ordinal, ordinalAssignment } from '../slots/assignment.ts';
import { namedIn, type Register } from './register.ts';
import { everybodyElse, goodRegister, hasLetGo, lastAcknowledged } from './ring-share.ts';

/** Who has slots: those that are alive, or each number below `count`, whether its replica is there or not. Only the
 *  coordinator's rules count. */
export type ShareRules = { readonly kind: 'ring' } | { readonly kind: 'static'; readonly count: number };

export interface RingPlan {
  /** To be stored in place of the current one; undefined: nothing to store now. */
  readonly register: Register | undefined;
  /** Replicas whose leases are to be freed, each in the version it was seen in. */
  readonly fences: readonly Ordinal[];
}

export interface RingMemory {
  /** The last good register this process has seen. */
  readonly last: Register | undefined;
  /** Since when there has been no good register; undefined while there is one. */
  readonly lostSinceMs: number | undefined;
}

export interface RingOptions {
  readonly rules: ShareRules;
  readonly registerKey: string;
  /** A new replica gets slots when it has held its lease for this time: replicas started together cause one change. */
  readonly joinMs: number;
}

export function planRing(sight: LeaseSight, memory: RingMemory, options: RingOptions): RingPlan {
  const current = goodRegister(sight, options.registerKey);
  const register = current === undefined ? restored(sight, memory, options) : following(current, sight, options);
  return { register, fences: silentReplicas(sight) };
}

/** Other replicas whose lease names a holder that cannot rely on it any more. */
export function silentReplicas(sight: LeaseSight): readonly Ordinal[] {
  const silent = [...sight.leases].filter(([ordinal, lease]) => ordinal !== sight.self && isSilent(lease, sight));
  return silent.map(([ordinal]) => ordinal);
}

function following(current: Register, sight: LeaseSight, options: RingOptions): Register | undefined {
  const next = assigned(current.now, sight, options);
  const isSame = next === NOBODY || next.every((owner, slot) => owner === current.now[slot]);
  if (isSame || !isSettled(current, sight)) return undefined;
  return { generation: current.generation + 1, now: next, before: current.now };
}

function isSettled(current: Register, sight: LeaseSight): boolean {
  const named = current.before === undefined ? everybodyElse(undefined) : namedIn(current);
  return [...named].every((one) => hasLetGo(one, current.generation, sight));
}

function assigned(before: Assignment, sight: LeaseSight, { rules, joinMs }: RingOptions): Assignment {
  if (rules.kind === 'static') return ordinalAssignment(rules.count);
  const owners = new Set(before.filter((owner) => owner !== undefined));
  return balance(before, wanted(owners, sight, joinMs));
}

/** Living replicas that have slots or have been there long enough. When no owner lives, new replicas need not wait. */
function wanted(owners: ReadonlySet<Ordinal>, sight: LeaseSight, joinMs: number): readonly Ordinal[] {
  const living = [...sight.leases].filter(([, lease]) => isAlive(lease, sight) && lease.note !== undefined);
  const isEmpty = owners.size > 0 && !living.some(([ordinal]) => owners.has(ordinal));
  return living
    .filter(([ordinal, { holderSinceMs }]) => {
      return isEmpty || owners.has(ordinal) || sight.nowMs - holderSinceMs >= joinMs;
    })
    .map(([ordinal]) => ordinal)
    .sort((a, b) => a - b);
}

/** A register with the next generation may have existed for a moment, acknowledged by no replica. The generation after
 *  that is new to all of them, because a replica acknowledges a register before it takes slots by it. */
const UNSEEN = 2;

/** For a register that is missing, damaged, or stale. The one this process remembers is right unless a replica has
 *  acknowledged a later one. */
function restored(sight: LeaseSight, { last, lostSinceMs }: RingMemory, options: RingOptions): Register | undefined {
  const acknowledged = lastAcknowledged(sight);
  if (last !== undefined && last.generation >= acknowledged) return { ...last, generation: last.generation + UNSEEN };
  const now = assigned(NOBODY, sight, options);
  if (now === NOBODY) return undefined;
  const generation = acknowledged + UNSEEN;
  // No replica has ever followed a register: this is the first.
  if (acknowledged === 0 && !isAnyUnknown(sight, options.registerKey)) return { generation, now, before: NOBODY };
  // A replica may still work by a register that is lost, even when its lease is missing. Until the fence time is over,
  // no slots are assigned.
  const isOver = lostSinceMs !== undefined && sight.nowMs - lostSinceMs >= sight.fenceMs;
  return isOver ? { generation, now, before: undefined } : undefined;
}

/** Whether a lease does not tell what its holder does, or did, or there is a register of another format, whose
 *  followers are unknown. */
function isAnyUnknown(sight: LeaseSight, registerKey: string): boolean {
  const { leader, leaderFormat, format } = sight;
  if (leaderFormat !== format && (leader?.annotations?.[registerKey] ?? '') !== '') return true;
  return [...sight.leases.values()].some(
    (lease) => isHeld(lease, sight.nowMs) && (lease.note === undefined || isPlaceholder(lease.record)),
  );
}
