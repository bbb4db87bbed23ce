// Answers at a scrape: which clusters would lose most of their keys with one zone? From the statuses of nodes. Pure
// except for memoized results: the placement of partitions takes a millisecond to compute and hardly ever changes.

import { type MarekvsNode, PARTITIONS } from '@marekvs/api';
import { zoneSpread } from '@marekvs/planner';

/** An even spread over two zones leaves just under half of the keys in one of them. */
export const ONE_ZONE_SHOWN_FROM = 0.5;
const MAX_REMEMBERED = 1_000;

export interface OneZoneCluster {
  readonly namespace: string;
  readonly cluster: string;
  /** Share of its keys whose homes are all known to be in one zone, 0 to 1. */
  readonly share: number;
}

export interface FleetZones {
  /** Clusters with ONE_ZONE_SHOWN_FROM or more, the largest first. */
  oneZoneClusters(nodes: readonly MarekvsNode[]): readonly OneZoneCluster[];
}

export function createFleetZones(): FleetZones {
  const known = new Map<string, number>();

  function shareOf(homes: readonly MarekvsNode[]): number {
    const factor = Math.min(...homes.map(({ spec }) => spec.template.replicationFactor));
    const members = homes.map(({ spec, status }) => ({ id: spec.nodeId, zone: status?.zone }));
    // With one home per key, no other home could be elsewhere.
    if (factor === 1) return 0;
    const zones = new Set(members.map(({ zone }) => zone));
    if (zones.size === 1) return members[0]?.zone === undefined ? 0 : 1;
    const key = `${factor} ${JSON.stringify(members.map(({ id, zone }) => [id, zone]))}`;
    const share = known.get(key) ?? zoneSpread(members, factor).inOneZone / PARTITIONS;
    known.delete(key);
    known.set(key, share);
    const [oldest] = known.keys();
    if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
    return share;
  }

  return {
    oneZoneClusters(nodes) {
      // With a single zone all members are in it, and nobody can change that.
      if (zonesOf(nodes) < 2) return [];
      const found = [...byCluster(nodes)].map(([, homes]) => ({ ...nameOf(homes), share: shareOf(homes) }));
      return found.filter(({ share }) => share >= ONE_ZONE_SHOWN_FROM).sort((a, b) => b.share - a.share);
    },
  };
}

/** The number of zones in which members are known to run. */
export function zonesOf(nodes: Iterable<MarekvsNode>): number {
  const zones = new Set([...nodes].map(({ status }) => status?.zone));
  zones.delete(undefined);
  return zones.size;
}

/** By cluster, the members that are homes. */
function byCluster(nodes: Iterable<MarekvsNode>): ReadonlyMap<string, readonly MarekvsNode[]> {
  const found = new Map<string, MarekvsNode[]>();
  for (const node of nodes) {
    if ((node.status?.ownedPartitions ?? 0) === 0) continue;
    const key = `${node.metadata.namespace}/${node.spec.clusterName}`;
    const one = found.get(key);
    if (one === undefined) found.set(key, [node]);
    else one.push(node);
  }
  return found;
}

function nameOf([first]: readonly MarekvsNode[]): { readonly namespace: string; readonly cluster: string } {
  return { namespace: first?.metadata.namespace ?? '', cluster: first?.spec.clusterName ?? '' };
}
