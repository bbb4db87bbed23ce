// What a cluster's own object says of its size: both controllers ask how many nodes it shall have.

import { ANNOTATIONS, type MarekvsCluster } from '@marekvs/api';
import type { SizeRecord } from '@marekvs/planner';

export function sizeRecordOf({ metadata, status }: MarekvsCluster): Omit<SizeRecord, 'spec' | 'isFormed'> {
  return {
    autoscale: status?.autoscale,
    sizeBefore: status?.desiredNodes,
    adoptedNodes: undefined,
    acceptedNodes: metadata.annotations?.[ANNOTATIONS.acceptedNodes],
  };
}
