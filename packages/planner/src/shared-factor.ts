// Answers: how many homes has every key for certain while members differ in it? Each member places copies by the
// replicationFactor it was started with. The homes by the smallest are homes by every other one, too
// (docs/design/server.md#placement): what is on those is where all of them expect it. Once all members have the same,
// that is the placement. Pure.

import type { ClusterObservation } from './observation.ts';
import { hasLostVolume } from './sizing.ts';

export function sharedFactor({ nodes, cluster }: Pick<ClusterObservation, 'nodes' | 'cluster'>): number {
  const holding = nodes.filter((node) => (node.serving || node.wasActive) && !hasLostVolume(node));
  const factors = (holding.length > 0 ? holding : nodes).map(({ replicationFactor }) => replicationFactor);
  return factors.length === 0 ? cluster.spec.replicationFactor : Math.min(...factors);
}
