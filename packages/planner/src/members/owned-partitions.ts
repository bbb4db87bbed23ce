// Answers: of how many partitions is a member a home, by the membership all members agree on?
// Computed, not read: the member's own gauge is up to two seconds old, and the placement is known exactly
// (docs/design/server.md#placement).

import { ownedCounts } from '@marekvs/api';
import type { NodeRecord } from '../observation/node-record.ts';
import { isToldToLeave } from './member-state.ts';
import { agreeOnMembership } from './membership.ts';

/** 0 to 4096; undefined while the members do not agree, or the node has no part in the placement yet. A leaving member
 *  shows no primaries and is a home all the same until its process ends; a joining one is none yet
 *  (docs/design/server.md#leaving). */
export function ownedPartitions(node: NodeRecord, siblings: readonly NodeRecord[]): number | undefined {
  const membership = agreeOnMembership(siblings);
  if (membership.kind !== 'agreed') return undefined;
  const leaving = new Set(siblings.filter(isToldToLeave).map(({ id }) => id));
  const homes = membership.lines.filter((line) => line.hasPrimaries || leaving.has(line.id)).map((line) => line.id);
  return ownedCounts(homes, node.replicationFactor).get(node.id);
}
