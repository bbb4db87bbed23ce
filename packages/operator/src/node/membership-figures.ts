// Answers: how many members see a node, and of how many partitions is it a home? Pure. Both change several times for
// every node while a member leaves or comes back. They are reported unchanged until that is over, so that one removal
// costs each survivor one write.

import type { MarekvsNodeStatus } from '@marekvs/api';
import { type NodeObservation, ownedPartitions, seenBy } from '@marekvs/planner';

export interface MembershipFigures {
  readonly seenBy: string;
  readonly ownedPartitions: number | undefined;
}

/** @param previous what is reported now */
export function membershipFigures(o: NodeObservation, previous: MarekvsNodeStatus): MembershipFigures {
  if (previous.seenBy !== undefined && isMembershipMoving(o))
    return { seenBy: previous.seenBy, ownedPartitions: previous.ownedPartitions };
  return { seenBy: seenBy(o.node, o.siblings), ownedPartitions: ownedPartitions(o.node, o.siblings) };
}

/** The target of the operation still has a node, and is not yet where it is to be. Found by id: after a rollback the
 *  node is another object. */
function isMembershipMoving({ operation, node, siblings }: NodeObservation): boolean {
  const target = siblings.find((sibling) => sibling.id === operation?.target?.nodeId);
  if (operation === undefined || target === undefined) return false;
  if (operation.phase === 'Cancelling') return target.uid !== node.uid;
  return target.intent !== 'Active' || target.isDeleting;
}
