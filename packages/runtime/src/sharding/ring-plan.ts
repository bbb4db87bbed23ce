// Answers, for the coordinator of mode `ring`: what has to be in the register next, and whose lease has to be freed?
// Pure. A generation follows another only when everybody has let go of what the last one took from them.
import { isPlaceholder } from '../lease-record.ts';
import { balance, NOBODY, type Ordinal } from './assignment.ts';
import { isAlive, isHeld, isSilent, type LeaseSight } from './lease-table.ts';
import { namedIn, type Register } from './register.ts';
import { everybodyElse, goodRegister, hasLetGo, lastAcknowledged } from './ring-share.ts';

export interface RingPlan {
  /** To be stored in place of what is there; undefined: nothing, now. */
  readonly register: Register | undefined;
  /** Leases to be freed, each in the version it was seen in. */
  readonly fences: readonly Ordinal[];
}

export interface RingMemory {
  /** The last good register this process has seen. */
  readonly last: Register | undefined;
  /** Since when there has been no good one, as long as there is none. */
  readonly lostSinceMs: number | undefined;
}

export interface RingTiming {
  readonly registerKey: string;
  /** A replica that is new gets slots when it has been there for so long: those of one start are shared among once. */
  readonly joinMs: number;
}

export function planRing(sight: LeaseSight, memory: RingMemory, timing: RingTiming): RingPlan {
  const current = goodRegister(sight, timing.registerKey);
  const register = current === undefined ? restored(sight, memory, timing) : following(current, sight, timing.joinMs);
  return { register, fences: silentReplicas(sight) };
}

/** The others that hold a lease and cannot believe in it any more. */
export function silentReplicas(sight: LeaseSight): readonly Ordinal[] {
  const silent = [...sight.leases].filter(([ordinal, lease]) => ordinal !== sight.self && isSilent(lease, sight));
  return silent.map(([ordinal]) => ordinal);
}

function following(current: Register, sight: LeaseSight, joinMs: number): Register | undefined {
  const owners = new Set(current.now.filter((owner) => owner !== undefined));
  const next = balance(current.now, wanted(owners, sight, joinMs));
  const isSame = next === NOBODY || next.every((owner, slot) => owner === current.now[slot]);
  if (isSame || !isSettled(current, sight)) return undefined;
  return { generation: current.generation + 1, now: next, before: current.now };
}

function isSettled(current: Register, sight: LeaseSight): boolean {
  const named = current.before === undefined ? everybodyElse(undefined) : namedIn(current);
  return [...named].every((one) => hasLetGo(one, current.generation, sight));
}

/** Those that have slots and live, and those that have joined. When nobody who has any lives, nobody is waited for. */
function wanted(owners: ReadonlySet<Ordinal>, sight: LeaseSight, joinMs: number): readonly Ordinal[] {
  const living = [...sight.leases].filter(([, lease]) => isAlive(lease, sight) && lease.note?.kind === 'ring');
  const isEmpty = owners.size > 0 && !living.some(([ordinal]) => owners.has(ordinal));
  return living
    .filter(([ordinal, { holderSinceMs }]) => {
      return isEmpty || owners.has(ordinal) || sight.nowMs - holderSinceMs >= joinMs;
    })
    .map(([ordinal]) => ordinal)
    .sort((a, b) => a - b);
}

/** A register that nobody has followed may have been there for a moment: it had the next generation, and the one after
 *  that is new to everybody. A replica says that it follows one before it takes anything by it. */
const UNSEEN = 2;

/** The register is missing, damaged, or stale. What this process remembers of it is right unless somebody
 *  has followed a later one. */
function restored(
  sight: LeaseSight,
  { last, lostSinceMs }: RingMemory,
  { registerKey, joinMs }: RingTiming,
): Register | undefined {
  const acknowledged = lastAcknowledged(sight);
  if (last !== undefined && last.generation >= acknowledged) return { ...last, generation: last.generation + UNSEEN };
  const now = balance(NOBODY, wanted(new Set(), sight, joinMs));
  if (now === NOBODY) return undefined;
  const generation = acknowledged + UNSEEN;
  // Nobody has ever followed one: this is the first.
  if (acknowledged === 0 && !isAnyUnknown(sight, registerKey)) return { generation, now, before: NOBODY };
  // Somebody may work by one that nobody has any more, even without a lease: until that is over nothing is given to
  // anybody.
  const isOver = lostSinceMs !== undefined && sight.nowMs - lostSinceMs >= sight.fenceMs;
  return isOver ? { generation, now, before: undefined } : undefined;
}

/** A lease that does not say what its holder does, or did; or a register of another format, whose followers are not
 *  known. */
function isAnyUnknown(sight: LeaseSight, registerKey: string): boolean {
  const { leader, leaderFormat, format } = sight;
  if (leaderFormat !== format && (leader?.annotations?.[registerKey] ?? '') !== '') return true;
  return [...sight.leases.values()].some(
    (lease) => isHeld(lease, sight.nowMs) && (lease.note === undefined || isPlaceholder(lease.record)),
  );
}
