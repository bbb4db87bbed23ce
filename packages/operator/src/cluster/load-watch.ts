// Answers, after every answer of a member: does what it serves call for another sizing pass of its cluster? Cheap,
// because at rest nearly all answers say no. Nothing is decided here: a cluster that is called for is reconciled, and
// measured more closely.

import { DEFAULTS, type MarekvsCluster } from '@marekvs/api';
import { fillPercent, loadBand, type MemberFacts } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import type { ClusterRates } from '../members/sampler.ts';
import { createRateNudges } from '../rate-nudges.ts';
import type { AutoscaleMemory, LoadLevel } from './autoscale-memory.ts';

export interface LoadWatch {
  /** Why the cluster is to be reconciled; undefined when nothing calls for it. */
  note(
    key: string,
    cluster: Pick<MarekvsCluster, 'spec' | 'status'> | undefined,
    rates: ClusterRates,
  ): LoadCall | undefined;
}

/** `rising`: one member serves so much more than before that all of them together may need more nodes. `high`: they do,
 *  as far as was measured; from either on the load is measured closely. `changed`: the load is known again or not any
 *  more, or lower; or it is time to decide at the disks. */
export type LoadCall = 'rising' | 'high' | 'changed';

/** A member is asked once in 24 s, and a step may have come one and a half seconds before: the part of that time that
 *  shows it. */
const DILUTION = 16;
/** Less than this is how loads are. */
const RISE_SHARE = 0.1;

export function createLoadWatch(sizes: Pick<AutoscaleMemory, 'level' | 'measure'>, clock: Clock): LoadWatch {
  // Volumes fill slowly, and what they may hold is not known from one answer.
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

// Answers, after every answer of a member: is a volume so full that its cluster may have to grow it? Cheap, because at
// rest all answers say no. Nothing is decided here: the cluster is reconciled, once a minute at most.
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
