// What a cluster's own object says about its size. Both controllers and the plugin compute the wanted number of nodes
// from it.

import { ANNOTATIONS, type MarekvsCluster, withDefaults } from '@marekvs/api';
import type { SizeRecord } from '@marekvs/planner';

/** @param spec the spec that decisions rest on; by default the written one */
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
