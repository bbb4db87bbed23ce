// The members of a comparison: the very processes that run now, by the generation that gossip shows of each.

import type { ComparedMember } from '../contents/request.ts';
import { type ComparisonReport, type ComparisonRequest, isSameComparison } from '../contents/request.ts';
import { isLockedOut } from '../members/member-state.ts';
import { factsOf } from '../observation/member-facts.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';

/** By id; undefined while one of them has no process to ask, or its generation is not known. The generation of a member
 *  that accepts none of our passwords, or no commands at all, shows in its metrics alone; its contents need neither. */
export function comparedMembers(
  o: Pick<ClusterObservation, 'facts'>,
  nodes: readonly NodeRecord[],
): readonly ComparedMember[] | undefined {
  const members: ComparedMember[] = [];
  for (const node of nodes) {
    const { id, pod } = node;
    const own = factsOf(o, node);
    const showsNone = isLockedOut(node) || pod?.isSealed === true;
    const generation = own?.generation ?? (showsNone ? own?.bornAtMs : undefined);
    if (pod?.ip === undefined || pod.isTerminating || generation === undefined) return undefined;
    members.push({ nodeId: id, podUid: pod.uid, ip: pod.ip, generation });
  }
  return members.sort((a, b) => a.nodeId - b.nodeId);
}

/** The report of this very request, or undefined. */
export function reportOf(
  { comparison }: Pick<ClusterObservation, 'comparison'>,
  request: ComparisonRequest | undefined,
): ComparisonReport | undefined {
  if (comparison === undefined || request === undefined) return undefined;
  return isSameComparison(comparison.request, request) ? comparison : undefined;
}
