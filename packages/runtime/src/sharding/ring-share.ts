// Answers, in mode `ring`: what does the register give to this replica, and which of it has nobody else any more? Pure.
// Owners change by generations: who had a slot says on its own lease that it has let go, or that lease is free, or gone
// for long.
import { MAX_REPLICAS, type Ordinal } from './assignment.ts';
import { isGone, isHeld, type LeaseSight } from './lease-table.ts';
import { parseRegister, type Register } from './register.ts';

/** The register as stored, if replicas have written it, and no replica has ever seen a later one. */
export function goodRegister(sight: LeaseSight, registerKey: string): Register | undefined {
  const isOfOurs = sight.leaderFormat === sight.format;
  const register = isOfOurs ? parseRegister(sight.leader?.annotations?.[registerKey]) : undefined;
  return register !== undefined && register.generation >= lastAcknowledged(sight) ? register : undefined;
}

/** The latest generation that any replica has followed. */
export function lastAcknowledged({ leases }: LeaseSight): number {
  const all = [...leases.values()].map(({ note }) => (note?.kind === 'ring' ? note.acknowledged : 0));
  return Math.max(0, ...all);
}

/** True when this replica works on nothing that `generation` takes from it. */
export function hasLetGo(ordinal: Ordinal, generation: number, sight: LeaseSight): boolean {
  const lease = sight.leases.get(ordinal);
  if (lease === undefined) return isGone(ordinal, sight);
  if (!isHeld(lease, sight.nowMs)) return true;
  return lease.note?.kind === 'ring' && lease.note.acknowledged >= generation;
}

/** May this replica begin to work on a slot that the register gives to it? */
export function isFreeToTake(slot: number, { generation, before }: Register, sight: LeaseSight): boolean {
  if (before === undefined) return everybodyElse(sight.self).every((one) => hasLetGo(one, generation, sight));
  const owner = before[slot];
  return owner === undefined || owner === sight.self || hasLetGo(owner, generation, sight);
}

export function everybodyElse(self: Ordinal | undefined): readonly Ordinal[] {
  return Array.from({ length: MAX_REPLICAS }, (_, ordinal) => ordinal).filter((ordinal) => ordinal !== self);
}
