// Answers: how would the size of a cluster in a list change, by what the operator has stored? Nothing is measured for a
// list. Pure.

import type { MarekvsCluster } from '@marekvs/api';
import { withDefaults } from '@marekvs/api';
import { decideSize, hold, idealByLoad, type Load, type SizingInputs, sizingRules, timeMs } from '@marekvs/planner';
import { wantedSize } from '../../changing/size.ts';

export interface SizingRow {
  readonly namespace: string;
  readonly cluster: string;
  readonly minNodes: number | undefined;
  readonly maxNodes: number | undefined;
  readonly size: number;
  /** Nodes that the present load asks for, before the bounds; undefined while not all of it is known. */
  readonly ideal: number | undefined;
  readonly opsPerSecond: number | undefined;
  readonly reason: string;
  readonly since: string | undefined;
  /** The size that comes next, if the load stays as it is; undefined when it stays, or that is not known. */
  readonly next: { readonly nodes: number; readonly latestInMs: number } | undefined;
}

export function sizingRow(cluster: MarekvsCluster, nowMs: number): SizingRow {
  const { metadata, spec, status } = cluster;
  const { nodes: size, isKept } = wantedSize(cluster);
  const rules = sizingRules(withDefaults(spec));
  const decision = status?.autoscale;
  const { opsPerSecond } = status ?? {};
  const load = loadOf(cluster);
  const isDecided = rules !== undefined || spec.hosts?.onePerHost !== undefined;
  const reason = isDecided ? (decision?.reason ?? 'not decided yet') : isKept ? 'KeptSize' : 'fixed';
  return {
    namespace: metadata.namespace,
    cluster: metadata.name,
    minNodes: (spec.autoscale ?? spec.hosts?.onePerHost)?.minNodes,
    maxNodes: (spec.autoscale ?? spec.hosts?.onePerHost)?.maxNodes,
    size,
    ideal: rules === undefined || opsPerSecond === undefined ? undefined : idealByLoad(rules, load),
    opsPerSecond,
    reason,
    since: decision?.since,
    next: decision === undefined ? undefined : nextOf(cluster, load, size, nowMs),
  };
}

function nextOf(cluster: MarekvsCluster, load: Load, size: number, nowMs: number): SizingRow['next'] {
  const { spec, status } = cluster;
  const rules = sizingRules(withDefaults(spec));
  if (rules === undefined || spec.paused === true) return undefined;
  const isBusy = status?.operation !== undefined || status?.readyNodes !== size;
  const waits = isBusy ? hold('OperationInProgress', 'another operation is under way') : undefined;
  const inputs: SizingInputs = {
    size,
    load,
    // For disks the status has the figure of the last decision, not the present one.
    disk: { now: undefined, afterRemoval: undefined, fullest: undefined },
    decidedForMs: Math.max(0, nowMs - (timeMs(status?.autoscale?.since) ?? nowMs)),
    lowForMs: 0,
    grownAtPercent: undefined,
    growthHold: waits,
    shrinkHold: waits,
  };
  const { next, changesInMs } = decideSize(rules, inputs);
  return next === size || changesInMs === undefined ? undefined : { nodes: next, latestInMs: changesInMs };
}

/** The status has a figure only while that of every member is known. */
function loadOf({ status }: MarekvsCluster): Load {
  const { opsPerSecond, readyNodes = 0 } = status ?? {};
  const members = Math.max(1, readyNodes);
  return {
    opsPerSecond: opsPerSecond ?? 0,
    missing: opsPerSecond === undefined ? ['all'] : [],
    isSharp: opsPerSecond !== undefined,
    highest: undefined,
    members: opsPerSecond === undefined ? 1 : members,
  };
}
