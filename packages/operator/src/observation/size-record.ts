// What a cluster's own object says of its size: both controllers, and the plugin, ask how many nodes it shall have.

import { ANNOTATIONS, type MarekvsCluster, withDefaults } from '@marekvs/api';
import type { SizeRecord } from '@marekvs/planner';

/** @param spec what decisions rest on; default: as it is written */
export function sizeRecordOf(
  { metadata, spec: written, status }: MarekvsCluster,
  spec: SizeRecord['spec'] = withDefaults(written),
): SizeRecord {
  return {
    spec,
    isFormed: status?.formed !== undefined,
    autoscale: status?.autoscale,
    sizeBefore: status?.desiredNodes,
    adoptedNodes: undefined,
    acceptedNodes: metadata.annotations?.[ANNOTATIONS.acceptedNodes],
  };
}
