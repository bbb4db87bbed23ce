// What a member reports over its mesh port about the records it holds: bucket digests of a partition, the entries of a
// bucket, records. Values only: store-client asks, and the planner interprets the answers.

/** Bucket digests in one partition; fixed in the server. */
export const BUCKETS = 256;

/** The 256 bucket digests of one partition exactly as the member encodes them: 256 LEB128 numbers, one
 *  character (0-255) for each byte. LEB128 is canonical, so equal texts are equal digests, and nothing has to
 *  be decoded to compare them. */
export type PartitionDigest = string;

/** A bucket without records has digest 0: a member that holds nothing of a partition, not even a tombstone, answers 256
 *  zeros. */
export const EMPTY_DIGEST: PartitionDigest = '\0'.repeat(BUCKETS);

/** One record of a bucket: a key, hash field, set member, list element and so on. All three are unsigned 64-bit
 *  numbers. A deletion is a record until gcGraceSeconds are over. */
export interface RecordMark {
  readonly hash: bigint;
  /** Only grows. */
  readonly version: bigint;
  readonly content: bigint;
}

/** The records of one bucket, in any order. An array is one; a member's answer takes a tenth of its memory. */
export interface RecordMarks extends Iterable<RecordMark> {
  readonly length: number;
}

/** A record as its member stores it. Users' data: never logged, never in a status or an event. */
export interface StoredRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** The records of a partition as a home sends them to a member that joins. Each was held at some moment while they were
 *  sent; together they are all only when something else shows it. */
export interface PartitionStream {
  /** In the order in which they came: up to STREAM_PAGE records each. A page larger than a frame is left out without a
   *  sign. */
  readonly pages: readonly (readonly StoredRecord[])[];
}

/** Records in every page but the last; fixed in the server. */
export const STREAM_PAGE = 256;

/** The pieces of a digest, one for each bucket, comparable as texts; undefined when it is not 256 canonical
 *  LEB128 numbers of 64 bits. */
export function bucketDigests(digest: PartitionDigest): readonly string[] | undefined {
  const buckets: string[] = [];
  let from = 0;
  for (let at = 0; at < digest.length; at += 1) {
    const byte = digest.charCodeAt(at);
    if (byte > 0xff || at - from > 9) return undefined;
    if (byte >= 0x80) continue;
    // The tenth byte carries one bit; a last byte of 0 would be a longer way to write the same number.
    if (at - from === 9 && byte > 1) return undefined;
    if (at > from && byte === 0) return undefined;
    buckets.push(digest.slice(from, at + 1));
    from = at + 1;
  }
  return from === digest.length && buckets.length === BUCKETS ? buckets : undefined;
}

/** The digest of a bucket without records. */
export const EMPTY_BUCKET = '\0';
