// Answers: how many members should there be, and which ids may new ones get?
// Rates and disk fill come later; today the size is `spec.nodes`, never below replicationFactor + 1.

import type { EffectiveClusterSpec } from '@marekvs/api';
import { MAX_NODE_ID, minimumNodes, parseNodeId, pvcName } from '@marekvs/api';
import type { ClusterObservation, Hold, NodeRecord, VolumeRecord } from './observation.ts';

export interface DesiredSize {
  readonly nodes: number;
  /** Set when the wished size was raised to the floor. */
  readonly clamped: Hold | undefined;
}

/** The size to reach: `spec.nodes`, raised to replicationFactor + 1 and said so. */
export function desiredSize(spec: EffectiveClusterSpec): DesiredSize {
  const floor = minimumNodes(spec);
  if (spec.nodes >= floor) return { nodes: spec.nodes, clamped: undefined };
  return {
    nodes: floor,
    clamped: {
      reason: 'BelowFloor',
      message: `spec.nodes is ${spec.nodes}, below replicationFactor + 1 = ${floor}: ${floor} nodes are kept`,
      needsPerson: false,
    },
  };
}

/** Volumes of this cluster that no node uses and that can be taken up again, lowest id first. A volume that only carries
 *  the labels (a copy of one) is none of them: its node would start on an empty volume of the right name (marekvs.md H2). */
export function detachedVolumes(o: ClusterObservation): readonly VolumeRecord[] {
  const attached = new Set(o.nodes.map((node) => node.id));
  const isMountable = ({ nodeId, name, isTerminating }: VolumeRecord) =>
    nodeId !== undefined && !attached.has(nodeId) && !isTerminating && name === pvcName(o.cluster.name, nodeId);
  return o.volumes.filter(isMountable).sort((a, b) => (a.nodeId ?? 0) - (b.nodeId ?? 0));
}

/** Ids for `count` new nodes: those of detached volumes first (an id lives as long as its volume, marekvs.md H2),
 *  then numbers never used before in this cluster. Fewer than `count` when the numbers run out (65534 is the last one). */
export function nextNodeIds(o: ClusterObservation, count: number): readonly number[] {
  const reused = detachedVolumes(o).flatMap((volume) => (volume.nodeId === undefined ? [] : [volume.nodeId]));
  const ids = reused.slice(0, count);
  for (let next = highestIdEverUsed(o) + 1; ids.length < count && next <= MAX_NODE_ID; next += 1) ids.push(next);
  return ids;
}

/** The largest id any node, volume, member or earlier status has had; -1 when there was none. What a member shows beyond
 *  the last possible id (65535 is "unknown origin" to the members) is nobody's. */
export function highestIdEverUsed(o: ClusterObservation): number {
  const seen = [
    o.cluster.highestNodeId,
    ...o.nodes.map((node) => node.id),
    ...o.volumes.flatMap((volume) => [volume.nodeId, parseNodeId(`data-${o.cluster.name}`, volume.name)]),
    ...o.nodes.flatMap((node) => (node.answer.kind === 'serving' ? node.answer.view.map((line) => line.id) : [])),
  ];
  return Math.max(-1, ...seen.flatMap((id) => (id === undefined || id > MAX_NODE_ID ? [] : [id])));
}

/** True when the node's volume is gone for good: it was recorded, and now none or another one is there (marekvs.md H2). */
export function hasLostVolume(node: NodeRecord): boolean {
  if (node.recordedVolumeUid === undefined) return false;
  return node.volume === undefined || node.volume.uid !== node.recordedVolumeUid;
}
