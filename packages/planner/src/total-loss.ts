// Answers: is nothing left of a formed cluster? It is never formed a second time: an empty one in its place would look
// healthy to its clients. Volumes are lost one after the other, so a node that was made for the first of them may be
// there when the last one goes.

import type { ClusterObservation, NodeRecord } from './observation.ts';
import { hasOwnVolume } from './removal/replacement.ts';
import { detachedVolumes, hasLostVolume, hasOutlivedVolume } from './sizing.ts';

/** Formed once, and now neither a kept volume is left, nor a node with one that may hold something, nor a process that
 *  outlived its volume, from which new members still get their copies (docs/decisions/0012). */
export function isTotalLoss(o: ClusterObservation): boolean {
  if (detachedVolumes(o).length > 0 || o.nodes.some(hasOutlivedVolume)) return false;
  if (o.nodes.every(hasLostVolume)) return true;
  const wasUsed = o.nodes.some((node) => node.serving && isLost(node));
  return wasUsed && o.nodes.every((node) => isLost(node) || isNewcomer(node));
}

/** Or as good as: no Pod is started again on a volume that is being deleted. */
function isLost(node: NodeRecord): boolean {
  return hasLostVolume(node) || (node.pod === undefined && node.volume?.isTerminating === true);
}

/** No client was let in to it and its volume was made for it. What it may have copied before it was left
 *  alone stays on that volume. */
function isNewcomer(node: NodeRecord): boolean {
  return !node.serving && hasOwnVolume(node);
}
