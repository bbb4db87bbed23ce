// Answers: who is let in to clients now? Only whom all members show with primaries; nobody is taken out here.

import type { ClusterStep } from './cluster-step.ts';
import type { Membership } from './membership.ts';
import type { ClusterObservation, NodeRecord } from './observation.ts';
import { factsOf } from './removal/member-facts.ts';
import { stoppedUpdate } from './rolling/revisions.ts';

/** Every agreed member may serve once it has primaries in every view; nobody is taken out here. */
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

/** Of a member that failed its turn, or is tried again: it shows itself Active also when the others' version does not
 *  understand it, and what clients wrote to it then would reach nobody. */
export function isUnmeshed(o: ClusterObservation, node: NodeRecord): boolean {
  const { rollout, lastOperation } = o.cluster;
  const hasFailed = lastOperation?.outcome === 'Failed' && lastOperation.roll?.uid === node.uid;
  const isSuspect = hasFailed || rollout.retry !== undefined || stoppedUpdate(o.cluster)?.nodeUID === node.uid;
  return node.wasActive && isSuspect && (factsOf(o, node)?.meshPeers ?? 0) < servingPeers(o);
}

/** How many connections a member of a whole mesh has to others. */
export function servingPeers({ nodes }: Pick<ClusterObservation, 'nodes'>): number {
  return nodes.filter(({ answer }) => answer.kind === 'serving').length - 1;
}
