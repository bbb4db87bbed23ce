// Answers: what does a node do while its cluster is handed to a StatefulSet? It lets its running Pod go, or takes it
// back, as it is. It makes and ends none, since that is the StatefulSet's from then on. Whose turn it is, and whether
// the StatefulSet is there, is read live right before the write.

import { type Hold, hold } from '../values/hold.ts';
import { act, type NodeObservation, type NodePlan, wait } from './node-step.ts';

/** Undefined while the node manages its Pod as always. */
export function planReleased(o: NodeObservation): NodePlan | undefined {
  const { releasePhase: phase, node } = o;
  const isOwn = node.pod?.ownerUid === node.uid;
  switch (phase) {
    case 'LettingGo':
      return isOwn ? act({ kind: 'letPodGo' }) : wait(handed(o));
    case 'Closing':
      if (isOwn) return act({ kind: 'letPodGo' });
      return node.isDeleting && o.hasFinalizer ? act({ kind: 'releaseNode' }) : wait(handed(o));
    case 'TakingBack':
      if (node.pod === undefined || isOwn) return undefined;
      return node.pod.ownerUid === undefined && !node.pod.isTerminating
        ? act({ kind: 'takePodBack' })
        : wait(handed(o));
    default:
      return undefined;
  }
}

function handed({ node, clusterName }: NodeObservation): Hold {
  if (node.pod === undefined) return hold('Releasing', `StatefulSet ${clusterName} makes Pod ${node.name} again`);
  const whose = node.pod.ownerUid === undefined ? 'is let go' : `is one of StatefulSet ${clusterName}`;
  return hold('Releasing', `Pod ${node.name} ${whose}`);
}
