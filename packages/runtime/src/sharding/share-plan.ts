// Answers: what does a replica that shares do next? In this order: it follows the register, lets go of what is not its
// own any more, says how far it has followed, takes what nobody else can be working on, and frees what keeps it from
// that. Pure; shared-ownership.ts does it.
import type { LeaseRecord } from '../lease-record.ts';
import { hasReached } from '../resource-version.ts';
import { type Ordinal, ordinalAssignment, slotsOf } from './assignment.ts';
import {
  acknowledgeRegister,
  type FollowedRegister,
  followRegister,
  NOTHING_FOLLOWED,
  planFollowed,
  slotsGiven,
  whoHasNotLetGo,
  whyNotYet,
} from './followed-register.ts';
import { foreignClaims, type ShareRules, soleLeader, whyIncompatible } from './foreign-claims.ts';
import type { LeaseSight } from './lease-table.ts';
import type { Register } from './register.ts';
import { silentReplicas } from './ring-plan.ts';
import { formatShareNote } from './share-note.ts';

/** Names of the annotations on the leases. */
export interface ShareKeys {
  /** On a replica's: by which rules it shares. */
  readonly share: string;
  /** On a replica's, and on the leader's beside the register: in which format that is written. */
  readonly format: string;
  /** On a replica's: what it waits for, if it does. */
  readonly waiting: string;
  /** On the leader's: who of those that share holds it. */
  readonly mark: string;
  /** On the leader's: who has which slots. */
  readonly register: string;
}

/** What a replica remembers of itself. */
export interface ShareMemory {
  /** Undefined in mode `static`. */
  readonly register: FollowedRegister | undefined;
  /** Who leads alone, once nothing of ours is under way any more. */
  readonly yieldsTo: string | undefined;
  /** What it waits for. */
  readonly waiting: string | undefined;
}

export interface ShareSituation {
  readonly rules: ShareRules;
  readonly keys: ShareKeys;
  readonly sight: LeaseSight;
  readonly memory: ShareMemory;
  /** The version of the own lease with which the present term began; undefined without one. */
  readonly termVersion: string | undefined;
  readonly isCoordinating: boolean;
  /** The note that was sent last. */
  readonly sentNote: string | undefined;
  readonly held: Holding;
}

/** Slots on their way in and out. */
export interface Holding {
  readonly slots: ReadonlySet<number>;
  readonly isAnyEnding: boolean;
  readonly isIdle: boolean;
  isEnding(slot: number): boolean;
}

export interface SharePlan {
  readonly memory: ShareMemory;
  /** The note on the own lease has changed. */
  readonly hasNews: boolean;
  readonly letGo: { readonly slots: readonly number[]; readonly why: string; readonly isForced: boolean };
  readonly take: readonly number[];
  /** Why it takes no part. */
  readonly refused: string | undefined;
  /** Leases to be freed. */
  readonly fences: readonly Ordinal[];
  /** The register that is to be stored; undefined: nothing, or this replica does not coordinate. */
  readonly register: Register | undefined;
  /** What no event may tell of is awaited. */
  readonly isWaiting: boolean;
}

export function startOfSharing(rules: ShareRules): ShareMemory {
  return { register: rules.kind === 'ring' ? NOTHING_FOLLOWED : undefined, yieldsTo: undefined, waiting: undefined };
}

export function planShare(before: ShareSituation): SharePlan {
  const { rules, keys, sight, held, termVersion, isCoordinating } = before;
  const alone = soleLeader(sight, keys.mark);
  const isValid = termVersion !== undefined;
  const follows = before.memory.register && followRegister(before.memory.register, sight, keys.register);
  const mine = slotsByRules(rules, follows, sight.self);
  const isForced = !isValid || alone !== undefined;
  const letGo = {
    slots: isForced ? [...held.slots] : without(held.slots, mine),
    why: isForced ? (alone ?? 'the lease is over') : 'they belong to somebody else',
    isForced,
  };
  const kept = new Set(without(held.slots, new Set(letGo.slots)));
  const isAnyEnding = held.isAnyEnding || letGo.slots.length > 0;
  // One who leads alone begins when everybody who shares has reported that it has nothing any more.
  const yieldsTo = alone !== undefined && held.isIdle ? sight.leader?.holder : undefined;
  const register = follows && acknowledgeRegister(follows, isAnyEnding);
  const memory = { ...before.memory, register, yieldsTo };
  const refused = isValid ? undefined : whyIncompatible(sight);
  const wanted = without(mine, kept);
  const found = isValid ? freeOf(wanted, { ...before, memory }) : { free: [], why: refused };
  const waiting = isValid && wanted.length === 0 ? whyNothing(before, kept.size) : found.why;
  const ring = register !== undefined && isCoordinating ? planFollowed(register, sight, keys.register) : undefined;
  return {
    memory: { ...memory, waiting },
    hasNews: yieldsTo !== before.memory.yieldsTo || register?.acknowledged !== before.memory.register?.acknowledged,
    letGo,
    take: found.free,
    refused,
    fences: register === undefined ? fencesOfStatic(waiting, sight) : (ring?.fences ?? []),
    register: ring?.register,
    isWaiting: wanted.length > 0 || isAnyEnding || mine.size === 0,
  };
}

/** Of slots that are being taken those that are still ours to take. */
export function stillFree(slots: readonly number[], situation: ShareSituation): readonly number[] {
  const { rules, memory, sight } = situation;
  const mine = slotsByRules(rules, memory.register, sight.self);
  const still = slots.filter((slot) => mine.has(slot));
  return freeOf(still, situation).free;
}

/** What a replica says of itself on its lease. */
export function shareNoteOf(rules: ShareRules, self: Ordinal, { register, yieldsTo }: ShareMemory): string {
  return rules.kind === 'ring'
    ? formatShareNote({ kind: 'ring', acknowledged: register?.acknowledged ?? 0, yieldsTo })
    : formatShareNote({ kind: 'static', ordinal: self, count: rules.count, yieldsTo });
}

/** What a coordinator stores with the write that replaces `previous`: decided on that very version, and on all leases
 *  as they were then. */
export function registerToStore(
  previous: LeaseRecord | undefined,
  { sight, memory, keys }: Pick<ShareSituation, 'sight' | 'memory' | 'keys'>,
): Register | undefined {
  const isSame = sight.leader?.annotations?.[keys.register] === previous?.annotations?.[keys.register];
  return isSame && memory.register !== undefined
    ? planFollowed(memory.register, sight, keys.register).register
    : undefined;
}

function slotsByRules(rules: ShareRules, register: FollowedRegister | undefined, self: Ordinal): ReadonlySet<number> {
  if (rules.kind === 'static') return slotsOf(ordinalAssignment(rules.count), self);
  return register === undefined ? new Set() : slotsGiven(register, self);
}

/** A ring gives nothing to anybody before its register is there, and to those that are too many. */
function whyNothing({ rules, keys, sight }: ShareSituation, held: number): string | undefined {
  if (rules.kind === 'static' || held > 0) return undefined;
  return foreignClaims(sight, rules, keys.mark)(0) ?? 'nothing has been given to this replica yet';
}

/** Of the slots that are ours those that nobody else can be working on. */
function freeOf(
  wanted: readonly number[],
  situation: ShareSituation,
): { free: readonly number[]; why: string | undefined } {
  const { rules, keys, sight, memory, held } = situation;
  const notYet = whyNone(situation);
  if (notYet !== undefined) return { free: [], why: notYet };
  const claims = foreignClaims(sight, rules, keys.mark);
  const { register } = memory;
  const claimed = new Map(
    wanted.map((slot) => [slot, claims(slot) ?? (register && whoHasNotLetGo(slot, register, sight))]),
  );
  return {
    free: wanted.filter((slot) => claimed.get(slot) === undefined && !held.isEnding(slot)),
    why: [...claimed.values()].find((who) => who !== undefined),
  };
}

/** What has to be seen before anything may be taken. */
function whyNone({ sight, keys, memory, termVersion, sentNote }: ShareSituation): string | undefined {
  const seen = sight.leases.get(sight.self)?.record;
  if (seen === undefined || termVersion === undefined || !hasReached(seen.resourceVersion, termVersion))
    return 'the watch of leases is behind';
  const alone = soleLeader(sight, keys.mark);
  if (alone !== undefined) return alone;
  // Whoever has read there that we yield goes by it until it says otherwise.
  if (seen.annotations?.[keys.share] !== sentNote || memory.yieldsTo !== undefined)
    return 'it is not said yet by which rules slots are taken';
  return memory.register && whyNotYet(memory.register, sight, keys.register);
}

/** Whoever waits frees those whose leases keep slots from it; in a ring the coordinator does. */
function fencesOfStatic(waiting: string | undefined, sight: LeaseSight): readonly Ordinal[] {
  return waiting === undefined ? [] : silentReplicas(sight);
}

function without(slots: ReadonlySet<number>, others: ReadonlySet<number>): readonly number[] {
  return [...slots].filter((slot) => !others.has(slot));
}
