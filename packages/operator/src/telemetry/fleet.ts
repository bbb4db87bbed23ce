// The fleet metrics as plain values, read from the caches at a scrape, so that an idle fleet costs nothing in between.
// A cluster or member has a series of its own only while it has a problem or an operation.

import { type ClusterPhase, findCondition, kindOf, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import { keyOf } from '@marekvs/runtime';
import type { MemberMetrics } from '@marekvs/store-client';
import type { FollowedMember } from '../members/sampler.ts';
import type { TurnFigures } from '../operations/turn-places.ts';
import { type Failing, PROBLEM_KINDS, type Problem, type ProblemKind, problemsOf } from './problems.ts';

/** At most this many series per family. If there are more, the oldest are shown; the counts include all. */
export const MAX_SERIES = 200;
/** A disk fuller than this has a series. */
export const DISK_SHOWN_FROM = 0.75;

export const SHOWN_PHASES = ['Reconciling', 'Healthy', 'ScalingUp', 'ScalingDown', 'Blocked', 'Hibernated'] as const;
export const ANSWER_KINDS = ['serving', 'joining', 'silent', 'notAsked'] as const;

/** Where the values come from. Every function is called at a scrape only. */
export interface FleetSources {
  /** The clusters this process acts for: two replicas must not both report one. */
  clusters(): Iterable<MarekvsCluster>;
  members(): Iterable<FollowedMember>;
  /** The nodes of these clusters. */
  nodes(): Iterable<MarekvsNode>;
  /** Failing passes by cluster, including those of its nodes. */
  failing(): ReadonlyMap<string, Failing>;
  /** Wall clock; undefined when no pass has succeeded since this process started. */
  lastSuccessAtMs(clusterKey: string): number | undefined;
  /** Clusters that restart members, and those in line for it. */
  turns(): TurnFigures;
}

export interface StuckCluster {
  readonly cluster: MarekvsCluster;
  readonly problems: readonly Problem[];
}

/** The clusters with a problem, the oldest problem first. */
export function stuckClusters(sources: FleetSources): readonly StuckCluster[] {
  const failing = sources.failing();
  const stuck: (StuckCluster & { readonly sinceMs: number })[] = [];
  for (const cluster of sources.clusters()) {
    const problems = problemsOf(cluster, failing.get(keyOf(cluster.metadata)));
    if (problems.length === 0) continue;
    stuck.push({ cluster, problems, sinceMs: Math.min(...problems.map((problem) => problem.sinceMs)) });
  }
  return stuck.sort((a, b) => a.sinceMs - b.sinceMs);
}

export function countPhases(sources: FleetSources): ReadonlyMap<ClusterPhase, number> {
  const phases = [...sources.clusters()].map(({ status }) => status?.phase ?? 'Reconciling');
  return counted<ClusterPhase>(SHOWN_PHASES, phases);
}

export function countProblems(stuck: readonly StuckCluster[]): ReadonlyMap<ProblemKind, number> {
  const kinds = stuck.flatMap(({ problems }) => problems.map(({ kind }) => kind));
  return counted(PROBLEM_KINDS, kinds);
}

export function countAnswers(sources: FleetSources): ReadonlyMap<string, number> {
  const kinds = [...sources.members()].map(({ answer }) => answer.kind);
  return counted<string>(ANSWER_KINDS, kinds);
}

/** How often each value occurs; values of the list that do not occur count 0. */
function counted<T>(all: readonly T[], found: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map(all.map((one) => [one, 0]));
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

export interface UpdatingCluster {
  readonly cluster: MarekvsCluster;
  /** Members with the wanted template, of `total`. */
  readonly updated: number;
  readonly total: number;
  /** Since when members have been restarted for it; undefined while the update is stopped, or paused by a person. */
  readonly sinceMs: number | undefined;
}

/** The clusters in which a member lacks the wanted template, or has its turn. */
export function updatingClusters(sources: FleetSources): readonly UpdatingCluster[] {
  const found: UpdatingCluster[] = [];
  for (const cluster of sources.clusters()) {
    const { update, operation, conditions } = cluster.status ?? {};
    if (update === undefined) continue;
    const { updated, total } = update;
    if (updated === total && kindOf(operation) !== 'turn') continue;
    const rolling = findCondition(conditions, 'RollingOut');
    const sinceMs = rolling?.status === 'True' ? Date.parse(rolling.lastTransitionTime) : undefined;
    found.push({ cluster, updated, total, sinceMs });
  }
  return found;
}

/** The used share of the member's disk, 0 to 1; undefined while the member does not report it. */
export function diskUsed(metrics: MemberMetrics | undefined): number | undefined {
  if (metrics?.isFresh !== true) return undefined;
  const { diskTotalBytes, diskAvailBytes } = metrics;
  if (diskTotalBytes === undefined || diskAvailBytes === undefined || diskTotalBytes <= 0) return undefined;
  return 1 - diskAvailBytes / diskTotalBytes;
}
