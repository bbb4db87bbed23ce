// Answers: what is the next thing to do for a Pod that may get other resources where it runs? First they are asked for,
// then, once its host says that it has them, its revision is noted on it: what a member runs is read off its Pod. The
// permit comes with the stamp of the node.

import type { NodeObservation } from './node-observation.ts';
import { act, type NodePlan } from './node-step.ts';
import type { PodRecord } from './observation.ts';
import { isAskedFor, isInForce } from './rolling/resources.ts';
import { isHalfResized } from './rolling/revisions.ts';

export function planResizing({ node }: NodeObservation, pod: PodRecord): NodePlan | undefined {
  const { resize, resources, templateHash, intent, isDeleting, removalMark } = node;
  // A stamp of another time is no permit, and a member on its way out is restarted or gone soon.
  if (resize === undefined || !isHalfResized(node) || resize.revision !== templateHash) return undefined;
  if (intent !== 'Active' || isDeleting || removalMark !== undefined) return undefined;
  const { revision, operationId } = resize;
  if (isInForce(pod.resources, resources)) return act({ kind: 'noteResized', pod, revision, operationId });
  if (isAskedFor(pod.resources, resources) || node.resizeRefused !== undefined) return undefined;
  return act({ kind: 'resizePod', pod, resources });
}
