// Answers: how many members should there be, and which ids may new ones get? autoscale/ decides the size that follows
// the load.

import { acceptedSize, MAX_NODE_ID, minimumNodes, parseNodeId } from '@marekvs/api';
import { hasLostVolume, hasOutlivedVolume, isActiveMember, isWithoutVolume } from '../members/member-state.ts';
import { detachedVolumeStates, isOlderThanNode, looseVolumes } from '../members/volume-age.ts';
import type { ClusterRecord } from '../observation/cluster-record.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { VolumeRecord } from '../observation/volume-record.ts';
import { type Hold, hold, namesOf } from '../values/hold.ts';

export interface DesiredSize {
  readonly nodes: number;
  /** Set when the wished size was raised to the floor. */
  readonly clamped: Hold | undefined;
  /** It was decided while the spec had `autoscale`, and stays until another size is asked for. */
  readonly isKept: boolean;
}

/** The fields of a cluster that its size depends on. */
export type SizeRecord = Pick<
  ClusterRecord,
  'spec' | 'isFormed' | 'autoscale' | 'sizeBefore' | 'adoptedNodes' | 'acceptedNodes'
>;

/** The size to reach, never below replicationFactor + 1, which is reported. With `spec.autoscale` or
 *  `spec.hosts.onePerHost` it is what was decided last, and `spec.nodes` only the size a cluster is formed with
 *  (docs/decisions/autoscaling.md). */
export function desiredSize(cluster: SizeRecord): DesiredSize {
  const { spec } = cluster;
  const floor = minimumNodes(spec);
  if (spec.autoscale !== undefined) return autoscaledSize(cluster, floor);
  if (spec.hosts.onePerHost !== undefined)
    return { nodes: Math.max(floor, decidedSize(cluster, spec.nodes)), clamped: undefined, isKept: false };
  const kept = keptSize(cluster);
  const wished = kept ?? spec.nodes;
  const isKept = kept !== undefined;
  if (wished >= floor) return { nodes: wished, clamped: undefined, isKept };
  const why = `spec.nodes is ${wished}, below replicationFactor + 1 = ${floor}: ${floor} nodes are kept`;
  return { nodes: floor, clamped: hold('BelowFloor', why), isKept };
}

function autoscaledSize(cluster: SizeRecord, floor: number): DesiredSize {
  const { spec } = cluster;
  const { minNodes = 1, maxNodes = floor } = spec.autoscale ?? {};
  const clamped =
    maxNodes < floor
      ? hold(
          'BelowFloor',
          `spec.autoscale.maxNodes is ${maxNodes}, below replicationFactor + 1 = ${floor}: ${floor} nodes are kept`,
        )
      : undefined;
  const first = Math.min(Math.max(spec.nodes, minNodes), maxNodes);
  return { nodes: Math.max(floor, decidedSize(cluster, first)), clamped, isKept: false };
}

/** The size decided last. Before any decision: the present size, or `first` for a cluster that is not formed yet. */
function decidedSize({ autoscale, isFormed, sizeBefore, adoptedNodes }: SizeRecord, first: number): number {
  return autoscale?.size ?? adoptedNodes ?? (isFormed ? sizeBefore : undefined) ?? first;
}

/** The size in force when `spec.autoscale` was removed: the removal alone changes nothing. Undefined once somebody has
 *  set a number since: another `spec.nodes`, or the annotation that confirms the present one. */
function keptSize({ spec, autoscale, acceptedNodes }: SizeRecord): number | undefined {
  if (autoscale?.size === undefined || autoscale.nodes !== spec.nodes) return undefined;
  const isAccepted = acceptedNodes === acceptedSize(spec.nodes, autoscale.since);
  return isAccepted || autoscale.size === spec.nodes ? undefined : autoscale.size;
}

/** Volumes of this cluster that no node uses and that could be mounted, whatever their age, lowest id first. A volume
 *  that only carries the labels (a copy) does not count: its node would start on an empty volume of the right name
 *  (docs/design/server.md#h2). */
export function detachedVolumes(o: ClusterObservation): readonly VolumeRecord[] {
  return looseVolumes(o).filter((volume) => !volume.isTerminating);
}

export interface NodeIds {
  /** At most as many as were asked for; only a cluster without any member left takes up more, see `chooseNodeIds`. */
  readonly ids: readonly number[];
  /** Which kept volumes are not taken up, or not yet, and why. */
  readonly holds: readonly Hold[];
}

/** The next kept volume waits this long at most for the new node of the one before to be Active: then new ids are used
 *  instead. */
export const REUSE_PATIENCE_MS = 120_000;

/** Ids for `count` new nodes (an id lives as long as its volume, docs/design/server.md#h2): first those of kept volumes
 *  that are young enough, one at a time (docs/design/server.md#h4), then numbers never used before in this cluster.
 *  Fewer than `count` while a kept volume waits for the one before it, or when the numbers run out (65534 is the last
 *  one). A cluster that is being formed, or has no member left, takes up its volumes together
 *  (docs/decisions/volume-identity.md, docs/design/server.md#h1). */
export function chooseNodeIds(o: ClusterObservation, count: number): NodeIds {
  if (count <= 0) return { ids: [], holds: [] };
  if (!o.cluster.isFormed) return filledUp(o, idsOf(detachedVolumes(o)).slice(0, count), count);
  const states = detachedVolumeStates(o);
  const reusable = states.flatMap(({ state, volume }) => (state === 'Reusable' ? [volume] : []));
  const refused = states.flatMap(({ state, volume }) => (state === 'TooOld' || state === 'AgeUnknown' ? [volume] : []));
  // With no member left, the host of a volume is waited for rather than an empty cluster put in its place.
  const lostAlone = states.flatMap(({ state, volume }) =>
    state === 'HostLost' || state === 'HostDrained' ? [volume] : [],
  );
  if (isNobodyLeft(o)) return idsForNobodyLeft(o, count, [...reusable, ...lostAlone], refused);
  const returning = o.nodes.filter(isReturning);
  const reused = returning.length === 0 ? reusable.slice(0, 1) : [];
  const isWorthWaiting = returning.length === 0 || returning.some((node) => isYoung(o, node));
  const waiting = isWorthWaiting ? reusable.slice(reused.length, count) : [];
  const ids = withNewIds(o, idsOf(reused), count - waiting.length);
  const isReplacedByNew = ids.length > reused.length;
  return {
    ids,
    holds: [
      ...(waiting.length > 0 && returning.length > 0 ? [waitingForTurn(waiting, returning)] : []),
      ...(refused.length > 0 && isReplacedByNew ? [tooOld(refused)] : []),
      ...exhausted(o, count - waiting.length - ids.length),
    ],
  };
}

/** The ids alone. */
export function nextNodeIds(o: ClusterObservation, count: number): readonly number[] {
  return chooseNodeIds(o, count).ids;
}

/** No member is left to copy from, and kept volumes may hold the only copies: all that are young enough come back
 *  together. While only older ones are left, no empty cluster is put in their place. */
function idsForNobodyLeft(
  o: ClusterObservation,
  count: number,
  reusable: readonly VolumeRecord[],
  refused: readonly VolumeRecord[],
): NodeIds {
  if (reusable.length > 0)
    return { ids: withNewIds(o, idsOf(reusable), count), holds: refused.length === 0 ? [] : [tooOld(refused)] };
  if (refused.length === 0) return filledUp(o, [], count);
  const message = `no member is left, and ${namesOf(refused)} may be older than gcGraceSeconds: raise spec.gcGraceSeconds above their age, or write marekvs.io/last-active-at on them`;
  return { ids: [], holds: [hold('VolumeTooOld', message, true)] };
}

/** True for a member with a past that is not Active: it served clients once, or its volume is older than its node. */
function isReturning(node: NodeRecord): boolean {
  const { volume, createdAtMs, serving } = node;
  if (volume === undefined || isWithoutVolume(node) || node.isDeleting || isActiveMember(node)) return false;
  return serving || isOlderThanNode(volume, createdAtMs);
}

/** The node or its Pod was made lately: the member may well be Active soon. */
function isYoung(o: ClusterObservation, { createdAtMs, pod }: NodeRecord): boolean {
  return Math.abs(o.nowMs - Math.max(createdAtMs, pod?.createdAtMs ?? 0)) < REUSE_PATIENCE_MS;
}

function filledUp(o: ClusterObservation, first: readonly number[], count: number): NodeIds {
  const ids = withNewIds(o, first, count);
  return { ids, holds: exhausted(o, count - ids.length) };
}

function withNewIds(o: ClusterObservation, first: readonly number[], count: number): readonly number[] {
  const ids = [...first];
  for (let next = highestIdEverUsed(o) + 1; ids.length < count && next <= MAX_NODE_ID; next += 1) ids.push(next);
  return ids;
}

function idsOf(volumes: readonly VolumeRecord[]): readonly number[] {
  return volumes.flatMap((volume) => (volume.nodeId === undefined ? [] : [volume.nodeId]));
}

function waitingForTurn(volumes: readonly VolumeRecord[], returning: readonly NodeRecord[]): Hold {
  const before = namesOf(returning);
  const message = `${namesOf(volumes)} is taken up again when ${before} is Active`;
  return hold('WaitingForTurn', message);
}

/** A number is never given twice, so growth and replacements end here. */
function exhausted({ cluster: { name } }: ClusterObservation, missing: number): readonly Hold[] {
  if (missing <= 0) return [];
  const message = `${missing === 1 ? '1 node' : `${missing} nodes`} cannot be made: ${name} has used all node ids up to ${MAX_NODE_ID}, and none is used twice. Copy its keys into a new MarekvsCluster, which begins at 0`;
  return [hold('NodeIdsExhausted', message, true)];
}

function tooOld(volumes: readonly VolumeRecord[]): Hold {
  const message = `${namesOf(volumes)} is not known to be younger than gcGraceSeconds: kept as it is, a new id is used instead`;
  return hold('VolumeTooOld', message);
}

/** The largest id any node, volume, member or earlier status has had; -1 when there was none. What a member shows
 *  beyond the last possible id (65535 is "unknown origin" to the members) is never given. */
export function highestIdEverUsed(o: ClusterObservation): number {
  const seen = [
    o.cluster.highestNodeId,
    ...o.nodes.map((node) => node.id),
    ...o.volumes.flatMap((volume) => [
      volume.nodeId,
      volume.highestNodeId,
      parseNodeId(`data-${o.cluster.name}`, volume.name),
    ]),
    ...o.nodes.flatMap((node) => (node.answer.kind === 'serving' ? node.answer.view.map((line) => line.id) : [])),
  ];
  return Math.max(-1, ...seen.flatMap((id) => (id === undefined || id > MAX_NODE_ID ? [] : [id])));
}

/** No member is left to copy from: every volume is lost, and no process that outlived one serves. */
export function isNobodyLeft({ nodes }: Pick<ClusterObservation, 'nodes'>): boolean {
  return nodes.every(hasLostVolume) && !nodes.some(hasOutlivedVolume);
}
