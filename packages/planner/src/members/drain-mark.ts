// Answers: does the mark still hold by which a node is replaced for its drained host? It is taken off when the host is
// no longer drained, or the replacement is no longer wanted (docs/decisions/lost-and-drained-hosts.md).

import type { ClusterRecord } from '../observation/cluster-record.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { isAnswering } from './member-state.ts';

type Seen = Pick<ClusterObservation, 'cluster' | 'drainedHosts' | 'drainsSeen'>;

/** Members on a drained host are replaced where they cannot be moved. */
export function isReplacedOnDrain({ spec: { hosts } }: Pick<ClusterRecord, 'spec'>): boolean {
  return hosts.moveOnDrain && hosts.replaceOnDrain;
}

/** True when the node is marked but stays after all. A host that is not among the drained ones may be gone, so only a
 *  node whose member still answers counts again. A live read checks that before the mark goes. */
export function isToCountAgain({ cluster, drainedHosts, drainsSeen }: Seen, node: NodeRecord): boolean {
  const { hostDrained, hostLost, isDeleting, pod } = node;
  if (hostDrained === undefined || hostLost !== undefined || isDeleting || !isAnswering(node)) return false;
  if (!isReplacedOnDrain(cluster) || drainsSeen === 'forbidden') return true;
  if (pod?.hostName !== undefined && pod.hostName !== hostDrained) return true;
  return drainsSeen === 'known' && !drainedHosts.has(hostDrained);
}
