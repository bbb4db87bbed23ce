// Answers: how often is a member asked, and how many of its probes are brief?
// All figures of the sampler's timing are here; whoever follows a cluster chooses the pace.

import type { MemberAnswer } from '@marekvs/planner';

/** `settled`: nothing is expected to change, ask rarely. `watched`: as rarely, but in turns, so that a step in the load of the cluster is
 *  seen by one member within a part of the interval. `measuring`: figures alone, about every second. `moving`: ask about every second.
 *  `operation`: as moving, and first for the figures: so they do not show the connection over which we ask for the list. */
export type Pace = 'settled' | 'watched' | 'measuring' | 'moving' | 'operation';

/** Between two probes of a settled member; jittered by a third (issue: 30 s jittered). */
export const SETTLED_INTERVAL_MS = 30_000;
/** Between two probes of a member of a cluster that is sized by load: with three members one is asked every 8 s. */
export const WATCHED_INTERVAL_MS = 24_000;
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
/** As seldom in time: lists are asked for every two minutes at rest. */
const BRIEF_PROBES_WATCHED = 4;
const BRIEF_PROBES_MEASURING = 60;

export function briefProbes(pace: Pace): number {
  if (pace === 'settled') return BRIEF_PROBES_AT_REST;
  if (pace === 'watched') return BRIEF_PROBES_WATCHED;
  return pace === 'measuring' ? BRIEF_PROBES_MEASURING : 0;
}

/** Nothing happens in the cluster that a probe has to be in time for. */
export function isAtRest(pace: Pace): boolean {
  return pace === 'settled' || pace === 'watched';
}

/** Milliseconds between two probes of a member of a cluster with so many, before jitter. */
export function nominalInterval(pace: Pace, memberCount: number): number {
  if (pace === 'settled') return SETTLED_INTERVAL_MS;
  if (pace === 'watched') return WATCHED_INTERVAL_MS;
  if (pace === 'moving' || pace === 'measuring') return MOVING_INTERVAL_MS;
  return memberCount < LARGE_CLUSTER_MEMBERS ? OPERATION_INTERVAL_MS : LARGE_OPERATION_INTERVAL_MS;
}

/** What the next interval depends on. */
export interface Asked {
  readonly pace: Pace;
  readonly answer: MemberAnswer;
  /** Failures in a row. */
  readonly failures: number;
}

/** Whose turn it is among the members of a cluster that is watched. */
export interface Turn {
  /** Monotonic. */
  readonly nowMs: number;
  /** Of the member among those of its cluster, from 0. */
  readonly index: number;
  /** Of its cluster: clusters are not asked at the same moments. */
  readonly offsetMs: number;
}

/** Members are asked at equal distances over the interval, whenever each was asked last. */
function untilTurn({ nowMs, index, offsetMs }: Turn, memberCount: number): number {
  const phaseMs = offsetMs + (index * WATCHED_INTERVAL_MS) / Math.max(1, memberCount);
  const sinceMs = (nowMs - phaseMs) % WATCHED_INTERVAL_MS;
  const untilMs = WATCHED_INTERVAL_MS - ((sinceMs + WATCHED_INTERVAL_MS) % WATCHED_INTERVAL_MS);
  return untilMs < WATCHED_INTERVAL_MS / 4 ? untilMs + WATCHED_INTERVAL_MS : untilMs;
}

/** Milliseconds until the next probe, jittered at rest. */
export function intervalOf(
  { pace, answer, failures }: Asked,
  memberCount: number,
  random: () => number,
  turn: Turn | undefined,
): number {
  if (failures === 1) return RETRY_INTERVAL_MS;
  if (answer.kind === 'silent') return SILENT_INTERVAL_MS;
  if (!isAtRest(pace)) return nominalInterval(pace, memberCount);
  if (answer.kind === 'joining') return MOVING_INTERVAL_MS;
  if (turn !== undefined) return untilTurn(turn, memberCount);
  return SETTLED_INTERVAL_MS * (1 + (random() - 0.5) / 1.5);
}
