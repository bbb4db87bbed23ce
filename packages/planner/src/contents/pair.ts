// The part of one partition of a source that is not known to be on one of its other homes.

import type { PartitionDigest, RecordMark, StoredRecord } from '@marekvs/api';
import { differingBuckets } from './digest.ts';
import { MAX_BUCKETS } from './limits.ts';

/** A record of the source that has not been seen at the home. */
export interface Wanted {
  readonly mark: RecordMark;
  readonly sinceMs: number;
  /** The source's record, read once, at that moment or later. The home's is always compared with this one, so that a
   *  key that is written all the time is covered in the end. */
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
  /** The bucket with which the next scan begins. */
  fromBucket: number;
  /** A scan has compared the pair, so what is missing is known. */
  isScanned: boolean;
  isCovered: boolean;
}

/** What all pairs of a comparison share. */
export interface Ledger {
  /** Records missing, all pairs together. */
  wanted: number;
  movedAtMs: number;
}

export function createPair(home: number): Pair {
  return { home, open: undefined, wanted: new Map(), fromBucket: 0, isScanned: false, isCovered: false };
}

/** Closes buckets in which both digests are equal, or the source no longer holds anything. */
export function narrow(pair: Pair, source: PartitionDigest, home: PartitionDigest, ledger: Ledger): void {
  const differing = source === home ? NOTHING : differingBuckets(source, home);
  const { open } = pair;
  pair.open = open === undefined ? differing : differing.filter((bucket) => open.includes(bucket));
  for (const bucket of pair.wanted.keys()) if (!pair.open.includes(bucket)) keepWanted(pair, bucket, [], ledger);
  pair.isCovered = pair.open.length === 0;
}

const NOTHING = new Uint8Array(0);

/** The wanted records of a bucket from now on; a bucket without any is closed. */
export function keepWanted(pair: Pair, bucket: number, wanted: readonly Wanted[], ledger: Ledger): void {
  ledger.wanted += wanted.length - (pair.wanted.get(bucket)?.length ?? 0);
  if (wanted.length > 0) {
    pair.wanted.set(bucket, wanted);
    return;
  }
  pair.wanted.delete(bucket);
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
export function missingRecords({ open, wanted }: Pair): number {
  let records = (open?.length ?? 0) - wanted.size;
  for (const inBucket of wanted.values()) records += inBucket.length;
  return records;
}

export function forgetWanted(pair: Pair, ledger: Ledger): void {
  for (const inBucket of pair.wanted.values()) ledger.wanted -= inBucket.length;
  pair.wanted.clear();
}
