// Answers: how often is a member asked, how many of its looks are brief, and how much of what it said is kept?
// All figures of the sampler's timing are here; whoever follows a cluster chooses the pace.

import type { MemberAnswer } from '@marekvs/planner';

/** `settled`: nothing is expected to change, ask rarely. `moving`: ask about every second, always for everything.
 *  `operation`: about every second, mostly for figures alone, so that what clients do can be told from what we do.
 *  `handover`: as an operation, but the lists of members are what is waited for: always for everything. */
export type Pace = 'settled' | 'moving' | 'operation' | 'handover';

/** Samples are evidence: they come at even distances, whatever an answer took, and their figures in one order. */
export const isOfOperation = (pace: Pace): boolean => pace === 'operation' || pace === 'handover';

/** Between two looks at a settled member; jittered by a third (issue: 30 s jittered). */
export const SETTLED_INTERVAL_MS = 30_000;
export const MOVING_INTERVAL_MS = 1_000;
export const OPERATION_INTERVAL_MS = 1_000;
/** While an operation runs in a cluster of this many members or more, each is asked half as often. */
export const LARGE_CLUSTER_MEMBERS = 20;
export const LARGE_OPERATION_INTERVAL_MS = 2_000;

/** A first failure is asked again soon; only a second one in a row counts as silence. */
const RETRY_INTERVAL_MS = 1_000;
const SILENT_INTERVAL_MS = 2_000;

/** So many looks are brief ones before a whole one. At rest, since half of what an idle fleet costs is asking for lists that do not
 *  change, and the figures say when they do. While an operation runs, since of two brief looks in a row the second one's client
 *  figures are free of our own connections. */
const BRIEF_LOOKS: Readonly<Record<Pace, number>> = { settled: 3, moving: 0, operation: 2, handover: 0 };

/** Samples kept of one member: six minutes at rest, a minute of moving, four to eight of an operation: a baseline needs
 *  25 rounds, which stretch to nearly 10 s under writes (marekvs.md 5.5). */
const KEPT_SAMPLES: Readonly<Record<Pace, number>> = { settled: 12, moving: 60, operation: 240, handover: 240 };

export const briefLooks = (pace: Pace): number => BRIEF_LOOKS[pace];
export const keptSamples = (pace: Pace): number => KEPT_SAMPLES[pace];

/** Milliseconds between two looks at a member of a cluster with so many, before jitter. */
export function nominalInterval(pace: Pace, memberCount: number): number {
  if (pace === 'settled') return SETTLED_INTERVAL_MS;
  if (pace === 'moving') return MOVING_INTERVAL_MS;
  return memberCount < LARGE_CLUSTER_MEMBERS ? OPERATION_INTERVAL_MS : LARGE_OPERATION_INTERVAL_MS;
}

/** What the next interval depends on. */
export interface Asked {
  readonly pace: Pace;
  readonly answer: MemberAnswer;
  /** Failures in a row. */
  readonly failures: number;
}

/** Milliseconds until the next look, jittered at rest. */
export function intervalOf({ pace, answer, failures }: Asked, memberCount: number, random: () => number): number {
  if (failures === 1) return RETRY_INTERVAL_MS;
  if (answer.kind === 'silent') return SILENT_INTERVAL_MS;
  if (pace !== 'settled') return nominalInterval(pace, memberCount);
  if (answer.kind === 'joining') return MOVING_INTERVAL_MS;
  return SETTLED_INTERVAL_MS * (1 + (random() - 0.5) / 1.5);
}
