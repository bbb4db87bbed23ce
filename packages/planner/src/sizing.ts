// Answers: how many members should there be, and which ids may new ones get?
// Rates and disk fill come later; today the size is `spec.nodes`, never below replicationFactor + 1.

import type { EffectiveClusterSpec } from '@marekvs/api';
import { minimumNodes } from '@marekvs/api';
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

/** Volumes of this cluster that no node uses and that can be taken up again, lowest id first. */
export function detachedVolumes(o: ClusterObservation): readonly VolumeRecord[] {
  const attached = new Set(o.nodes.map((node) => node.id));
  return o.volumes
    .filter((volume) => volume.nodeId !== undefined && !attached.has(volume.nodeId) && !volume.isTerminating)
    .sort((a, b) => (a.nodeId ?? 0) - (b.nodeId ?? 0));
}

/** Ids for `count` new nodes: those of detached volumes first (an id lives as long as its volume, marekvs.md H2),
 *  then numbers never used before in this cluster. */
export function nextNodeIds(o: ClusterObservation, count: number): readonly number[] {
  const reused = detachedVolumes(o).flatMap((volume) => (volume.nodeId === undefined ? [] : [volume.nodeId]));
  const ids = reused.slice(0, count);
  for (let next = highestIdEverUsed(o) + 1; ids.length < count; next += 1) ids.push(next);
  return ids;
}

/** The largest id any node, volume, member or earlier status has had; -1 when there was none. */
export function highestIdEverUsed(o: ClusterObservation): number {
  const seen = [
    o.cluster.highestNodeId,
    ...o.nodes.map((node) => node.id),
    ...o.volumes.flatMap((volume) => (volume.nodeId === undefined ? [] : [volume.nodeId])),
    ...o.nodes.flatMap((node) => (node.answer.kind === 'serving' ? node.answer.view.map((line) => line.id) : [])),
  ];
  return Math.max(-1, ...seen);
}

/** True when the node's volume is gone for good: it was recorded, and now none or another one is there (marekvs.md H2). */
export function hasLostVolume(node: NodeRecord): boolean {
  if (node.recordedVolumeUid === undefined) return false;
  return node.volume === undefined || node.volume.uid !== node.recordedVolumeUid;
}
