// Answers: what does a sharing replica do next? In this order it follows the register, lets go of slots that are no
// longer its own, acknowledges the register, takes slots that no other replica can be working on, and frees leases that
// keep slots from it. Pure; shared-ownership.ts carries it out.
import type { LeaseRecord } from '../lease/lease-record.ts';
import { hasReached } from '../objects/resource-version.ts';
import { foreignClaims, type ShareRules, soleLeader, whyIncompatible } from './foreign-claims.ts';
import { countsKnown, countsWithoutTerm, whyNotByCount } from './known-counts.ts';
import { type CountsNote, formatCountsNote } from './leases/counts-note.ts';
import type { LeaseSight } from './leases/lease-table.ts';
import { formatShareNote } from './leases/share-note.ts';
import {
  acknowledgeRegister,
  type FollowedRegister,
  followRegister,
  NOTHING_FOLLOWED,
  planFollowed,
  slotsGiven,
  whoHasNotLetGo,
  whyNotYet,
} from './ring/followed-register.ts';
import type { Register } from './ring/register.ts';
import { silentReplicas } from './ring/ring-plan.ts';
import { type Ordinal, ordinalAssignment, slotsOf } from './slots/assignment.ts';

/** Names of the annotations on the leases. */
export interface ShareKeys {
  /** On a replica's lease: by which rules it shares. */
  readonly share: string;
  /** On a replica's lease, in mode `static`: what it knows of how others count. */
  readonly counts: string;
  /** On a replica's lease, and on the leader's beside the register: in which format that is written. */
  readonly format: string;
  /** On a replica's lease: what it waits for, if it does. */
  readonly waiting: string;
  /** On the leader's lease: which of the sharing replicas holds it. */
  readonly mark: string;
  /** On the leader's lease: which replica has which slots. */
  readonly register: string;
}

/** What a replica remembers from one plan to the next. */
export interface ShareMemory {
  /** Undefined in mode `static`. */
  readonly register: FollowedRegister | undefined;
  /** Undefined in mode `ring`. */
  readonly counted: CountsNote | undefined;
  /** The replica that leads alone, once nothing of ours is under way any more. */
  readonly yieldsTo: string | undefined;
  /** What this replica waits for. */
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

/** The slots that this replica holds, takes or lets go of. */
export interface Holding {
  readonly slots: ReadonlySet<number>;
  readonly isAnyEnding: boolean;
  readonly isIdle: boolean;
  isEnding(slot: number): boolean;
}

export interface SharePlan {
  readonly memory: ShareMemory;
  /** The note on the own lease has changed, and is to be written. */
  readonly hasNews: boolean;
  readonly letGo: { readonly slots: readonly number[]; readonly why: string; readonly isForced: boolean };
  readonly take: readonly number[];
  /** Why this replica takes no part. */
  readonly refused: string | undefined;
  /** Leases to be freed. */
  readonly fences: readonly Ordinal[];
  /** The register to store; undefined when there is none, or this replica does not coordinate. */
  readonly register: Register | undefined;
  /** Something is awaited that may cause no event. */
  readonly isWaiting: boolean;
}

export function startOfSharing(rules: ShareRules): ShareMemory {
  return {
    register: rules.kind === 'ring' ? NOTHING_FOLLOWED : undefined,
    counted: rules.kind === 'static' ? { counts: [rules.count], isComplete: false } : undefined,
    yieldsTo: undefined,
    waiting: undefined,
  };
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
  // A replica that leads alone begins when every sharing replica has noted that it holds nothing any more.
  const yieldsTo = alone !== undefined && held.isIdle ? sight.leader?.holder : undefined;
  const register = follows && acknowledgeRegister(follows, isAnyEnding);
  const counted = countedBy(before);
  const memory = { ...before.memory, register, counted, yieldsTo };
  const refused = isValid ? undefined : whyIncompatible(sight);
  const wanted = without(mine, kept);
  const found = isValid ? freeOf(wanted, { ...before, memory }) : { free: [], why: refused };
  const waiting = isValid && wanted.length === 0 ? whyNothing(before, kept.size) : found.why;
  const ring = register !== undefined && isCoordinating ? planFollowed(register, sight, keys.register) : undefined;
  return {
    memory: { ...memory, waiting },
    hasNews:
      yieldsTo !== before.memory.yieldsTo ||
      register?.acknowledged !== before.memory.register?.acknowledged ||
      countsNoteOf(memory) !== countsNoteOf(before.memory),
    letGo,
    take: found.free,
    refused,
    fences: register === undefined ? fencesOfStatic(waiting, sight) : (ring?.fences ?? []),
    register: ring?.register,
    isWaiting: wanted.length > 0 || isAnyEnding || mine.size === 0,
  };
}

/** Those of the slots being taken that are still ours to take. */
export function stillFree(slots: readonly number[], situation: ShareSituation): readonly number[] {
  const { rules, memory, sight } = situation;
  const mine = slotsByRules(rules, memory.register, sight.self);
  const still = slots.filter((slot) => mine.has(slot));
  return freeOf(still, situation).free;
}

/** The note of a replica on its own lease. */
export function shareNoteOf(rules: ShareRules, self: Ordinal, { register, yieldsTo }: ShareMemory): string {
  return rules.kind === 'ring'
    ? formatShareNote({ kind: 'ring', acknowledged: register?.acknowledged ?? 0, yieldsTo })
    : formatShareNote({ kind: 'static', ordinal: self, count: rules.count, yieldsTo });
}

/** What a replica of mode `static` notes on its own lease about how others count; empty in mode `ring`. */
export function countsNoteOf({ counted }: ShareMemory): string {
  return counted === undefined ? '' : formatCountsNote(counted);
}

/** The register that the coordinator stores with the write that replaces `previous`. The plan must be based on the very
 *  register that this write replaces; undefined otherwise. */
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

function countedBy({ rules, sight, termVersion, memory }: ShareSituation): CountsNote | undefined {
  if (rules.kind === 'ring' || memory.counted === undefined) return undefined;
  return hasSeenTerm(sight, termVersion)
    ? countsKnown(sight, rules.count, memory.counted)
    : countsWithoutTerm(sight, rules.count);
}

/** The watch has delivered everything up to the write with which the term began. */
function hasSeenTerm({ leases, self }: LeaseSight, termVersion: string | undefined): boolean {
  const seen = leases.get(self)?.record;
  return seen !== undefined && termVersion !== undefined && hasReached(seen.resourceVersion, termVersion);
}

/** A ring assigns no slots before its register exists, and none to surplus replicas. */
function whyNothing({ rules, keys, sight }: ShareSituation, held: number): string | undefined {
  if (rules.kind === 'static' || held > 0) return undefined;
  return foreignClaims(sight, rules, keys.mark)(0) ?? 'nothing has been given to this replica yet';
}

/** The wanted slots that no other replica can be working on, and a reason when some are not free. */
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

/** Why no slot at all may be taken yet; undefined when slots may be taken. */
function whyNone({ rules, sight, keys, memory, termVersion, sentNote }: ShareSituation): string | undefined {
  if (!hasSeenTerm(sight, termVersion)) return 'the watch of leases is behind';
  const alone = soleLeader(sight, keys.mark);
  if (alone !== undefined) return alone;
  // A replica that has read on our lease that we yield relies on it until the lease says otherwise.
  const seen = sight.leases.get(sight.self)?.record;
  if (seen?.annotations?.[keys.share] !== sentNote || memory.yieldsTo !== undefined)
    return 'it is not said yet by which rules slots are taken';
  if (rules.kind === 'static' && memory.counted !== undefined) return whyNotByCount(sight, rules.count, memory.counted);
  return memory.register && whyNotYet(memory.register, sight, keys.register);
}

/** A waiting replica frees silent leases, which may keep slots from it. In a ring the coordinator does that. */
function fencesOfStatic(waiting: string | undefined, sight: LeaseSight): readonly Ordinal[] {
  return waiting === undefined ? [] : silentReplicas(sight);
}

function without(slots: ReadonlySet<number>, others: ReadonlySet<number>): readonly number[] {
  return [...slots].filter((slot) => !others.has(slot));
}
