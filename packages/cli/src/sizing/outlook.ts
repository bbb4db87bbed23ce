// Answers: what size does a cluster have, why, and what would change it? The planner's own rules, applied to what was
// measured from here: a member that could not be read counts as unknown, never as idle. Pure.

import type { MarekvsClusterStatus, MarekvsNode } from '@marekvs/api';
import { figuresOf } from '@marekvs/operator/projections';
import {
  agreeOnMembership,
  type ClusterObservation,
  decideSize,
  desiredSize,
  type Hold,
  hold,
  type MemberFacts,
  type MemberLoad,
  nextFacts,
  type SizingInputs,
  type SizingRules,
  type SizingVerdict,
  seenLoad,
  sizingInputs,
  sizingRules,
  timeMs,
} from '@marekvs/planner';
import { keyOf } from '@marekvs/runtime';
import { diskPercentOf, rateBetween } from '../members/member-figures.ts';
import { NO_POD, type Readings } from '../members/two-readings.ts';

export type Decision = NonNullable<MarekvsClusterStatus['autoscale']>;

/** One member as it was read from here. */
export interface MeasuredMember {
  readonly node: string;
  readonly opsPerSecond: number | undefined;
  readonly diskPercent: number | undefined;
  /** Why it could not be read; undefined when it could. */
  readonly unread: string | undefined;
}

/** The outlook of a size that is decided by load. */
export interface SizedByLoad {
  readonly kind: 'byLoad';
  readonly size: number;
  readonly rules: SizingRules;
  readonly decision: Decision;
  readonly members: readonly MeasuredMember[];
  readonly inputs: SizingInputs;
  /** The verdict as if the load had become low enough for one node less only now. */
  readonly verdict: SizingVerdict;
  /** Milliseconds until the size changes, if everything stays as it is; both undefined when it does not. Only the
   *  operator knows since when the load has been low, so the two differ for a removal. */
  readonly soonestMs: number | undefined;
  readonly latestMs: number | undefined;
  /** What keeps it from changing, besides time. */
  readonly holds: Hold | undefined;
}

export type SizingOutlook =
  | SizedByLoad
  /** The size was decided by load or hosts, and stays although that was taken out of the spec. */
  | { readonly kind: 'kept'; readonly size: number; readonly asked: number; readonly decision: Decision }
  /** Nothing was decided by load yet. */
  | { readonly kind: 'notBegun'; readonly size: number; readonly rules: SizingRules; readonly why: string }
  /** The size is the number of hosts. */
  | { readonly kind: 'byHosts'; readonly size: number; readonly decision: Decision | undefined }
  | { readonly kind: 'fixed'; readonly size: number };

/** @param nodes those of the observation, in any order */
export function sizingOutlook(o: ClusterObservation, nodes: readonly MarekvsNode[], readings: Readings): SizingOutlook {
  const { cluster } = o;
  const { nodes: size, isKept } = desiredSize(cluster);
  const rules = sizingRules(cluster.spec);
  const { autoscale: decision } = cluster;
  if (cluster.spec.hosts.onePerHost !== undefined) return { kind: 'byHosts', size, decision };
  if (rules === undefined)
    return isKept && decision !== undefined
      ? { kind: 'kept', size, asked: cluster.spec.nodes, decision }
      : { kind: 'fixed', size };
  if (decision === undefined) {
    const why = cluster.isFormed ? 'the operator has stored no decision yet' : 'the cluster is formed first';
    return { kind: 'notBegun', size, rules, why };
  }
  return byLoad(o, rules, decision, nodes, readings);
}

function byLoad(
  o: ClusterObservation,
  rules: SizingRules,
  decision: Decision,
  nodes: readonly MarekvsNode[],
  readings: Readings,
): SizedByLoad {
  const measured = { ...o, facts: nodes.flatMap((node) => factsOf(node, readings)) };
  const rates = nodes.map((node) => rateOf(node, readings));
  // No reading is too old: all of them were made for this question.
  const seen = seenLoad(measured, rates, Number.NEGATIVE_INFINITY);
  const { load, disk, isLow } = seen ?? { load: NOTHING_KNOWN, disk: NO_DISK, isLow: false };
  const decidedForMs = Math.max(0, o.nowMs - (timeMs(decision.since) ?? o.nowMs));
  const inputs = (lowForMs: number | undefined): SizingInputs =>
    sizingInputs(measured, agreeOnMembership(o.nodes), decision, { load, disk, decidedForMs, lowForMs });
  const latest = inputs(isLow ? 0 : undefined);
  const verdict = decideSize(rules, latest);
  // The load has been low for at most as long as this size has been in force.
  const soonest = decideSize(rules, inputs(isLow ? decidedForMs : undefined));
  return {
    kind: 'byLoad',
    size: latest.size,
    rules,
    decision,
    members: nodes.map((node) => measuredMember(node, readings)),
    inputs: latest,
    verdict,
    soonestMs: soonest.changesInMs,
    latestMs: verdict.changesInMs,
    holds: standsStill(o) ?? verdict.hold,
  };
}

const NOTHING_KNOWN = { opsPerSecond: 0, missing: [], isSharp: false, highest: undefined, members: 0 };
const NO_DISK = { now: undefined, afterRemoval: undefined, fullest: undefined };

function standsStill({ cluster }: ClusterObservation): Hold | undefined {
  if (cluster.spec.paused) return hold('Paused', 'spec.paused is true', true);
  const [problem] = cluster.problems;
  return problem === undefined ? undefined : hold('InvalidSpec', 'the stored spec breaks a rule', true);
}

function rateOf(node: MarekvsNode, readings: Readings): MemberLoad {
  const { before, now } = readings.get(keyOf(node.metadata)) ?? NO_POD;
  return {
    name: node.metadata.name,
    opsPerSecond: rateBetween(before, now),
    fromMs: before.kind === 'read' ? before.atMs : 0,
    toMs: now.kind === 'read' ? now.atMs : 0,
  };
}

/** The same figures from which the operator decides about disks. */
function factsOf(node: MarekvsNode, readings: Readings): readonly MemberFacts[] {
  const { now } = readings.get(keyOf(node.metadata)) ?? NO_POD;
  const podUid = node.status?.podUID;
  if (now.kind !== 'read' || podUid === undefined) return [];
  const reading = { atMs: now.atMs, figures: figuresOf(now.metrics), observer: 'none', shown: undefined } as const;
  return [nextFacts(undefined, reading, { nodeId: node.spec.nodeId, podUid, generation: undefined, intervalMs: 0 })];
}

function measuredMember(node: MarekvsNode, readings: Readings): MeasuredMember {
  const { before, now } = readings.get(keyOf(node.metadata)) ?? NO_POD;
  return {
    node: node.metadata.name,
    opsPerSecond: rateBetween(before, now),
    diskPercent: diskPercentOf(now),
    unread: now.kind === 'unread' ? now.why : undefined,
  };
}
