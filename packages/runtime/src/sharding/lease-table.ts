// What one replica sees of all leases, and since when by its own clock. Times and durations in a lease are ignored, as
// in lease-view.ts. No I/O, no timers.
import { isPlaceholder, type LeaseRecord } from '../lease-record.ts';
import { MAX_REPLICAS, type Ordinal } from './assignment.ts';
import { formatOf } from './share-format.ts';
import { parseShareNote, type ShareNote } from './share-note.ts';

export interface SeenLease {
  readonly record: LeaseRecord;
  /** Undefined: no replica that shares in our format has written it. */
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
  /** Counts of mode `static` that were ever seen. */
  readonly counts: ReadonlySet<number>;
}

export interface LeaseTable {
  /** Records a lease, or (undefined) that it is gone. Names that are not ours are ignored. */
  note(name: string, record: LeaseRecord | undefined, nowMs: number): void;
  /** All existing leases have been noted: the others are known to be missing from now on. */
  begin(nowMs: number): void;
  sight(nowMs: number): LeaseSight;
}

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

export function createLeaseTable(options: LeaseTableOptions): LeaseTable {
  const { baseName, self, fenceMs, shareKey, formatKey, format: own } = options;
  const leases = new Map<Ordinal, SeenLease>();
  const absent = new Map<Ordinal, number>();
  const counts = new Set<number>();
  let leader: LeaseRecord | undefined;
  let begunAtMs = Number.POSITIVE_INFINITY;

  function noteReplica(ordinal: Ordinal, record: LeaseRecord | undefined, nowMs: number): void {
    const known = leases.get(ordinal);
    if (record === undefined) {
      if (known !== undefined || !absent.has(ordinal)) absent.set(ordinal, nowMs);
      leases.delete(ordinal);
      return;
    }
    if (known?.record.uid === record.uid && known.record.resourceVersion === record.resourceVersion) return;
    const format = formatOf(record.annotations?.[formatKey]);
    const note = format === own ? parseShareNote(record.annotations?.[shareKey]) : undefined;
    if (note?.kind === 'static') counts.add(note.count);
    const isSameHolder = known?.record.holder === record.holder && known.record.uid === record.uid;
    leases.set(ordinal, {
      record,
      note,
      format,
      sinceMs: nowMs,
      holderSinceMs: isSameHolder ? known.holderSinceMs : nowMs,
      freeFromMs: freeFrom(record, known, absent.has(ordinal), nowMs),
    });
    absent.delete(ordinal);
  }

  /** An empty holder counts as a release in the lease that was known. A new lease under its name says nothing about the
   *  last holder (F25), and still nothing when it is edited. */
  function freeFrom(record: LeaseRecord, known: SeenLease | undefined, wasGone: boolean, nowMs: number): number {
    if (record.holder !== '') return Number.POSITIVE_INFINITY;
    const isAnother = wasGone || (known !== undefined && known.record.uid !== record.uid);
    if (isAnother) return nowMs + fenceMs;
    if (known === undefined) return nowMs;
    return known.record.holder === '' ? known.freeFromMs : nowMs;
  }

  return {
    note(name, record, nowMs) {
      if (name === baseName) leader = record;
      const ordinal = ordinalOfLease(baseName, name);
      if (ordinal !== undefined) noteReplica(ordinal, record, nowMs);
    },
    begin(nowMs) {
      begunAtMs = Math.min(begunAtMs, nowMs);
    },
    sight: (nowMs) => ({
      nowMs,
      fenceMs,
      self,
      format: own,
      leader,
      leaderFormat: formatOf(leader?.annotations?.[formatKey]),
      leases,
      counts,
      absentSinceMs: (ordinal) => Math.max(absent.get(ordinal) ?? 0, begunAtMs),
    }),
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
