// Answers: how many members see a node, and of how many partitions is it a home? Pure. While a member leaves, departs
// or comes back these change several times for every node; what is reported does not change until that is over, so that
// one removal costs each survivor one write.

import type { MarekvsNodeStatus } from '@marekvs/api';
import { type NodeObservation, ownedPartitions, seenBy } from '@marekvs/planner';

export interface MembershipFigures {
  readonly seenBy: string;
  readonly ownedPartitions: number | undefined;
}

export function membershipFigures(o: NodeObservation, previous: MarekvsNodeStatus): MembershipFigures {
  if (previous.seenBy !== undefined && isMembershipMoving(o)) {
    return { seenBy: previous.seenBy, ownedPartitions: previous.ownedPartitions };
  }
  return {
    seenBy: seenBy(o.node, o.siblings),
    ownedPartitions: ownedPartitions(o.node, o.siblings),
  };
}

/** The target of the operation under way is still a node, and not where it shall be. By id: rolled back, it is
 *  another object. */
function isMembershipMoving({ operation, node, siblings }: NodeObservation): boolean {
  const target = siblings.find((sibling) => sibling.id === operation?.target?.nodeId);
  if (operation === undefined || target === undefined) return false;
  if (operation.phase === 'Cancelling') return target.uid !== node.uid;
  return target.intent === 'Leaving' || target.isDeleting;
}
