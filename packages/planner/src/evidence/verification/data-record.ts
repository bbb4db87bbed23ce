// Answers: which partitions have lost all their homes, and which have lost one without a comparison since? Computed
// from the placement for which contents were last seen covered, and the volumes lost since then. Pure. Nothing is
// guessed: without such a placement nothing is reported, and a record counts as saved only if a comparison saw it on
// another member.

import {
  type Acknowledgement,
  homesAt,
  listed,
  type MarekvsClusterStatus,
  nodeName,
  PARTITIONS,
  placementOf,
} from '@marekvs/api';
import { hasLostVolume, isKnownSilent } from '../../members/member-state.ts';
import { presentNodes } from '../../members/replacement.ts';
import { sharedFactor } from '../../members/shared-factor.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { timeText } from '../../values/hold.ts';
import { isOfPresent, type Verification } from './verification.ts';

/** `status.data` without its summary. */
export type DataRecord = Omit<NonNullable<MarekvsClusterStatus['data']>, 'state'>;
export type DataLoss = NonNullable<DataRecord['losses']>[number];
type Homes = NonNullable<DataRecord['homes']>;

/** At most this many losses are listed one by one; later ones are merged into the last. */
const MAX_LOSSES = 8;
/** At most this many nodes are named per loss; its figures cover all of them. */
const MAX_NODES = 64;

/** The data record to store now.
 *  @param verification of the present members, or of earlier ones
 *  @param before the record as it was stored */
export function dataRecord(
  o: ClusterObservation,
  verification: Verification | undefined,
  before: DataRecord = {},
  acknowledgement?: Acknowledgement,
): DataRecord {
  if (!o.cluster.isFormed) return {};
  const isCovered = verification?.state === 'Covered' && isOfPresent(o, verification);
  const homes = isCovered ? presentHomes(o) : before.homes;
  const lostNodeIds = homes === undefined ? [] : lostHomes(o, homes, isCovered ? [] : (before.lostNodeIds ?? []));
  const read = acknowledged(before, acknowledgement);
  const losses = homes === undefined ? (read.losses ?? []) : withLoss(o, homes, lostNodeIds, read);
  return {
    ...(homes === undefined ? {} : { homes }),
    ...(lostNodeIds.length === 0 ? {} : { lostNodeIds }),
    ...(losses.length === 0 ? {} : { losses }),
    ...(read.acknowledged === undefined ? {} : { acknowledged: read.acknowledged }),
  };
}

/** Number of partitions that have all their homes (`all`), or at least one, among `lostNodeIds`. */
export function partitionsOf(
  { nodeIds, replicationFactor }: Homes,
  lostNodeIds: readonly number[],
  all: boolean,
): number {
  if (lostNodeIds.length === 0) return 0;
  const placement = placementOf(nodeIds, replicationFactor);
  const lost = new Set(lostNodeIds);
  let partitions = 0;
  for (let pid = 0; pid < PARTITIONS; pid += 1) {
    const homes = homesAt(placement, pid);
    const isMeant = all ? homes.every((id) => lost.has(id)) : homes.some((id) => lost.has(id));
    if (isMeant) partitions += 1;
  }
  return partitions;
}

/** Percent of all partitions, one digit after the point. */
export function shareOf(partitions: number): number {
  return Math.round((partitions * 1000) / PARTITIONS) / 10;
}

/** One sentence on a loss. It does not change from pass to pass. */
export function lossText(
  { nodeIds, partitions, percent }: DataLoss,
  clusterName: string,
  replicationFactor: number,
): string {
  const homes =
    replicationFactor === 1
      ? 'the only home'
      : replicationFactor === 2
        ? 'both homes'
        : `all ${replicationFactor} homes`;
  return `${homes} of ${partitions} of ${PARTITIONS} partitions (${percent} %) were on ${namesOf(nodeIds, clusterName)}, whose volumes are lost`;
}

/** One sentence on the homes that are lost while others are left. */
export function riskText(homes: Homes, lostNodeIds: readonly number[], clusterName: string): string {
  const partitions = partitionsOf(homes, lostNodeIds, false);
  return `${partitions} of ${PARTITIONS} partitions (${shareOf(partitions)} %) had a home on ${namesOf(lostNodeIds, clusterName)}, whose volume is lost, and contents were not compared since`;
}

/** At most this many names are listed in a sentence. */
const MAX_NAMES = 8;

function namesOf(ids: readonly number[], clusterName: string): string {
  return listed(
    ids.map((id) => nodeName(clusterName, id)),
    MAX_NAMES,
  );
}

function presentHomes(o: ClusterObservation): Homes {
  return {
    nodeIds: presentNodes(o)
      .map(({ id }) => id)
      .sort((a, b) => a - b),
    replicationFactor: sharedFactor(o),
  };
}

/** Homes whose volume is lost and whose process is known not to serve: no member has their data any more. A node that
 *  is removed by proof does not count, because its records were seen elsewhere. A node whose volume was only missing
 *  for a moment is taken off the list again. */
function lostHomes(o: ClusterObservation, { nodeIds }: Homes, before: readonly number[]): readonly number[] {
  const present = new Map(o.nodes.map((node) => [node.id, node]));
  const isStillLost = (id: number) => {
    const node = present.get(id);
    return node === undefined || hasLostVolume(node);
  };
  const gone = o.nodes.filter((node) => isGone(o, node)).map(({ id }) => id);
  const lost = new Set([...before.filter(isStillLost), ...gone]);
  return nodeIds.filter((id) => lost.has(id));
}

function isGone({ cluster: { operation } }: ClusterObservation, node: NodeRecord): boolean {
  const isProven = operation?.target?.uid === node.uid && operation.proof?.pre !== undefined;
  return hasLostVolume(node) && isKnownSilent(node) && !isProven;
}

/** The losses, updated by the homes that are lost now. A loss that grows is a new one: whoever acknowledged the smaller
 *  loss has not seen the larger. */
function withLoss(
  o: ClusterObservation,
  homes: Homes,
  lostNodeIds: readonly number[],
  { losses = [], acknowledged: read }: DataRecord,
): readonly DataLoss[] {
  const partitions = partitionsOf(homes, lostNodeIds, true);
  if (partitions === 0) return losses;
  const isKnown = ({ nodeIds }: Pick<DataLoss, 'nodeIds'>) => nodeIds.every((id) => lostNodeIds.includes(id));
  if (read !== undefined && isKnown(read) && read.partitions >= partitions) return losses;
  const open = losses.findIndex(isKnown);
  if ((losses[open]?.partitions ?? 0) >= partitions) return losses;
  const loss: DataLoss = {
    at: timeText(o.nowMs),
    nodeIds: lostNodeIds.slice(0, MAX_NODES),
    partitions,
    percent: shareOf(partitions),
  };
  if (open >= 0) return losses.with(open, loss);
  if (losses.length < MAX_LOSSES) return [...losses, loss];
  return [...losses.slice(0, -1), together(losses.at(-1), loss)];
}

/** Merges two losses. It is unknown which partitions their placements share, so the sum is an upper bound. */
function together(a: DataLoss | undefined, b: DataLoss): DataLoss {
  const partitions = Math.min(PARTITIONS, (a?.partitions ?? 0) + b.partitions);
  return {
    ...b,
    nodeIds: [...(a?.nodeIds ?? []), ...b.nodeIds].slice(-MAX_NODES),
    partitions,
    percent: shareOf(partitions),
  };
}

/** What a person has acknowledged is not reported any more. Only a loss that was reported can be acknowledged. */
function acknowledged(
  before: DataRecord,
  by: Acknowledgement | undefined,
): Pick<DataRecord, 'losses' | 'acknowledged'> {
  const { losses = [], acknowledged: last } = before;
  const read = by === undefined ? undefined : losses.find(({ at }) => at === by.loss);
  if (by === undefined || read === undefined) return { losses, ...(last === undefined ? {} : { acknowledged: last }) };
  return {
    losses: losses.filter(({ at }) => Date.parse(at) > Date.parse(by.loss)),
    acknowledged: { ...read, by: by.by, acknowledgedAt: by.at },
  };
}
