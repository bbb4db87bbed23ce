// What a finished comparison says of each member: how much it holds, and where of it something is missing.

import type { MarekvsClusterStatus } from '@marekvs/api';
import type { ComparisonReport, MissingRecords } from './request.ts';

type VerifiedMember = NonNullable<NonNullable<MarekvsClusterStatus['verification']>['members']>[number];

/** As many members as the status lists, and homes of each: all of them at full length stay far below what etcd
 *  takes. */
const MAX_MEMBERS = 100;
const MAX_HOMES = 8;

/** By id; of too many, those that lack most. */
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
