// Answers: how many nodes does a cluster with spec.hosts.onePerHost have, and which members are misplaced? Each
// selected host that could take a member has one. A host keeps its member while it is cordoned or not ready. Only when
// it has lost the label, or is gone, and that has lasted for a while, the member goes as well
// (docs/decisions/one-per-host.md).

import {
  type EffectiveOnePerHost,
  type MarekvsClusterStatus,
  minimumNodes,
  type NodeScheduling,
  oncePer,
} from '@marekvs/api';
import { needsReplacement } from '../members/replacement.ts';
import { CONFIRM_MS } from '../observation/host-finding.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { HostTaint, SelectedHost } from '../observation/selected-hosts.ts';
import { type Hold, hold, shortMessageText, timeText } from '../values/hold.ts';
import { desiredSize } from './sizing.ts';

export interface HostsSize {
  /** The decision to store, or the stored one. */
  readonly status: NonNullable<MarekvsClusterStatus['autoscale']>;
  readonly isDecided: boolean;
  readonly requeueAfterMs: number | undefined;
}

/** Which hosts there are, and which have members. */
interface Places {
  readonly rule: EffectiveOnePerHost;
  readonly hosts: ReadonlyMap<string, SelectedHost>;
  /** Hosts that take a member, or have one: there are at least as many nodes. */
  readonly counted: number;
  /** `counted`, and hosts that a member had to leave and may return to: more nodes are too many. */
  readonly kept: number;
  /** Hosts that take a member and have none. */
  readonly free: number;
  /** Members on a host that should have none, or no second one; the highest id first. */
  readonly misplaced: readonly NodeRecord[];
}

type Seen = Pick<ClusterObservation, 'cluster' | 'nodes' | 'selectedHosts' | 'hostFindings'>;

/** The size by the hosts; undefined while nothing is decided by them. */
export function planHostsSize(o: ClusterObservation): HostsSize | undefined {
  const places = placesOf(o);
  if (places === undefined || places.counted === 0) return undefined;
  const { autoscale: stored, isFormed } = o.cluster;
  const before = desiredSize(o.cluster).nodes;
  const least = sizeFor(o, places, places.counted);
  if (stored?.size === undefined || stored.reason !== 'SizedByHosts') {
    // A smaller size than the present one has to last for a while first.
    const size = isFormed ? Math.max(before, least) : least;
    return { status: decided(o, places, size), isDecided: true, requeueAfterMs: undefined };
  }
  if (least > before) return { status: decided(o, places, least), isDecided: true, requeueAfterMs: undefined };
  const unchanged = { status: stored, isDecided: false, requeueAfterMs: undefined };
  const most = sizeFor(o, places, places.kept);
  if (most >= before) return unchanged;
  const leftMs = CONFIRM_MS - (o.fewerHostsForMs ?? 0);
  if (leftMs > 0) return { ...unchanged, requeueAfterMs: leftMs };
  return { status: decided(o, places, most), isDecided: true, requeueAfterMs: undefined };
}

/** True when hosts call for fewer nodes than the size. The follower of the cluster remembers for how long. */
export function areHostsFewer(o: Seen): boolean {
  const places = placesOf(o);
  return places !== undefined && places.counted > 0 && sizeFor(o, places, places.kept) < desiredSize(o.cluster).nodes;
}

/** No more nodes than find a host of their own: none is made for one that is about to go with its host. */
export function growthLimit(o: Seen, desired: number): number {
  const places = placesOf(o);
  return places === undefined || places.counted === 0 ? desired : Math.min(desired, sizeFor(o, places, places.counted));
}

/** Members on a host that is not selected any more, or beside another one; empty without spec.hosts.onePerHost. */
export function misplacedMembers(o: Seen): readonly NodeRecord[] {
  return placesOf(o)?.misplaced ?? [];
}

/** Hosts that take a member and have none; undefined when no host is counted. */
export function freeHosts(o: Seen): number | undefined {
  return placesOf(o)?.free;
}

/** Why it is misplaced, as half a sentence. */
export function misplacedText(o: Seen, { pod }: NodeRecord): string {
  const host = pod?.hostName ?? '';
  return placesOf(o)?.hosts.has(host) === true
    ? `another member is on its host ${host}`
    : `its host ${host} is none of those that spec.hosts.onePerHost selects`;
}

/** The holds about the hosts. */
export function hostsSizeHolds(o: ClusterObservation): readonly Hold[] {
  const { onePerHost } = o.cluster.spec.hosts;
  if (onePerHost === undefined || o.selectedHosts === undefined) return [];
  const { nodes: size } = desiredSize(o.cluster);
  const stays = `the size stays ${size}`;
  if (o.selectedHosts.kind === 'unknown')
    return [
      hold(
        'HostsNotReadable',
        `which hosts have ${labelText(onePerHost)} is not known: ${o.selectedHosts.why}; ${stays}`,
        true,
      ),
    ];
  const places = placesOf(o);
  if (places === undefined) return [];
  if (places.hosts.size === 0) return [hold('NoHostMatches', `no host has ${labelText(onePerHost)}: ${stays}`, true)];
  if (places.counted === 0)
    return [hold('NoHostMatches', `no host with ${labelText(onePerHost)} takes a member: ${stays}`, true)];
  const floor = floorOf(o, places.rule);
  if (places.counted >= floor) return [];
  const count = `${places.counted} ${places.counted === 1 ? 'host' : 'hosts'}`;
  const message = `${count} with ${labelText(onePerHost)} for ${floor} nodes at least: ${floor} are kept, label ${floor - places.counted} more`;
  return [hold('FewHosts', message, true)];
}

function sizeFor(o: Seen, { rule, free, misplaced }: Places, hosts: number): number {
  const floor = floorOf(o, rule);
  const size = Math.min(Math.max(hosts, floor), Math.max(rule.maxNodes, floor));
  // Before a misplaced member goes, a new one joins on a free host. A member that can move there by a restart does
  // (leaving-members.ts).
  const bound = misplaced.filter(({ uid }) => o.hostFindings.get(uid)?.volume === 'bound').length;
  return size + Math.min(free, bound);
}

function floorOf({ cluster }: Pick<Seen, 'cluster'>, { minNodes }: EffectiveOnePerHost): number {
  return Math.max(minNodes, minimumNodes(cluster.spec));
}

/** Cached, because a pass asks six times. */
function placesOf(o: Seen): Places | undefined {
  return foundPlaces(o).places;
}

const foundPlaces = oncePer((o: Seen) => ({ places: findPlaces(o) }));

function findPlaces({ cluster, nodes, selectedHosts }: Seen): Places | undefined {
  const { onePerHost: rule } = cluster.spec.hosts;
  if (rule === undefined || selectedHosts?.kind !== 'known') return undefined;
  const { hosts } = selectedHosts;
  const { tolerations } = cluster.spec;
  const staying = nodes.filter((node) => !needsReplacement(node)).sort((a, b) => a.id - b.id);
  const taken = new Set(staying.flatMap(({ pod }) => (pod?.hostName === undefined ? [] : [pod.hostName])));
  const usable = [...hosts].filter(([, host]) => isUsable(host, tolerations)).map(([name]) => name);
  const first = new Map<string, NodeRecord>();
  const misplaced = staying.filter((node) => {
    const host = node.pod?.hostName;
    if (host === undefined) return false;
    if (!hosts.has(host) || first.has(host)) return true;
    first.set(host, node);
    return false;
  });
  const occupied = new Set(nodes.flatMap(({ pod }) => (pod?.hostName === undefined ? [] : [pod.hostName])));
  const counted = [...hosts.keys()].filter((name) => taken.has(name) || usable.includes(name)).length;
  // A member without a host, or sharing one, may have been on a host that is cordoned or not ready, and returns there.
  const homeless = staying.filter(({ pod }) => pod?.hostName === undefined).length;
  const sharing = misplaced.filter(({ pod }) => hosts.has(pod?.hostName ?? '')).length;
  return {
    rule,
    hosts,
    counted,
    kept: counted + Math.min(homeless + sharing, hosts.size - counted),
    free: usable.filter((name) => !occupied.has(name)).length,
    misplaced: misplaced.reverse(),
  };
}

/** The scheduler would put a Pod of the cluster there. */
function isUsable({ isReady, isCordoned, taints }: SelectedHost, tolerations: Tolerations): boolean {
  return isReady && !isCordoned && taints.every((taint) => isTolerated(taint, tolerations));
}

type Tolerations = NonNullable<NodeScheduling['tolerations']>;

function isTolerated({ key, value, effect }: HostTaint, tolerations: Tolerations): boolean {
  if (effect === 'PreferNoSchedule') return true;
  return tolerations.some((one) => {
    if (one.effect !== undefined && one.effect !== effect) return false;
    if (one.operator === 'Exists') return one.key === undefined || one.key === '' || one.key === key;
    return one.key === key && (one.value ?? '') === value;
  });
}

function decided(o: ClusterObservation, places: Places, size: number): NonNullable<MarekvsClusterStatus['autoscale']> {
  return {
    size,
    nodes: o.cluster.spec.nodes,
    ideal: places.counted,
    reason: 'SizedByHosts',
    message: decisionText(o, places, size),
    since: timeText(o.nowMs),
  };
}

function decisionText(o: ClusterObservation, { rule, counted }: Places, size: number): string {
  const found = `${counted} ${counted === 1 ? 'host has' : 'hosts have'} ${labelText(rule)}`;
  return shortMessageText(`${found}${boundText(counted, size, floorOf(o, rule), rule.maxNodes)}: ${size} nodes`);
}

/** Why the size is not the number of hosts; empty when it is. */
function boundText(counted: number, size: number, floor: number, most: number): string {
  if (counted < floor && size === floor) return `, and no fewer than ${floor} nodes are wanted`;
  if (counted > most && size === most) return `, and no more than ${most} nodes are wanted`;
  if (size <= counted) return '';
  return ', and members that are on others stay until new ones have joined or their removal is proven';
}

/** `disk=nvme,pool=db`, as kubectl -l takes it. */
export function labelText({ nodeSelector }: Pick<EffectiveOnePerHost, 'nodeSelector'>): string {
  return Object.keys(nodeSelector)
    .sort()
    .map((key) => `${key}=${nodeSelector[key] ?? ''}`)
    .join(',');
}
