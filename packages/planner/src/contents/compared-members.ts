// Who takes part in a comparison: the very processes that are there now, by the life that gossip shows of each.

import { isLockedOut } from '../membership.ts';
import type { ClusterObservation, NodeRecord } from '../observation.ts';
import { factsOf } from '../removal/member-facts.ts';
import type { ComparedMember } from './request.ts';

/** By id; undefined while one of them has no process to ask, or its life is not known. The life of one that takes no
 *  password of ours shows in its figures alone; its contents want none. */
export function comparedMembers(
  o: Pick<ClusterObservation, 'facts'>,
  nodes: readonly NodeRecord[],
): readonly ComparedMember[] | undefined {
  const members: ComparedMember[] = [];
  for (const node of nodes) {
    const { id, pod } = node;
    const own = factsOf(o, node);
    const generation = own?.generation ?? (isLockedOut(node) ? own?.bornAtMs : undefined);
    if (pod?.ip === undefined || pod.isTerminating || generation === undefined) return undefined;
    members.push({ nodeId: id, podUid: pod.uid, ip: pod.ip, generation });
  }
  return members.sort((a, b) => a.nodeId - b.nodeId);
}
