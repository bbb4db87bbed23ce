// Answers: what does a sharing replica do next? In this order it follows the register, lets go of slots that are no
// longer its own, acknowledges the register, takes slots that no other replica can be working on, and frees leases that
// keep slots from it. Pure; shared-ownership.ts carries it out.
import type { LeaseRecord } from '../lease/lease-record.ts';
import { hasReached } from '../objects/resource-version.ts';
import { foreignClaim, soleLeader, whyIncompatible } from './foreign-claims.ts';
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
import type { ShareRules } from './ring/ring-plan.ts';
import type { Ordinal } from './slots/assignment.ts';

/** Names of the annotations on the leases. */
export interface ShareKeys {
  /** On a replica's lease: which generation of the register it has acknowledged. */
  readonly share: string;
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
  readonly register: FollowedRegister;
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

export const START_OF_SHARING: ShareMemory = { register: NOTHING_FOLLOWED, yieldsTo: undefined, waiting: undefined };

export function planShare(before: ShareSituation): SharePlan {
  const { keys, sight, held, termVersion, isCoordinating } = before;
  const alone = soleLeader(sight, keys.mark);
  const isValid = termVersion !== undefined;
  const follows = followRegister(before.memory.register, sight, keys.register);
  const mine = slotsGiven(follows, sight.self);
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
  const register = acknowledgeRegister(follows, isAnyEnding);
  const memory = { ...before.memory, register, yieldsTo };
  const refused = isValid ? undefined : whyIncompatible(sight);
  const wanted = without(mine, kept);
  const found = isValid ? freeOf(wanted, { ...before, memory }) : { free: [], why: refused };
  const waiting = isValid && wanted.length === 0 && kept.size === 0 ? whyNothing(before) : found.why;
  const ring = isCoordinating ? planFollowed(register, before) : undefined;
  return {
    memory: { ...memory, waiting },
    hasNews: yieldsTo !== before.memory.yieldsTo || register.acknowledged !== before.memory.register.acknowledged,
    letGo,
    take: found.free,
    refused,
    fences: ring?.fences ?? [],
    register: ring?.register,
    isWaiting: wanted.length > 0 || isAnyEnding || mine.size === 0,
  };
}

/** Those of the slots being taken that are still ours to take. */
export function stillFree(slots: readonly number[], situation: ShareSituation): readonly number[] {
  const { memory, sight } = situation;
  const mine = slotsGiven(memory.register, sight.self);
  const still = slots.filter((slot) => mine.has(slot));
  return freeOf(still, situation).free;
}

/** The note of a replica on its own lease. */
export function shareNoteOf(rules: ShareRules, { register, yieldsTo }: ShareMemory): string {
  return formatShareNote({ mode: rules.kind, acknowledged: register.acknowledged, yieldsTo });
}

/** The register that the coordinator stores with the write that replaces `previous`. The plan must be based on the very
 *  register that this write replaces; undefined otherwise. */
export function registerToStore(
  previous: LeaseRecord | undefined,
  situation: Pick<ShareSituation, 'rules' | 'sight' | 'memory' | 'keys'>,
): Register | undefined {
  const { sight, memory, keys } = situation;
  const isSame = sight.leader?.annotations?.[keys.register] === previous?.annotations?.[keys.register];
  return isSame ? planFollowed(memory.register, situation).register : undefined;
}

/** The watch has delivered everything up to the write with which the term began. */
function hasSeenTerm({ leases, self }: LeaseSight, termVersion: string | undefined): boolean {
  const seen = leases.get(self)?.record;
  return seen !== undefined && termVersion !== undefined && hasReached(seen.resourceVersion, termVersion);
}

/** No slots are assigned before there is a register, and none to surplus replicas. */
function whyNothing({ keys, sight }: ShareSituation): string {
  return foreignClaim(sight, keys.mark) ?? 'nothing has been given to this replica yet';
}

/** The wanted slots that no other replica can be working on, and a reason when some are not free. */
function freeOf(
  wanted: readonly number[],
  situation: ShareSituation,
): { free: readonly number[]; why: string | undefined } {
  const { sight, memory, held } = situation;
  if (wanted.length === 0) return { free: [], why: undefined };
  const notYet = whyNone(situation);
  if (notYet !== undefined) return { free: [], why: notYet };
  const claimed = new Map(wanted.map((slot) => [slot, whoHasNotLetGo(slot, memory.register, sight)]));
  return {
    free: wanted.filter((slot) => claimed.get(slot) === undefined && !held.isEnding(slot)),
    why: [...claimed.values()].find((who) => who !== undefined),
  };
}

/** Why no slot at all may be taken yet; undefined when slots may be taken. */
function whyNone({ sight, keys, memory, termVersion, sentNote }: ShareSituation): string | undefined {
  if (!hasSeenTerm(sight, termVersion)) return 'the watch of leases is behind';
  const alone = soleLeader(sight, keys.mark);
  if (alone !== undefined) return alone;
  // A replica that has read on our lease that we yield relies on it until the lease says otherwise.
  const seen = sight.leases.get(sight.self)?.record;
  if (seen?.annotations?.[keys.share] !== sentNote || memory.yieldsTo !== undefined)
    return 'it is not said yet by which rules slots are taken';
  return whyNotYet(memory.register, sight, keys.register) ?? foreignClaim(sight, keys.mark);
}

function without(slots: ReadonlySet<number>, others: ReadonlySet<number>): readonly number[] {
  return [...slots].filter((slot) => !others.has(slot));
}
