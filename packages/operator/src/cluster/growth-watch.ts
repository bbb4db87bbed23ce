// Answers, after every answer of a member: is a volume so full that its cluster may have to grow it? Cheap, because at
// rest all answers say no. Nothing is decided here: the cluster is reconciled, once a minute at most.

import { DEFAULTS, type MarekvsCluster } from '@marekvs/api';
import { fillPercent, type MemberFacts } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import { createRateNudges } from '../rate-nudges.ts';

export interface GrowthWatch {
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
