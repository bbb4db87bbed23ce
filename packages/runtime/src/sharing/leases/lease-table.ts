// What one replica sees of all leases, and since when by its own clock. Times and durations in a lease are ignored, as
// in lease-view.ts. No I/O, no timers.
import { isPlaceholder, isReleased, type LeaseRecord } from '../../lease/lease-record.ts';
import { MAX_REPLICAS, type Ordinal } from '../slots/assignment.ts';
import { formatOf } from './share-format.ts';
import { parseShareNote, type ShareNote } from './share-note.ts';

export interface SeenLease {
  readonly record: LeaseRecord;
  /** Undefined: it was not written by a replica that shares in our format and holds the lease. */
  readonly note: ShareNote | undefined;
  /** The format in which the holder shares. */
  readonly format: string;
  /** Since when this version is known. */
  readonly sinceMs: number;
  /** Since when this holder is known. */
  readonly holderSinceMs: number;
  /** From when on no replica holds the lease; Infinity while one does. */
  readonly freeFromMs: number;
}

/** Everything that decisions about shares depend on, as one consistent state: one watch over all leases delivers their
 *  changes in order. */
export interface LeaseSight {
  /** Monotonic, as all times here. */
  readonly nowMs: number;
  /** A lease that has not changed for this time cannot be valid for its holder any more. */
  readonly fenceMs: number;
  readonly self: Ordinal;
  /** The format in which this replica shares. */
  readonly format: string;
  /** The lease of mode `single`, and of the coordinator. */
  readonly leader: LeaseRecord | undefined;
  /** The format of what the leader's lease says about slots. */
  readonly leaderFormat: string;
  readonly leases: ReadonlyMap<Ordinal, SeenLease>;
  /** Since when a lease that does not exist is known to be missing. */
  absentSinceMs(ordinal: Ordinal): number;
}

/** What one replica has seen of all leases, as one value: the same events at the same times give the same. */
export interface KnownLeases {
  readonly leader: LeaseRecord | undefined;
  readonly leases: ReadonlyMap<Ordinal, SeenLease>;
  /** Since when a lease is known to be missing, for those whose absence was reported. */
  readonly absent: ReadonlyMap<Ordinal, number>;
  /** When all existing leases were last noted: since then the others are known to be missing. */
  readonly listedAtMs: number;
}

export const NOTHING_KNOWN: KnownLeases = {
  leader: undefined,
  leases: new Map(),
  absent: new Map(),
  listedAtMs: Number.POSITIVE_INFINITY,
};

export interface LeaseTableOptions {
  /** The name of the leader's lease; that of a replica has the ordinal appended. */
  readonly baseName: string;
  readonly self: Ordinal;
  readonly fenceMs: number;
  /** Annotation with the share note. */
  readonly shareKey: string;
  /** Annotation with the format of the share note. */
  readonly formatKey: string;
  /** Notes in another format are ignored. */
  readonly format: string;
}

export function replicaLease(baseName: string, ordinal: Ordinal): string {
  return `${baseName}-${ordinal}`;
}

/** Undefined for a lease that is no replica's. */
export function ordinalOfLease(baseName: string, name: string): Ordinal | undefined {
  if (!name.startsWith(`${baseName}-`)) return undefined;
  const text = name.slice(baseName.length + 1);
  return /^(0|[1-9]\d?)$/.test(text) && Number(text) < MAX_REPLICAS ? Number(text) : undefined;
}

export function isReplicaLease(baseName: string, name: string): boolean {
  return ordinalOfLease(baseName, name) !== undefined;
}

/** Records that all existing leases have been noted, and that changes before that may have been missed. */
export function noteListed(known: KnownLeases, nowMs: number): KnownLeases {
  return { ...known, listedAtMs: nowMs };
}

/** Records a lease, or (undefined) that it is gone. Names that are not ours are ignored. */
export function noteLease(
  known: KnownLeases,
  options: LeaseTableOptions,
  name: string,
  record: LeaseRecord | undefined,
  nowMs: number,
): KnownLeases {
  if (name === options.baseName) return { ...known, leader: record };
  const ordinal = ordinalOfLease(options.baseName, name);
  if (ordinal === undefined) return known;
  return record === undefined
    ? noteAbsence(known, ordinal, nowMs)
    : noteReplica(known, options, ordinal, record, nowMs);
}

function noteAbsence(known: KnownLeases, ordinal: Ordinal, nowMs: number): KnownLeases {
  const leases = new Map(known.leases);
  const wasThere = leases.delete(ordinal);
  if (!wasThere && known.absent.has(ordinal)) return known;
  return { ...known, leases, absent: new Map(known.absent).set(ordinal, nowMs) };
}

function noteReplica(
  known: KnownLeases,
  { shareKey, formatKey, format: own, fenceMs }: LeaseTableOptions,
  ordinal: Ordinal,
  record: LeaseRecord,
  nowMs: number,
): KnownLeases {
  const before = known.leases.get(ordinal);
  if (before?.record.uid === record.uid && before.record.resourceVersion === record.resourceVersion) return known;
  const format = formatOf(record.annotations?.[formatKey]);
  const isSameHolder = before?.record.holder === record.holder && before.record.uid === record.uid;
  // The note of a placeholder is its maker's, not that of the replica it stands for.
  const isItsOwn = format === own && !isPlaceholder(record);
  const absent = new Map(known.absent);
  const wasGone = absent.delete(ordinal);
  const seen: SeenLease = {
    record,
    note: isItsOwn ? parseShareNote(record.annotations?.[shareKey]) : undefined,
    format,
    sinceMs: nowMs,
    holderSinceMs: isSameHolder ? before.holderSinceMs : nowMs,
    freeFromMs: freeFrom(record, before, wasGone, nowMs, fenceMs),
  };
  return { ...known, leases: new Map(known.leases).set(ordinal, seen), absent };
}

/** A release counts in the lease that was known. A new lease under its name says nothing about the last holder (F25),
 *  and still nothing when it is edited; nor does a lease from which only the holder was removed (F26). */
function freeFrom(
  record: LeaseRecord,
  known: SeenLease | undefined,
  wasGone: boolean,
  nowMs: number,
  fenceMs: number,
): number {
  if (record.holder !== '') return Number.POSITIVE_INFINITY;
  const isAnother = wasGone || (known !== undefined && known.record.uid !== record.uid);
  if (!isAnother && known?.record.holder === '') return known.freeFromMs;
  return isAnother || !isReleased(record) ? nowMs + fenceMs : nowMs;
}

export function sightOf(known: KnownLeases, options: LeaseTableOptions, nowMs: number): LeaseSight {
  const { leader, leases, absent, listedAtMs } = known;
  const { self, fenceMs, formatKey, format } = options;
  return {
    nowMs,
    fenceMs,
    self,
    format,
    leader,
    leaderFormat: formatOf(leader?.annotations?.[formatKey]),
    leases,
    absentSinceMs: (ordinal) => Math.max(absent.get(ordinal) ?? 0, listedAtMs),
  };
}

/** A replica holds the lease, or may: a placeholder stands for a holder whose lease was deleted. */
export function isHeld(lease: SeenLease, nowMs: number): boolean {
  return lease.freeFromMs > nowMs;
}

/** A living replica, as far as can be seen: it holds its lease and renews it. */
export function isAlive(lease: SeenLease, { nowMs, fenceMs }: LeaseSight): boolean {
  const { record, sinceMs } = lease;
  return record.holder !== '' && !isPlaceholder(record) && nowMs - sinceMs < fenceMs;
}

/** The lease was not renewed for so long that its holder has stopped by itself: another replica may free it. */
export function isSilent(lease: SeenLease, { nowMs, fenceMs }: LeaseSight): boolean {
  return lease.record.holder !== '' && nowMs - lease.sinceMs >= fenceMs;
}

/** The lease has been missing for so long that no former holder can still rely on it. */
export function isGone(ordinal: Ordinal, sight: LeaseSight): boolean {
  return !sight.leases.has(ordinal) && sight.nowMs - sight.absentSinceMs(ordinal) >= sight.fenceMs;
}
