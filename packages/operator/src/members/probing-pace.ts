// Answers: how often is a member asked, and for how much? All figures of the sampler's timing are here; the follower of
// a cluster chooses the pace.

import { type MemberAnswer, STALE_RATE_MS } from '@marekvs/planner';
import type { ProbeDepth } from './probe.ts';

/** `settled`: nothing is expected to change, ask rarely. `watched`: more often when idle, and always for figures, so
 *  that one member shows a step in the load within one turn. `measuring`: figures alone, about every second. `moving`:
 *  ask about every second. `operation`: as moving, and tell every change of a figure that an operation waits for. */
export type Pace = 'settled' | 'watched' | 'measuring' | 'moving' | 'operation';

/** Between probes of two members of one cluster at rest. What happens to one of them shows in the lists of the others
 *  within seconds, and the next one asked shows that its list has changed: a member that hangs, or that somebody else
 *  has drained, is known within 15 s. */
export const REST_STEP_MS = 10_000;
/** Between two probes of one settled member, at most. */
export const SETTLED_INTERVAL_MS = 30_000;
/** Between two probes of one member of an idle cluster, at most. */
export const IDLE_INTERVAL_MS = 120_000;
/** A reading at rest is valid for at most twice this. */
export const RESTING_READING_MS = 40_000;
/** The same two for a cluster that is sized by load: a step in the load has to be decided within 15 s. */
export const WATCHED_STEP_MS = 8_000;
export const WATCHED_INTERVAL_MS = 24_000;
export const MOVING_INTERVAL_MS = 1_000;
export const OPERATION_INTERVAL_MS = 1_000;
/** While an operation runs in a cluster of this many members or more, each is asked half as often. */
export const LARGE_CLUSTER_MEMBERS = 20;
export const LARGE_OPERATION_INTERVAL_MS = 2_000;

/** A first failure is asked again soon; only a second one in a row counts as silence. */
const RETRY_INTERVAL_MS = 1_000;
const SILENT_INTERVAL_MS = 2_000;

/** Between two whole probes of a member at rest. A brief probe shows that a list has changed; the whole one is for what
 *  it might not show. */
const LIST_INTERVAL_MS = 8 * SETTLED_INTERVAL_MS;
const IDLE_LIST_INTERVAL_MS = 8 * IDLE_INTERVAL_MS;
/** Between two probes of a member of an idle cluster that bring figures: disks fill, and some clients send commands
 *  without staying connected. */
const IDLE_FIGURES_INTERVAL_MS = 2 * IDLE_INTERVAL_MS;
const PROBES_FOR_A_LIST_MEASURING = 61;

/** A cluster at rest, as far as it decides how often its members are asked. */
export interface Resting {
  readonly members: number;
  /** None of them serves anything. */
  readonly isIdle: boolean;
}

/** What the next probe asks for.
 *  @param brief probes since the last whole one */
export function depthOf(pace: Pace, brief: number, of: Resting): ProbeDepth {
  if (pace === 'measuring') return brief + 1 < PROBES_FOR_A_LIST_MEASURING ? 'figures' : 'whole';
  const probesIn = (ms: number) => Math.max(1, Math.round(ms / restingIntervalMs(pace, of)));
  if (!isAtRest(pace) || brief + 1 >= probesIn(of.isIdle ? IDLE_LIST_INTERVAL_MS : LIST_INTERVAL_MS)) return 'whole';
  const isLoadWanted = pace === 'watched' || !of.isIdle;
  return isLoadWanted || (brief + 1) % probesIn(IDLE_FIGURES_INTERVAL_MS) === 0 ? 'figuresAndGlance' : 'glance';
}

/** Milliseconds between two probes of one member of a cluster at rest. */
export function restingIntervalMs(pace: Pace, { members, isIdle }: Resting): number {
  if (pace === 'watched') return Math.min(WATCHED_INTERVAL_MS, members * WATCHED_STEP_MS);
  // Nobody shows what becomes of a member that is alone, and nobody leads in its place.
  const stepMs = members < 2 ? SETTLED_INTERVAL_MS : members * REST_STEP_MS;
  return Math.min(isIdle ? IDLE_INTERVAL_MS : SETTLED_INTERVAL_MS, stepMs);
}

/** How old the rate of a member at this pace may be: until one reading after the next would have come. */
export function rateLastsMs(pace: Pace): number {
  return pace === 'settled' ? IDLE_FIGURES_INTERVAL_MS + IDLE_INTERVAL_MS : STALE_RATE_MS;
}

/** True when nothing happens in the cluster that a probe must not miss. */
export function isAtRest(pace: Pace): boolean {
  return pace === 'settled' || pace === 'watched';
}

/** Milliseconds between two probes of a member, before jitter. */
export function nominalInterval(pace: Pace, memberCount: number): number {
  if (isAtRest(pace)) return SETTLED_INTERVAL_MS;
  if (pace === 'moving' || pace === 'measuring') return MOVING_INTERVAL_MS;
  return memberCount < LARGE_CLUSTER_MEMBERS ? OPERATION_INTERVAL_MS : LARGE_OPERATION_INTERVAL_MS;
}

/** What the next interval depends on. */
export interface PacedMember {
  readonly pace: Pace;
  readonly answer: MemberAnswer;
  /** Failures in a row. */
  readonly failures: number;
}

/** What it depends on in the rest of the cluster. */
export interface PacedBy extends Resting {
  readonly turn: () => ProbeTurn;
}

/** Whose turn it is among the members of a cluster that are asked in turns. */
export interface ProbeTurn {
  /** Monotonic. */
  readonly nowMs: number;
  /** Index of the member in its cluster, from 0. */
  readonly index: number;
  /** The offset of its cluster, as a share of the interval: clusters are not asked at the same moments. */
  readonly offset: number;
}

/** Spreads the members evenly over the interval, whenever each was asked last. */
function untilTurn({ nowMs, index, offset }: ProbeTurn, members: number, intervalMs: number): number {
  const phaseMs = (offset + index / Math.max(1, members)) * intervalMs;
  const sinceMs = (nowMs - phaseMs) % intervalMs;
  const untilMs = intervalMs - ((sinceMs + intervalMs) % intervalMs);
  return untilMs < intervalMs / 4 ? untilMs + intervalMs : untilMs;
}

/** Milliseconds until the next probe: at rest, until the turn of the member. */
export function intervalOf({ pace, answer, failures }: PacedMember, { members, isIdle, turn }: PacedBy): number {
  if (failures === 1) return RETRY_INTERVAL_MS;
  if (answer.kind === 'silent') return SILENT_INTERVAL_MS;
  if (!isAtRest(pace)) return nominalInterval(pace, members);
  if (answer.kind === 'joining') return MOVING_INTERVAL_MS;
  return untilTurn(turn(), members, restingIntervalMs(pace, { members, isIdle }));
}
