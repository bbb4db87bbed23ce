// Answers: how often is a member asked, and how many of its probes are brief?
// All figures of the sampler's timing are here; whoever follows a cluster chooses the pace.

import type { MemberAnswer } from '@marekvs/planner';

/** `settled`: nothing is expected to change, ask rarely. `moving`: ask about every second.
 *  `operation`: as moving, and first for the figures: so they do not show the connection over which we ask for the list. */
export type Pace = 'settled' | 'moving' | 'operation';

/** Between two probes of a settled member; jittered by a third (issue: 30 s jittered). */
export const SETTLED_INTERVAL_MS = 30_000;
export const MOVING_INTERVAL_MS = 1_000;
export const OPERATION_INTERVAL_MS = 1_000;
/** While an operation runs in a cluster of this many members or more, each is asked half as often. */
export const LARGE_CLUSTER_MEMBERS = 20;
export const LARGE_OPERATION_INTERVAL_MS = 2_000;

/** A first failure is asked again soon; only a second one in a row counts as silence. */
const RETRY_INTERVAL_MS = 1_000;
const SILENT_INTERVAL_MS = 2_000;

/** So many probes at rest are brief ones before a whole one: half of what an idle fleet costs is asking for lists that do not change, and
 *  the figures say when they do. */
const BRIEF_PROBES_AT_REST = 3;

export const briefProbes = (pace: Pace): number => (pace === 'settled' ? BRIEF_PROBES_AT_REST : 0);

/** Milliseconds between two probes of a member of a cluster with so many, before jitter. */
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

/** Milliseconds until the next probe, jittered at rest. */
export function intervalOf({ pace, answer, failures }: Asked, memberCount: number, random: () => number): number {
  if (failures === 1) return RETRY_INTERVAL_MS;
  if (answer.kind === 'silent') return SILENT_INTERVAL_MS;
  if (pace !== 'settled') return nominalInterval(pace, memberCount);
  if (answer.kind === 'joining') return MOVING_INTERVAL_MS;
  return SETTLED_INTERVAL_MS * (1 + (random() - 0.5) / 1.5);
}
