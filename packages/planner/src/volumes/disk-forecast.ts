// Answers: do the disks of the survivors have room for what the target holds? Predicted from the placement, which is
// known exactly (docs/design/server.md#placement): a partition of the target moves to the one member that becomes its
// home, and to no other.

import { oncePer, PARTITIONS, type Placement, placementOf } from '@marekvs/api';
import type { MemberFigures } from '../observation/member-facts.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import { type Hold, hold, namesOf } from '../values/hold.ts';

/** A member with its last figures; undefined while there are no recent ones. */
export interface DiskFigures {
  readonly node: NodeRecord;
  readonly last: Pick<MemberFigures, 'isFresh' | 'diskTotalBytes' | 'diskAvailBytes' | 'dbBytes'> | undefined;
}

export interface CapacityInput {
  readonly target: DiskFigures;
  readonly survivors: readonly DiskFigures[];
  readonly replicationFactor: number;
  /** Fill level in percent from which a member refuses writes; see `highWaterPercent`. */
  readonly highWaterPercent: number;
}

/** One survivor's disk, before and after. Bytes. */
export interface DiskForecast {
  readonly node: NodeRecord;
  /** The predicted gain. */
  readonly gainBytes: number;
  /** What its disk would hold with twice that gain. */
  readonly usedBytes: number;
  readonly totalBytes: number;
  readonly fits: boolean;
}

export type Capacity =
  | { readonly kind: 'known'; readonly forecasts: readonly DiskForecast[] }
  /** Members whose figures are missing. */
  | { readonly kind: 'unknown'; readonly about: readonly NodeRecord[] };

/** Anti-entropy writes a copy next to what it replaces until the store compacts. */
const SAFETY = 2;
/** MAREKVS_DISK_HIGH_WATER_PCT of the server (docs/design/server.md#settings). */
const DEFAULT_HIGH_WATER_PERCENT = 90;

/** Bytes each survivor gains when the target goes, by node id. Copies are spread evenly over the target's partitions.
 *  Guarantees: the sum is `dbBytes` whenever there are at least `replicationFactor` survivors. */
export function predictedGains(
  targetId: number,
  survivorIds: readonly number[],
  replicationFactor: number,
  dbBytes: number,
): ReadonlyMap<number, number> {
  const before = placementOf([...survivorIds, targetId], replicationFactor);
  const known = sharesOf(before);
  const shares = known.get(targetId) ?? countShares(before, placementOf(survivorIds, replicationFactor), targetId);
  known.set(targetId, shares);
  return new Map(survivorIds.map((id) => [id, dbBytes * (shares.get(id) ?? 0)]));
}

/** The share of the target's partitions that each survivor takes over, by placement and target. Cached, because every
 *  pass asks for it while a removal waits to begin. */
const sharesOf = oncePer((_before: Placement) => new Map<number, ReadonlyMap<number, number>>());

function countShares(before: Placement, after: Placement, targetId: number): ReadonlyMap<number, number> {
  const moved = new Map<number, number>();
  let owned = 0;
  for (let pid = 0; pid < PARTITIONS; pid += 1) {
    if (!isHome(before, pid, targetId)) continue;
    owned += 1;
    for (let at = pid * after.width; at < (pid + 1) * after.width; at += 1) {
      const id = after.owners[at] ?? targetId;
      if (!isHome(before, pid, id)) moved.set(id, (moved.get(id) ?? 0) + 1);
    }
  }
  return new Map([...moved].map(([id, count]) => [id, count / owned]));
}

/** Whether every survivor stays below its high-water mark with twice its predicted gain. The server stops writes only
 *  when less than 1 GiB is left as well. But it never stops writes of peers, up to a full disk, so only the mark counts
 *  here. */
export function forecastDisks(input: CapacityInput): Capacity {
  const { target, survivors, replicationFactor, highWaterPercent } = input;
  const dbBytes = target.last?.isFresh === true ? target.last.dbBytes : undefined;
  const unknown = survivors.flatMap((member) => (diskOf(member) === undefined ? [member.node] : []));
  if (dbBytes === undefined) return { kind: 'unknown', about: [target.node, ...unknown] };
  if (unknown.length > 0) return { kind: 'unknown', about: unknown };
  const ids = survivors.map(({ node }) => node.id);
  const gains = predictedGains(target.node.id, ids, replicationFactor, dbBytes);
  const forecasts = survivors.flatMap((member): DiskForecast[] => {
    const disk = diskOf(member);
    if (disk === undefined) return [];
    const gainBytes = gains.get(member.node.id) ?? 0;
    const usedBytes = disk.totalBytes - disk.availBytes + SAFETY * gainBytes;
    const fits = gainBytes === 0 || usedBytes < (disk.totalBytes * highWaterPercent) / 100;
    return [{ node: member.node, gainBytes, usedBytes, totalBytes: disk.totalBytes, fits }];
  });
  return { kind: 'known', forecasts };
}

/** Why the disks do not allow the removal, in numbers; undefined when they do. Names the fullest one. */
export function capacityHold(capacity: Capacity, target: NodeRecord, highWater: number): Hold | undefined {
  if (capacity.kind === 'unknown') {
    const names = namesOf(capacity.about);
    return hold('NotObserved', `the disk of ${names} is not known yet`);
  }
  const full = capacity.forecasts.filter((forecast) => !forecast.fits);
  const worst = full.sort((a, b) => fillOf(b) - fillOf(a) || a.node.id - b.node.id)[0];
  if (worst === undefined) return undefined;
  const { node, usedBytes, totalBytes } = worst;
  const others = full.length === 1 ? '' : `, and ${full.length - 1} more would hold too much`;
  return hold(
    'DiskTooSmall',
    `${node.name} would hold ${sizes(usedBytes, totalBytes)}${others}: with twice its share of ${target.name} it has to stay below ${highWater} %`,
    true,
  );
}

/** The mark the members run with: from the cluster's extra environment, otherwise the server's default. */
export function highWaterPercent(env: Readonly<Record<string, unknown>>): number {
  const text = String(env.MAREKVS_DISK_HIGH_WATER_PCT ?? '');
  const percent = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return percent > 0 ? percent : DEFAULT_HIGH_WATER_PERCENT;
}

function isHome({ owners, width }: Placement, pid: number, id: number): boolean {
  for (let at = pid * width; at < (pid + 1) * width; at += 1) if (owners[at] === id) return true;
  return false;
}

function diskOf({ last }: DiskFigures): { readonly totalBytes: number; readonly availBytes: number } | undefined {
  if (last?.isFresh !== true || last.diskTotalBytes === undefined || last.diskAvailBytes === undefined)
    return undefined;
  // A total of 0 is a gauge before its first value, not a disk.
  return last.diskTotalBytes > 0 ? { totalBytes: last.diskTotalBytes, availBytes: last.diskAvailBytes } : undefined;
}

function fillOf({ usedBytes, totalBytes }: DiskForecast): number {
  return usedBytes / totalBytes;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** "9.1 of 10 GiB": both in the unit of the whole, one decimal. */
function sizes(used: number, total: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(total) / 10)));
  const inUnit = (bytes: number) => String(Number((bytes / 1024 ** power).toFixed(1)));
  return `${inUnit(used)} of ${inUnit(total)} ${UNITS[power]}`;
}
