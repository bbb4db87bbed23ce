// Answers: does the mark still hold with which a node is replaced for its host that is drained? It is taken off when
// nobody drains the host any more, or nobody wants it to be replaced (docs/decisions/0041-replaced-when-drained.md).

import type { ClusterObservation, ClusterRecord, NodeRecord } from '../observation.ts';

type Seen = Pick<ClusterObservation, 'cluster' | 'drainedHosts' | 'drainsSeen'>;

/** Members on a drained host are replaced where they cannot be moved. */
export function isReplacedOnDrain({ spec: { hosts } }: Pick<ClusterRecord, 'spec'>): boolean {
  return hosts.moveOnDrain && hosts.replaceOnDrain;
}

/** It is marked, and stays all the same. A host that is not among those that are drained may be gone: only one whose
 *  member serves on is let in again, and that is read before the mark goes. */
export function isToCountAgain({ cluster, drainedHosts, drainsSeen }: Seen, node: NodeRecord): boolean {
  const { hostDrained, hostLost, isDeleting, answer, pod } = node;
  if (hostDrained === undefined || hostLost !== undefined || isDeleting || answer.kind !== 'serving') return false;
  if (!isReplacedOnDrain(cluster) || drainsSeen === 'forbidden') return true;
  if (pod?.hostName !== undefined && pod.hostName !== hostDrained) return true;
  return drainsSeen === 'known' && !drainedHosts.has(hostDrained);
}
