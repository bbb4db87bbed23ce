// What a comparison says of each member: how much it holds, and at which homes how much of that is missing.

import type { MarekvsClusterStatus } from '@marekvs/api';
import type { ComparisonReport, MissingRecords } from '../../contents/request.ts';

type VerifiedMember = NonNullable<NonNullable<MarekvsClusterStatus['verification']>['members']>[number];

/** How many members the status lists, and how many homes of each: at full length they stay far below the limit of
 *  etcd. */
const MAX_MEMBERS = 100;
const MAX_HOMES = 8;

/** By id; when there are too many, those that lack most. */
export function verifiedMembers(report: ComparisonReport, nameOf: (nodeId: number) => string): VerifiedMember[] {
  const { sources } = report.request;
  const perSource = report.partitionsTotal / sources.length;
  const missing = Map.groupBy(report.missing, ({ sourceId }) => sourceId);
  const openOf = (id: number) => (missing.get(id) ?? []).reduce((sum, { partitions }) => sum + partitions, 0);
  const listed = new Set([...sources].sort((a, b) => openOf(b) - openOf(a)).slice(0, MAX_MEMBERS));
  return sources
    .filter((id) => listed.has(id))
    .map((id) => {
      const records = report.records.get(id);
      const homes = missing.get(id);
      return {
        name: nameOf(id),
        partitionsDone: Math.max(0, perSource - openOf(id)),
        ...(records === undefined ? {} : { records }),
        ...(homes === undefined ? {} : { missing: homesOf(homes, nameOf) }),
      };
    });
}

/** In their order, most records first. */
function homesOf(missing: readonly MissingRecords[], nameOf: (nodeId: number) => string) {
  return missing
    .slice(0, MAX_HOMES)
    .map(({ homeId, partitions, records }) => ({ home: nameOf(homeId), partitions, records }));
}
