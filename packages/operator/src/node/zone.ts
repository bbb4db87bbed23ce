// Answers: in which zone is the member of this node, and how is that known? The label of its Pod says it,
// and is free; the label of its host is asked for once in the life of a Pod, and then the status of the
// node is where it is remembered.

import type { MarekvsNodeStatus } from '@marekvs/api';
import type { PodRecord } from '@marekvs/planner';
import { type HostZones, ZONE_LABEL } from '../members/host-zones.ts';

export type NodeZone = Pick<MarekvsNodeStatus, 'zone' | 'zoneSource'>;

/** Nothing while it has no Pod of its own on a host, and as long as nothing is known.
 *  @param previous the stored status */
export function zoneOf(
  nodeKey: string,
  pod: PodRecord | undefined,
  previous: MarekvsNodeStatus,
  hostZones: Pick<HostZones, 'ask'>,
): NodeZone {
  if (pod?.hostName === undefined) return {};
  const zone = pod.labels[ZONE_LABEL] ?? '';
  if (zone !== '') return { zone: zone, zoneSource: 'Pod' };
  const stored = previous.podUID === pod.uid ? storedZone(previous) : {};
  // What a host says holds as long as the Pod, as the label of a Pod does. A host that could not be read is read again.
  if (stored.zoneSource === 'Host' || stored.zoneSource === 'HostUnlabelled') return stored;
  return hostZones.ask(nodeKey, pod.hostName) ?? stored;
}

function storedZone({ zone, zoneSource }: MarekvsNodeStatus): NodeZone {
  if (zoneSource === undefined) return {};
  return zone === undefined ? { zoneSource } : { zone, zoneSource };
}
