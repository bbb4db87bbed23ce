// Answers: which check is asked for which purpose? This table is all of it: whoever takes a member away, for seconds or
// for ever, chooses its checks here. They are asked in this order, so a later one may rely on an earlier one. Each is
// made in preflight/preflight-checks.ts (before anything begins), in evidence.ts (what is proven), or where only one
// operation asks it: operations/mending/locked-out.ts and releasing/obstacle.ts. With the why of each, as a page:
// docs/design/checks.md.

import type { Hold } from '../values/hold.ts';

/** Before a removal of this basis begins. */
const REMOVALS = ['Proof', 'NeverJoined', 'Dead', 'Forced'] as const;
/** Before a member is away for a while, to come back on its volume. */
const ABSENCES = ['Turn', 'Move', 'Mend', 'Suspend', 'Hibernate'] as const;
/** Before a process ends, or after one has come up: what is proven while an operation is under way. */
const PROOFS = ['Sealing', 'Proving', 'Settling', 'Restarting', 'CatchingUp'] as const;

const BEGINNINGS = [...REMOVALS, ...ABSENCES] as const;
const LOOKS = ['Unlock', ...PROOFS] as const;

/** Before anything has been done. */
export type Beginning = (typeof BEGINNINGS)[number];
/** The member is back within seconds, and moves nobody's copies. */
export type Restart = Exclude<(typeof ABSENCES)[number], 'Suspend'>;
export type Purpose = Beginning | (typeof LOOKS)[number] | 'HandOver';

export const CHECKS = {
  replicationFactorAboveOne: ['Proof', 'Dead'],
  floor: REMOVALS,
  sameReplicationFactor: REMOVALS,
  nobodyMoving: ['Turn', 'Move', 'Suspend', 'Hibernate'],
  everyVolumeKept: ['Unlock'],
  nobodyLeaving: ['Hibernate', 'Unlock'],
  nobodyElseLeaving: [...REMOVALS, 'Turn', 'Move', 'Mend', 'Suspend'],
  volumesKept: ['Proof', ...ABSENCES],
  notFollowing: ['Proof', 'Forced'],
  othersUp: ['Unlock'],
  membersReady: BEGINNINGS,
  membershipAgreed: BEGINNINGS,
  membersMatchNodes: BEGINNINGS,
  nobodyJoining: BEGINNINGS,
  recordsInPlace: ['Proof', ...ABSENCES],
  membersAnswer: LOOKS,
  viewsAgree: LOOKS,
  noPrimaries: ['Sealing', 'Proving', 'Restarting'],
  graceOver: ['Sealing', 'Restarting'],
  doorClosed: ['Proving'],
  placement: LOOKS,
  meshComplete: [...BEGINNINGS, ...LOOKS],
  // A full disk keeps a member from taking a copy, and from nothing else: a restart may be what mends it.
  writesAllowed: [...REMOVALS, 'Sealing', 'Proving', 'Settling'],
  noRejoin: [...BEGINNINGS, ...LOOKS],
  // A dead member's share was taken over when the others forgot it, and one that never joined has none.
  diskFits: ['Proof', 'Suspend'],
  contents: PROOFS,
  notStopped: ['HandOver'],
  nothingUnderWay: ['HandOver'],
  likeSpec: ['HandOver'],
  likeIds: ['HandOver'],
  likeFolders: ['HandOver'],
  settled: ['HandOver'],
  allWell: ['HandOver'],
} as const satisfies Readonly<Record<string, readonly Purpose[]>>;

export type CheckName = keyof typeof CHECKS;

type NameFor<P extends Purpose> = {
  readonly [K in CheckName]: P extends (typeof CHECKS)[K][number] ? K : never;
}[CheckName];

/** How each check of these purposes is made: what is wrong, or undefined. One that is missing does not compile. */
export type Holds<P extends Purpose, Scope> = Readonly<Record<NameFor<P>, (scope: Scope) => Hold | undefined>>;

/** In the order in which they are asked. */
export function checksFor<P extends Purpose>(purpose: P): readonly NameFor<P>[] {
  const names = Object.keys(CHECKS) as CheckName[];
  return names.filter((name): name is NameFor<P> => isAskedFor(name, purpose));
}

export function isAskedFor(name: CheckName, purpose: Purpose): boolean {
  const purposes: readonly Purpose[] = CHECKS[name];
  return purposes.includes(purpose);
}

/** What the first check says that does not pass; undefined when all pass. */
export function firstHold<P extends Purpose, Scope>(
  purpose: P,
  holds: Holds<P, Scope>,
  scope: Scope,
): Hold | undefined {
  for (const name of checksFor(purpose)) {
    const found = holds[name](scope);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The result of a check of a proof. */
export interface Check {
  readonly name: CheckName;
  readonly passed: boolean;
  /** What was seen, short. The same while nothing changes. */
  readonly value: string;
  /** Why it did not pass. */
  readonly hold: Hold | undefined;
}

export function passed(name: CheckName, value: string): Check {
  return { name, passed: true, value: value.slice(0, MAX_VALUE), hold: undefined };
}

export function failed(name: CheckName, value: string, hold: Hold): Check {
  return { name, passed: false, value: value.slice(0, MAX_VALUE), hold };
}

/** The limit of the stored record (api: removal-proof.ts). */
const MAX_VALUE = 256;
