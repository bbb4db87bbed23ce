// Answers, after every answer of a member: does what it serves call for another look at the size of its cluster? Cheap, because at
// rest nearly all answers say no. Nothing is decided here: a cluster that is called for is reconciled, and measured more closely.

import type { MarekvsCluster } from '@marekvs/api';
import { loadBand } from '@marekvs/planner';
import type { ClusterRates } from '../members/sampler.ts';

export interface LoadWatch {
  /** Undefined when nothing calls for it. */
  note(
    key: string,
    cluster: MarekvsCluster | undefined,
    rates: ClusterRates,
    monotonicMs: number,
  ): LoadCall | undefined;
  forget(key: string): void;
}

/** Why a cluster is to be reconciled. `rising`: one member serves so much more than before that all of them together may need more
 *  nodes. `high`: they do, as far as was measured. `changed`: the load is known again or not any more, or lower. */
export type LoadCall = 'rising' | 'high' | 'changed';

type Level = 'unknown' | 'high' | 'within' | 'low';

/** A member is asked once in the interval, and a step may have come two seconds before: the part of the interval that shows it. */
const DILUTION = 12;
/** Less than this is how loads are. */
const RISE_SHARE = 0.1;
/** Volumes fill slowly, and what they may hold is not known from one answer. */
const DISK_INTERVAL_MS = 60_000;

export function createLoadWatch(): LoadWatch {
  const levels = new Map<string, Level>();
  const disksMs = new Map<string, number>();

  function areDisksDue(key: string, monotonicMs: number): boolean {
    const lastMs = disksMs.get(key);
    if (lastMs !== undefined && monotonicMs - lastMs < DISK_INTERVAL_MS) return false;
    disksMs.set(key, monotonicMs);
    return lastMs !== undefined;
  }

  function noteLoad(
    key: string,
    targetOps: number,
    size: number,
    { total, risen }: ClusterRates,
  ): LoadCall | undefined {
    const level = levelOf(total, targetOps, size);
    const before = levels.get(key);
    levels.set(key, level);
    const rate = total ?? 0;
    const isRising = risen > (RISE_SHARE * rate) / size && rate + DILUTION * size * risen > targetOps * size;
    if (isRising) return 'rising';
    if (level === 'high' && before !== 'high') return 'high';
    return before === undefined || before === level ? undefined : 'changed';
  }

  return {
    note(key, cluster, rates, monotonicMs) {
      const autoscale = cluster?.spec.autoscale;
      const size = cluster?.status?.autoscale?.size;
      if (autoscale === undefined || size === undefined) return undefined;
      const { targetOpsPerNode, targetDiskPercent } = autoscale;
      const byDisk = targetDiskPercent !== undefined && areDisksDue(key, monotonicMs) ? 'changed' : undefined;
      return targetOpsPerNode === undefined ? byDisk : (noteLoad(key, targetOpsPerNode, size, rates) ?? byDisk);
    },
    forget(key) {
      levels.delete(key);
      disksMs.delete(key);
    },
  };
}

function levelOf(total: number | undefined, targetOps: number, size: number): Level {
  if (total === undefined) return 'unknown';
  const { growsAbove, shrinksBelow } = loadBand(targetOps, size);
  if (total > growsAbove) return 'high';
  return total < shrinksBelow ? 'low' : 'within';
}
