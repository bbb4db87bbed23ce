// Answers: which members are on a drained host, and may one be moved off it now? Ahead of the eviction, by a turn with
// the guards of a rolling update: drained, its records seen elsewhere, its Pod recreated on its volume where the
// scheduler puts it. A volume that can be on no other host is not moved (docs/operations/hosts.md).

import { runsInPod } from '../members/member-state.ts';
import { needsReplacement } from '../members/replacement.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { freeHosts, misplacedMembers } from '../size/one-per-host.ts';

type Seen = Pick<ClusterObservation, 'cluster' | 'nodes' | 'drainedHosts' | 'selectedHosts' | 'hostFindings'>;

/** Members that should be on another host, by id: theirs is drained, or they are misplaced (one-per-host.ts), while a
 *  host is free. */
export function leavingMembers(o: Seen): readonly NodeRecord[] {
  if (!o.cluster.isFormed || o.cluster.isDeleting) return [];
  // With one member per host and none free, a member that leaves would share a host and later come back to its own.
  if (freeHosts(o) === 0) return [];
  const misplaced = new Set(misplacedMembers(o).map(({ uid }) => uid));
  return o.nodes.filter(
    (node) => runsInPod(node) && !needsReplacement(node) && (misplaced.has(node.uid) || isOnDrainedHost(o, node)),
  );
}

/** True when it runs on a host that is being drained. A Pod made after the drain began was put there knowingly. */
export function isOnDrainedHost({ cluster, drainedHosts }: Seen, node: NodeRecord): boolean {
  const { pod } = node;
  const sinceMs = drainedHosts.get(pod?.hostName ?? '');
  const isBefore = sinceMs !== undefined && (pod?.createdAtMs ?? sinceMs) < sinceMs;
  return cluster.spec.hosts.moveOnDrain && isBefore && runsInPod(node);
}

/** True when the member is still where its turn began, and should still leave, as far as is known. */
export function isToLeave(o: ClusterObservation, node: NodeRecord, host: string): boolean {
  if (node.pod?.hostName !== host) return false;
  // A process that has just started has not read the hosts yet: that says nothing about this one.
  return (
    o.drainsSeen === 'notYet' || o.drainedHosts.has(host) || misplacedMembers(o).some(({ uid }) => uid === node.uid)
  );
}

/** A member is to be moved, now or as soon as something lets it. */
export function isMovePending(o: ClusterObservation): boolean {
  return !o.cluster.spec.paused && memberToMove(o) !== undefined;
}

export function memberToMove(o: ClusterObservation): NodeRecord | undefined {
  return leavingMembers(o).find(({ uid }) => o.hostFindings.get(uid)?.volume === 'movable');
}
