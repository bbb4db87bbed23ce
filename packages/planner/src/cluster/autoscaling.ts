// Answers: which size does a cluster with spec.autoscale have, why, and when may that change? A
// decision is stored before anything follows from it, and only a decision is stored: load that comes
// and goes at a steady size writes nothing.

import { type MarekvsClusterStatus, REASONS, type Reason, reasonRow } from '@marekvs/api';
import { decisionText } from '../autoscale/decision-text.ts';
import { loadOf, type MemberLoad, roundRate } from '../autoscale/load.ts';
import {
  decideSize,
  isLow,
  type SizingInputs,
  type SizingRules,
  type SizingVerdict,
  sizingRules,
} from '../autoscale/rules.ts';
import type { AutoscaleSeen } from '../autoscale/seen.ts';
import { hasLostVolume, hasPast } from '../members/member-state.ts';
import type { Membership } from '../members/membership.ts';
import { needsReplacement } from '../members/replacement.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { isTurnPending, stoppedHold } from '../operations/rolling/next-turn.ts';
import { desiredSize } from '../size/sizing.ts';
import { type Hold, hold, namesOf, timeText } from '../values/hold.ts';
import { diskFillOf } from '../volumes/disk-fill.ts';

type AutoscaleStatus = NonNullable<MarekvsClusterStatus['autoscale']>;

export interface AutoscalePlan {
  /** The status to show, stored as it is; undefined when nothing but spec.nodes decides the size. */
  readonly status: AutoscaleStatus | undefined;
  /** The size changes: that has to be stored before anything else is done. */
  readonly isDecided: boolean;
  /** The load has to be measured over seconds, to be sure of it. */
  readonly needsSharpLoad: boolean;
  /** What was found in this pass, stored or not; undefined while nothing is decided here. */
  readonly verdict: SizingVerdict | undefined;
  readonly requeueAfterMs: number | undefined;
}

/** That more nodes are wanted, or nothing is known, is reported once it has lasted this long, and… */
const REPORT_AFTER_MS = 120_000;
/** …not taken back sooner than this: what comes and goes with the load is not written. */
const TAKEN_BACK_AFTER_MS = 300_000;

/** What is decided about the size now. `membership` is what the members show. Pure. */
export function planAutoscale(o: ClusterObservation, membership: Membership): AutoscalePlan {
  const { cluster } = o;
  const rules = sizingRules(cluster.spec);
  const stored = cluster.autoscale;
  const nothing = unchangedSize(o);
  if (rules === undefined) return { ...nothing, status: keptSize(o) };
  if (stored?.size === undefined) {
    // Which members there are is not known before the cluster is formed.
    return { ...nothing, status: cluster.isFormed ? initial(o) : undefined };
  }
  const { autoscale: seen } = o;
  if (seen === undefined) return nothing;
  const inputs = sizingInputs(o, membership, stored, seen);
  const verdict = decideSize(rules, inputs);
  const base = { verdict, needsSharpLoad: verdict.needsSharpLoad, requeueAfterMs: verdict.changesInMs };
  if (verdict.size !== stored.size)
    return { ...base, status: decided(o, rules, inputs, verdict), isDecided: true, requeueAfterMs: undefined };
  return { ...base, ...kept(stored, rules, inputs, verdict, seen) };
}

/** While nothing may be decided, the earlier decision stays in force. */
export function unchangedSize({ cluster }: ClusterObservation): AutoscalePlan {
  return {
    status: cluster.autoscale,
    isDecided: false,
    needsSharpLoad: false,
    verdict: undefined,
    requeueAfterMs: undefined,
  };
}

/** The last measured load and disks, as far as they concern the size; undefined without spec.autoscale. Pure. */
export function seenLoad(
  o: ClusterObservation,
  rates: readonly MemberLoad[],
  measuredSinceMs: number | undefined,
): (Pick<AutoscaleSeen, 'load' | 'disk'> & { readonly isLow: boolean }) | undefined {
  const rules = sizingRules(o.cluster.spec);
  if (rules === undefined) return undefined;
  const nodes = o.nodes.filter(isCounted);
  const names = new Set(nodes.map(({ name }) => name));
  const load = loadOf(
    rates.filter(({ name }) => names.has(name)),
    o.monotonicMs,
    measuredSinceMs,
  );
  const disk = rules.targetDiskPercent === undefined ? NO_DISK : diskFillOf(o, nodes);
  return { load, disk, isLow: isLow(rules, { size: desiredSize(o.cluster).nodes, load, disk }) };
}

const NO_DISK = { now: undefined, afterRemoval: undefined, fullest: undefined };

/** Members that serve clients, or did: a joining one does not yet. */
function isCounted(node: NodeRecord): boolean {
  return !hasLostVolume(node) && hasPast(node);
}

/** Inputs for the rules. `kubectl mkv autoscale` passes what it has measured itself. Pure. */
export function sizingInputs(
  o: ClusterObservation,
  membership: Membership,
  stored: AutoscaleStatus,
  { load, disk, decidedForMs, lowForMs }: Omit<AutoscaleSeen, 'found'>,
): SizingInputs {
  const { nodes: size } = desiredSize(o.cluster);
  return {
    size,
    load,
    disk,
    decidedForMs,
    lowForMs,
    grownAtPercent: stored.grownAtPercent,
    growthHold: growthHold(o, size),
    shrinkHold: shrinkHold(o, membership, size),
  };
}

/** Why no node may be added now: nodes on their way have not taken their part of the load yet, and where they cannot
 *  run, more would not either. */
function growthHold({ nodes }: ClusterObservation, size: number): Hold | undefined {
  const usable = nodes.filter((node) => !hasLostVolume(node));
  if (usable.length < size) return hold('ScalingClusterUp', `${usable.length} of ${size} nodes are there`);
  const coming = usable.filter((node) => !hasPast(node));
  if (coming.length === 0) return undefined;
  return hold('MemberJoining', `${namesOf(coming)} joins first`);
}

/** A cluster that is not as it should be does not get smaller. */
function shrinkHold(o: ClusterObservation, membership: Membership, size: number): Hold | undefined {
  const { operation, verification } = o.cluster;
  if (operation !== undefined) return hold('OperationInProgress', 'another operation is under way');
  const gone = o.nodes.find((node) => needsReplacement(node) || hasLostVolume(node));
  if (gone !== undefined) return hold('Repairing', `${gone.name} is replaced first`);
  if (o.nodes.length > size) return hold('ScalingClusterDown', `${size} of ${o.nodes.length} nodes are wanted`);
  const missing = growthHold(o, size);
  if (missing !== undefined) return missing;
  if (membership.kind !== 'agreed') return hold('ViewsDisagree', 'the members do not all answer and agree');
  if (verification?.state === 'Missing') return hold('RecordsMissing', 'records are missing on a home');
  const stopped = stoppedHold(o);
  if (stopped !== undefined) return stopped;
  return isTurnPending(o) ? hold('RollingOut', 'a rolling update is under way') : undefined;
}

/** The size when sizing begins, whatever decided it before: switching this on changes nothing. */
function initial(o: ClusterObservation): AutoscaleStatus {
  const { nodes: size } = desiredSize(o.cluster);
  const message = `${size} ${size === 1 ? 'node' : 'nodes'} to begin with`;
  return { size, nodes: o.cluster.spec.nodes, reason: 'AutoscaleBegun', message, since: timeText(o.nowMs) };
}

function decided(
  o: ClusterObservation,
  rules: SizingRules,
  inputs: SizingInputs,
  { size, reason, ideal }: SizingVerdict,
): AutoscaleStatus {
  return {
    size,
    nodes: o.cluster.spec.nodes,
    ...figures(rules, inputs, ideal),
    ...grownAt(inputs, size, reason),
    reason,
    message: decisionText(rules, inputs, size, reason),
    since: timeText(o.nowMs),
    nextChange: timeText(o.nowMs + rules.cooldownMs),
  };
}

/** Dropped when a node goes, since the disks have room again. */
function grownAt({ size: before, disk, grownAtPercent }: SizingInputs, size: number, reason: Reason) {
  const percent = reason === 'DiskAboveTarget' && disk.now !== undefined ? Math.floor(disk.now) : grownAtPercent;
  return percent === undefined || size < before ? {} : { grownAtPercent: percent };
}

function figures(
  { targetOps }: SizingRules,
  { load, disk }: SizingInputs,
  ideal: number | undefined,
): Partial<AutoscaleStatus> {
  const isLoadKnown = targetOps !== undefined && load.missing.length < load.members;
  return {
    ...(ideal === undefined ? {} : { ideal }),
    ...(isLoadKnown ? { opsPerSecond: roundRate(load.opsPerSecond) } : {}),
    ...(targetOps === undefined ? {} : { target: targetOps }),
    ...(disk.now === undefined ? {} : { diskPercent: Math.round(disk.now) }),
  };
}

/** The stored decision, with another reason once that has lasted long enough to be worth a write. */
function kept(
  stored: AutoscaleStatus,
  rules: SizingRules,
  inputs: SizingInputs,
  verdict: SizingVerdict,
  { found }: AutoscaleSeen,
): Pick<AutoscalePlan, 'status' | 'isDecided' | 'requeueAfterMs'> {
  const unchanged = { status: stored, isDecided: false, requeueAfterMs: verdict.changesInMs };
  const isUnmet = REASONS[verdict.reason].sizing === 'unmet';
  const wasUnmet = reasonRow(stored.reason)?.sizing === 'unmet';
  if (verdict.reason === stored.reason || (!isUnmet && !wasUnmet)) return unchanged;
  const forMs = found?.reason === verdict.reason ? found.forMs : 0;
  const waitMs = (isUnmet ? REPORT_AFTER_MS : TAKEN_BACK_AFTER_MS) - forMs;
  if (waitMs > 0) return { ...unchanged, requeueAfterMs: Math.min(waitMs, verdict.changesInMs ?? waitMs) };
  const { opsPerSecond: _ops, ideal: _ideal, diskPercent: _disk, ...rest } = stored;
  const message = decisionText(rules, inputs, verdict.size, verdict.reason);
  const status = { ...rest, ...figures(rules, inputs, verdict.ideal), reason: verdict.reason, message };
  return { ...unchanged, status };
}

/** The decided size stays in force when spec.autoscale is removed, until somebody sets another number. */
function keptSize({ cluster }: ClusterObservation): AutoscaleStatus | undefined {
  const { autoscale } = cluster;
  return desiredSize(cluster).isKept ? autoscale : undefined;
}
