// Answers: may the process of a member that was told to leave be ended, so that the next one stays? What only a running
// one has is compared before, and then the node names its Pod. Its node controller, on an older node, may have told or
// made another Pod meanwhile.

import type { NodeRecord } from '../observation/node-record.ts';
import { isHeldBack } from './membership.ts';

/** Also for a silent member, which may be frozen and answer again, and for one that has just ended: before its restart
 *  is carried out, its container has started again. */
export function mayHaveProcess({ pod, uid }: NodeRecord): boolean {
  return pod?.ownerUid === uid && pod.phase === 'Running' && !isHeldBack(pod);
}

/** True for a member that stays, with a running Pod that was told to leave after it was decided that it stays. */
export function isUnforeseen(node: NodeRecord): boolean {
  const { pod } = node;
  if (pod?.isLeaving !== true || node.intent !== 'Active' || node.removalMark !== undefined) return false;
  return !pod.isTerminating && pod.uid !== node.mayRestartPod && mayHaveProcess(node);
}

/** UID of the Pod that may be restarted once its node is told to stay; undefined when none runs that was told to
 *  leave. */
export function permitFor(node: NodeRecord): string | undefined {
  return node.pod?.isLeaving === true && mayHaveProcess(node) ? node.pod.uid : undefined;
}
