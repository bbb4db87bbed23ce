// Whether a node's volume is gone for good, or its node.

import type { NodeRecord } from '../observation/node-record.ts';

/** True when the node's volume is gone for good: it was recorded, and now none or another one is there
 *  (docs/design/server.md#h2). */
export function hasLostVolume(node: NodeRecord): boolean {
  if (node.recordedVolumeUid === undefined) return false;
  return node.volume === undefined || node.volume.uid !== node.recordedVolumeUid;
}

/** The member served clients, its volume is gone, and its process goes on: data in memory and in unlinked files can be
 *  copied. */
export function hasOutlivedVolume(node: NodeRecord): boolean {
  return hasLostVolume(node) && node.serving && node.answer.kind === 'serving';
}
