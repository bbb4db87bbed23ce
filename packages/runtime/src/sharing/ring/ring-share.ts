// Whether a stored register is valid, and which slots their previous owners have let go of. Pure.
// Owners change by generations: the previous owner of a slot acknowledges the generation on its own lease, or that
// lease is free or long gone.

import { isGone, isHeld, type LeaseSight } from '../leases/lease-table.ts';
import { MAX_REPLICAS, type Ordinal } from '../slots/assignment.ts';
import { parseRegister, type Register } from './register.ts';

/** The stored register, if a replica of our format has written it and no replica has acknowledged a later one. */
export function goodRegister(sight: LeaseSight, registerKey: string): Register | undefined {
  const isOfOurs = sight.leaderFormat === sight.format;
  const register = isOfOurs ? parseRegister(sight.leader?.annotations?.[registerKey]) : undefined;
  return register !== undefined && register.generation >= lastAcknowledged(sight) ? register : undefined;
}

/** The latest generation that any replica has acknowledged; 0 when none has. */
export function lastAcknowledged({ leases }: LeaseSight): number {
  const all = [...leases.values()].map(({ note }) => note?.acknowledged ?? 0);
  return Math.max(0, ...all);
}

/** True when the replica works on no slot that `generation` takes from it. */
export function hasLetGo(ordinal: Ordinal, generation: number, sight: LeaseSight): boolean {
  const lease = sight.leases.get(ordinal);
  if (lease === undefined) return isGone(ordinal, sight);
  if (!isHeld(lease, sight.nowMs)) return true;
  return lease.note !== undefined && lease.note.acknowledged >= generation;
}

/** Whether this replica may begin to work on a slot that the register assigns to it. */
export function isFreeToTake(slot: number, { generation, before }: Register, sight: LeaseSight): boolean {
  if (before === undefined) return everybodyElse(sight.self).every((one) => hasLetGo(one, generation, sight));
  const owner = before[slot];
  return owner === undefined || owner === sight.self || hasLetGo(owner, generation, sight);
}

export function everybodyElse(self: Ordinal | undefined): readonly Ordinal[] {
  return Array.from({ length: MAX_REPLICAS }, (_, ordinal) => ordinal).filter((ordinal) => ordinal !== self);
}
