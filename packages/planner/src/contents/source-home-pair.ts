// The part of one partition of a source that is not known to be on one of its other homes.

import { BUCKETS, bucketDigests, type PartitionDigest, type RecordMark, type StoredRecord } from '@marekvs/api';
import { bucketPlace, type Diverging, type Judged } from './judged.ts';
import { MAX_BUCKETS } from './limits.ts';
import { differingBuckets } from './records/bucket-digests.ts';

/** A record of the source that has not been seen at the home. */
export interface Wanted {
  readonly mark: RecordMark;
  readonly sinceMs: number;
  /** The source's record, read at that moment or later. Once it is kept, the home's is always compared with this one,
   *  so that a key that is written all the time is covered in the end. */
  source: StoredRecord | undefined;
  /** How often in a row its record could not be read, and when it is asked for again. */
  failures: number;
  askAgainAtMs: number;
}

/** Source and home are indexes in the list of members. */
export interface Pair {
  readonly home: number;
  /** Ascending; undefined until the digests were compared. Only shrinks: a bucket found covered once is covered for
   *  this sweep. */
  open: Uint8Array | undefined;
  /** Missing records by bucket, for the open buckets that were compared. */
  readonly wanted: Map<number, readonly Wanted[]>;
  /** The source's digest of these buckets when they were compared first. */
  readonly seen: Map<number, string>;
  /** Keys of registers that diverge, by the bucket or partition in which they were found. */
  readonly diverging: Map<string, Diverging>;
  /** The bucket with which the next scan begins. */
  fromBucket: number;
  /** At the last look more buckets differed than one question takes, and not because copies are on their way. */
  isWide: boolean;
  /** Its last streams left something open, so its buckets are compared until the next ones may be asked for. */
  isUnproven: boolean;
  /** What is missing is known by streams, so that only the buckets that have it are left. */
  isLocated: boolean;
  /** A scan has compared the pair, so what is missing is known. */
  isScanned: boolean;
  isCovered: boolean;
  /** Records that were missing when everything else about the pair was forgotten; counts until it is compared again. */
  missingBefore: number;
}

/** What all pairs of a comparison share. */
export interface Ledger {
  /** Records missing, all pairs together. */
  wanted: number;
  /** Bytes of records that are kept for them. */
  heldBytes: number;
  movedAtMs: number;
}

export function createPair(home: number): Pair {
  return {
    home,
    open: undefined,
    wanted: new Map(),
    seen: new Map(),
    diverging: new Map(),
    fromBucket: 0,
    isWide: false,
    isUnproven: false,
    isLocated: false,
    isScanned: false,
    isCovered: false,
    missingBefore: 0,
  };
}

export function createWanted(mark: RecordMark, nowMs: number): Wanted {
  return { mark, sinceMs: nowMs, source: undefined, failures: 0, askAgainAtMs: Number.NEGATIVE_INFINITY };
}

export interface Digests {
  readonly partition: number;
  readonly source: PartitionDigest;
  readonly home: PartitionDigest;
}

/** Closes buckets in which both digests are equal or known to be covered, or the source no longer holds anything. */
export function narrow(pair: Pair, digests: Digests, ledger: Ledger, judged: Judged): void {
  const { source, home } = digests;
  const differing = source === home ? NOTHING : both(pair.open, differingBuckets(source, home));
  const open = differing.length === 0 ? NOTHING : unjudged(pair, differing, digests, judged);
  pair.open = open;
  if (pair.wanted.size > 0) {
    const isOpen = flagsOf(open);
    for (const bucket of pair.wanted.keys()) if (isOpen[bucket] === 0) keepWanted(pair, bucket, [], ledger);
  }
  pair.isCovered = pair.open.length === 0;
}

const NOTHING = new Uint8Array(0);

/** Buckets that are in both lists. @param open undefined: all are in it */
function both(open: Uint8Array | undefined, differing: Uint8Array): Uint8Array {
  if (open === undefined) return differing;
  const isOpen = flagsOf(open);
  return differing.filter((bucket) => isOpen[bucket] === 1);
}

/** 1 for each bucket in the list. */
function flagsOf(buckets: Uint8Array): Uint8Array {
  const flags = new Uint8Array(BUCKETS);
  for (const bucket of buckets) flags[bucket] = 1;
  return flags;
}

function unjudged(pair: Pair, differing: Uint8Array, digests: Digests, judged: Judged): Uint8Array {
  if (judged.isEmpty) return differing;
  const { partition, source, home } = digests;
  const place = String(partition);
  const whole = judged.ofPartition(partition, source, home);
  if (whole !== undefined) {
    pair.diverging.set(place, whole);
    return NOTHING;
  }
  const [sources, homes] = [bucketDigests(source) ?? [], bucketDigests(home) ?? []];
  return differing.filter((bucket) => {
    const bucketOf = bucketPlace(partition, bucket);
    const found = judged.ofBucket(bucketOf, sources[bucket] ?? '', homes[bucket] ?? '');
    if (found !== undefined) pair.diverging.set(bucketOf, found);
    return found === undefined;
  });
}

/** The wanted records of a bucket from now on; a bucket without any is closed. */
export function keepWanted(pair: Pair, bucket: number, wanted: readonly Wanted[], ledger: Ledger): void {
  release(pair.wanted.get(bucket) ?? [], ledger);
  ledger.wanted += wanted.length;
  ledger.heldBytes += heldBytes(wanted);
  if (wanted.length > 0) {
    pair.wanted.set(bucket, wanted);
    return;
  }
  pair.wanted.delete(bucket);
  pair.seen.delete(bucket);
  pair.open = pair.open?.filter((other) => other !== bucket);
  pair.isCovered = pair.open?.length === 0;
}

/** The buckets to compare now, in turn, so that no bucket waits for one that stays open for ever.
 *  @param isFull only those already compared */
export function chooseBuckets(pair: Pair, isFull: boolean): readonly number[] {
  const open = [...(pair.open ?? NOTHING)].filter((bucket) => !isFull || pair.wanted.has(bucket));
  const later = open.filter((bucket) => bucket >= pair.fromBucket);
  const chosen = [...later, ...open.filter((bucket) => bucket < pair.fromBucket)].slice(0, MAX_BUCKETS);
  pair.fromBucket = (chosen.at(-1) ?? -1) + 1;
  return chosen;
}

/** A lower bound: an open bucket that was not compared counts as one record. */
export function missingRecords({ open, wanted, missingBefore }: Pair): number {
  if (open === undefined) return missingBefore;
  let records = open.length - wanted.size;
  for (const inBucket of wanted.values()) records += inBucket.length;
  return records;
}

export function forgetWanted(pair: Pair, ledger: Ledger): void {
  for (const inBucket of pair.wanted.values()) release(inBucket, ledger);
  pair.wanted.clear();
}

function release(wanted: readonly Wanted[], ledger: Ledger): void {
  ledger.wanted -= wanted.length;
  ledger.heldBytes -= heldBytes(wanted);
}

function heldBytes(wanted: readonly Wanted[]): number {
  let bytes = 0;
  for (const { source } of wanted) bytes += source === undefined ? 0 : sizeBytes(source);
  return bytes;
}

export function sizeBytes({ key, value }: StoredRecord): number {
  return key.length + value.length;
}
