// Answers, after every answer of a member: does its load call for another sizing pass of the cluster? Cheap, because at
// rest nearly all answers say no. Decides nothing: the cluster is reconciled, and measured more closely.

import { DEFAULTS, type MarekvsCluster } from '@marekvs/api';
import { fillPercent, loadBand, type MemberFacts } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import type { ClusterRates } from '../members/sampler.ts';
import type { AutoscaleMemory, LoadLevel } from './autoscale-memory.ts';
import { createRateNudges } from './rate-nudges.ts';

export interface LoadWatch {
  /** Why the cluster is to be reconciled; undefined when nothing calls for it. */
  note(
    key: string,
    cluster: Pick<MarekvsCluster, 'spec' | 'status'> | undefined,
    rates: ClusterRates,
  ): LoadCall | undefined;
}

/** `rising`: the load of one member has risen so much that the cluster may need more nodes. `high`: as far as was
 *  measured, it does. Both start a close measuring. `changed`: the load is known again, unknown or at another level, or
 *  it is time to decide by the disks. */
export type LoadCall = 'rising' | 'high' | 'changed';

/** A member is asked once in 24 s. A step in its load may have come only 1.5 s before the answer, which then shows it
 *  divided by this factor. */
const DILUTION = 16;
/** Smaller rises are normal fluctuation. */
const RISE_SHARE = 0.1;

export function createLoadWatch(sizes: Pick<AutoscaleMemory, 'level' | 'measure'>, clock: Clock): LoadWatch {
  // Disks call for a pass by time alone: volumes fill slowly, and one answer does not tell what they may hold.
  const disks = createRateNudges(clock);

  function noteLoad(
    key: string,
    targetOps: number,
    size: number,
    { total, risen }: ClusterRates,
  ): LoadCall | undefined {
    const level = levelOf(total, targetOps, size);
    const before = sizes.level(key, level);
    const rate = total ?? 0;
    const isRising = risen > (RISE_SHARE * rate) / size && rate + DILUTION * size * risen > targetOps * size;
    if (isRising || (level === 'high' && before !== 'high')) {
      sizes.measure(key, isRising, clock.monotonicMs());
      return isRising ? 'rising' : 'high';
    }
    return before === undefined || before === level ? undefined : 'changed';
  }

  return {
    note(key, cluster, rates) {
      const autoscale = cluster?.spec.autoscale;
      const size = cluster?.status?.autoscale?.size;
      if (autoscale === undefined || size === undefined) return undefined;
      const { targetOpsPerNode, targetDiskPercent } = autoscale;
      const byDisk = targetDiskPercent !== undefined && disks.isDue(key) ? 'changed' : undefined;
      return targetOpsPerNode === undefined ? byDisk : (noteLoad(key, targetOpsPerNode, size, rates) ?? byDisk);
    },
  };
}

function levelOf(total: number | undefined, targetOps: number, size: number): LoadLevel {
  if (total === undefined) return 'unknown';
  const { growsAbove, shrinksBelow } = loadBand(targetOps, size);
  if (total > growsAbove) return 'high';
  return total < shrinksBelow ? 'low' : 'within';
}

// Answers, after every answer of a member: is a volume so full that its cluster may have to grow it? The cluster is
// reconciled for it once a minute at most.
interface GrowthWatch {
  isDue(
    key: string,
    cluster: Pick<MarekvsCluster, 'spec'> | undefined,
    facts: () => readonly Pick<MemberFacts, 'last'>[],
  ): boolean;
}

export function createGrowthWatch(clock: Clock): GrowthWatch {
  const nudges = createRateNudges(clock);
  return {
    isDue(key, cluster, facts) {
      const rules = cluster?.spec.storage?.autoGrow;
      if (rules === undefined || !nudges.isDue(key)) return false;
      const { atPercent = DEFAULTS.storage.autoGrow.atPercent } = rules;
      return facts().some(({ last }) => (fillPercent(last.figures) ?? 0) >= atPercent);
    },
  };
}
