// Answers: which members may serve clients now? Only those that all members show with primaries.

import type { Membership } from '../members/membership.ts';
import { factsOf } from '../observation/member-facts.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { stoppedUpdate } from '../templates/revisions.ts';

/** Puts every agreed member behind the client Service once it has primaries in every view. Takes none out. */
export function servingSteps(o: ClusterObservation, membership: Membership): readonly ClusterStep[] {
  if (membership.kind !== 'agreed') return [];
  const active = new Set(membership.lines.filter((line) => line.hasPrimaries).map((line) => line.id));
  return o.nodes
    .filter(
      (node) =>
        !node.serving &&
        node.intent === 'Active' &&
        !node.isDeleting &&
        active.has(node.id) &&
        node.answer.kind === 'serving' &&
        !isUnmeshed(o, node),
    )
    .map((node) => ({ kind: 'setServing', node, serving: true }));
}

/** True for a member that failed its turn, or is tried again, and has too few mesh connections. It shows itself Active
 *  even when the others' version does not understand it; what clients write to it then would reach no other member. */
export function isUnmeshed(o: ClusterObservation, node: NodeRecord): boolean {
  const { rollout, lastOperation } = o.cluster;
  const hasFailed = lastOperation?.outcome === 'Failed' && lastOperation.roll?.uid === node.uid;
  const isSuspect = hasFailed || rollout.retry !== undefined || stoppedUpdate(o.cluster)?.nodeUID === node.uid;
  return node.wasActive && isSuspect && (factsOf(o, node)?.meshPeers ?? 0) < servingPeers(o);
}

/** How many connections to others a member has in a complete mesh. */
export function servingPeers({ nodes }: Pick<ClusterObservation, 'nodes'>): number {
  return nodes.filter(({ answer }) => answer.kind === 'serving').length - 1;
}
