// Answers: how many homes does every key certainly have while members differ in replicationFactor? Each member places
// copies by the factor it was started with. The homes by the smallest factor are homes by every other one, too
// (docs/design/server.md#placement), so records on them are where all members expect them. Pure.

import type { ClusterObservation } from '../observation/observation.ts';
import { hasLostVolume, hasPast } from './member-state.ts';

export function sharedFactor({ nodes, cluster }: Pick<ClusterObservation, 'nodes' | 'cluster'>): number {
  const holding = nodes.filter((node) => hasPast(node) && !hasLostVolume(node));
  const factors = (holding.length > 0 ? holding : nodes).map(({ replicationFactor }) => replicationFactor);
  return factors.length === 0 ? cluster.spec.replicationFactor : Math.min(...factors);
}
