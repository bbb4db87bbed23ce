// Answers: how many members see a node, and of how many partitions is it a home? Pure. Both change several times for
// every node while a member leaves, comes back or joins. They are reported unchanged until that is over, so that one
// change of the size costs each other member one write.

import type { MarekvsNodeStatus } from '@marekvs/api';
import { isJoiningFirst, type NodeObservation, ownedPartitions, seenBy } from '@marekvs/planner';

export interface MembershipFigures {
  readonly seenBy: string;
  readonly ownedPartitions: number | undefined;
}

/** A new member without a share to copy joins within this time (docs/design/server.md#forming). */
const JOINING_MS = 90_000;

/** @param previous what is reported now */
export function membershipFigures(o: NodeObservation, previous: MarekvsNodeStatus): MembershipFigures {
  if (previous.seenBy !== undefined && (isMembershipMoving(o) || isAnotherJoining(o)))
    return { seenBy: previous.seenBy, ownedPartitions: previous.ownedPartitions };
  return { seenBy: seenBy(o.node, o.siblings), ownedPartitions: ownedPartitions(o.node, o.siblings) };
}

/** The target of the operation still has a node, and is not yet where it is to be. Found by id: after a rollback the
 *  node is another object. */
function isMembershipMoving({ operation, node, siblings }: NodeObservation): boolean {
  const target = siblings.find((sibling) => sibling.id === operation?.target?.nodeId);
  if (operation === undefined || target === undefined) return false;
  if (operation.phase === 'Cancelling') return target.uid !== node.uid;
  return target.intent === 'Leaving' || target.isDeleting;
}

/** Clients use this member, and another one joins for the first time. What is seen of one that takes longer is
 *  reported. */
function isAnotherJoining({ node, siblings, nowMs }: NodeObservation): boolean {
  if (!node.serving) return false;
  return siblings.some((one) => isJoiningFirst(one) && Math.abs(nowMs - one.createdAtMs) < JOINING_MS);
}
