// Answers: which revisions of the template does this pass store, drop or give to a new node, and how far is the update
// after it?

import type { ClusterObservation } from '../observation/observation.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import { revisionForNewNodes, revisionsToDrop, revisionsToStore } from './revisions.ts';

/** Stores the template that is asked for and those that nodes were made from; drops those no longer needed. */
export function revisionSteps(o: ClusterObservation): readonly ClusterStep[] {
  // Before the members of a StatefulSet are taken over, there is no revision of ours to go back to.
  if (o.cluster.adoption !== undefined) return [];
  const missing = revisionsToStore(o);
  if (missing.length > 0) return missing.map((hash) => ({ kind: 'storeRevision', hash }));
  return revisionsToDrop(o).map((revision) => ({ kind: 'dropRevision', revision }));
}

/** Names the revision of a new node when that is not the one that is asked for. */
export function withRevision(o: ClusterObservation, step: ClusterStep): ClusterStep {
  const revision = revisionForNewNodes(o);
  return step.kind === 'createNode' && revision !== o.cluster.templateHash ? { ...step, revision } : step;
}
