// The figures of a member's answer that decisions use.

import type { MemberFigures } from '@marekvs/planner';
import type { MemberMetrics } from '@marekvs/store-client';

/** Always the same fields in the same order: hundreds of them are kept. */
export function figuresOf(metrics: MemberMetrics): MemberFigures {
  return {
    isFresh: metrics.isFresh,
    upSeconds: metrics.upSeconds,
    rejoinActive: metrics.rejoinActive,
    meshPeers: metrics.meshPeers,
    members: metrics.clusterMembers,
    ownedPartitions: metrics.ownedPartitions,
    diskTotalBytes: metrics.diskTotalBytes,
    diskAvailBytes: metrics.diskAvailBytes,
    dbBytes: metrics.dbTotalBytes,
    writeStopped: metrics.diskWriteStopped,
  };
}
