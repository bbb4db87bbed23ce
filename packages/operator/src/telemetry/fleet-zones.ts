// Which clusters would lose most of their keys with one zone? From what nodes say of themselves, at a scrape. Pure but
// for what was computed before: which partition is where takes a millisecond to find out, and hardly ever changes.

import { type MarekvsNode, PARTITIONS } from '@marekvs/api';
import { zoneSpread } from '@marekvs/planner';

/** An even spread over two zones leaves just under half of the keys in one of them. */
export const ONE_ZONE_SHOWN_FROM = 0.5;
const MAX_REMEMBERED = 1_000;

export interface OneZoneCluster {
  readonly namespace: string;
  readonly cluster: string;
  /** Of its keys those all of whose homes are known to be in one zone, 0 to 1. */
  readonly share: number;
}

export interface FleetZones {
  /** Clusters with that share or more, the largest first. */
  oneZoneClusters(nodes: readonly MarekvsNode[]): readonly OneZoneCluster[];
}

export function createFleetZones(): FleetZones {
  const known = new Map<string, number>();

  function shareOf(homes: readonly MarekvsNode[]): number {
    const factor = Math.min(...homes.map(({ spec }) => spec.template.replicationFactor));
    const members = homes.map(({ spec, status }) => ({ id: spec.nodeId, zone: status?.zone }));
    // With one home there is no other one that could be elsewhere.
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
      // Where there is one zone all are in it, and nobody can do anything about that.
      if (zonesOf(nodes) < 2) return [];
      const found = [...byCluster(nodes)].map(([, homes]) => ({ ...nameOf(homes), share: shareOf(homes) }));
      return found.filter(({ share }) => share >= ONE_ZONE_SHOWN_FROM).sort((a, b) => b.share - a.share);
    },
  };
}

/** In how many zones members are known to run. */
export function zonesOf(nodes: Iterable<MarekvsNode>): number {
  const zones = new Set([...nodes].map(({ status }) => status?.zone));
  zones.delete(undefined);
  return zones.size;
}

/** Members that are homes. */
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
