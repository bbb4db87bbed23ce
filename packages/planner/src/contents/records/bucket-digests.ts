// Reads the 256 bucket digests of a partition without splitting them into strings: a comparison sees tens of thousands
// of them.

import { BUCKETS, EMPTY_DIGEST, type PartitionDigest } from '@marekvs/api';

/** How many buckets hold no record; undefined when it is not a digest. Accepts exactly what `bucketDigests` accepts. */
export function emptyBuckets(digest: PartitionDigest): number | undefined {
  // The answer of a member for every partition of which it is no home.
  if (digest === EMPTY_DIGEST) return BUCKETS;
  let buckets = 0;
  let empty = 0;
  let length = 0; // of the number so far
  for (let at = 0; at < digest.length; at += 1) {
    const byte = digest.charCodeAt(at);
    length += 1;
    // 64 bits are nine bytes and one bit; no more.
    if (byte > 0xff || length > 10 || (length === 10 && byte > 1)) return undefined;
    if (byte >= 0x80) continue;
    if (byte === 0) {
      // A last byte of 0 after others would be a longer encoding of the same number.
      if (length > 1) return undefined;
      empty += 1;
    }
    buckets += 1;
    length = 0;
  }
  return length === 0 && buckets === BUCKETS ? empty : undefined;
}

/** The buckets in which the source holds something and the home something else, ascending. Both are digests by
 *  `emptyBuckets`. */
export function differingBuckets(source: PartitionDigest, home: PartitionDigest): Uint8Array {
  const differing: number[] = [];
  let at = 0;
  let homeAt = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const end = endOfNumber(source, at);
    const homeEnd = endOfNumber(home, homeAt);
    if (source.charCodeAt(at) !== 0 && !isSameText(source, at, end, home, homeAt, homeEnd)) differing.push(bucket);
    at = end;
    homeAt = homeEnd;
  }
  return Uint8Array.from(differing);
}

function endOfNumber(digest: PartitionDigest, from: number): number {
  let at = from;
  while (digest.charCodeAt(at) >= 0x80) at += 1;
  return at + 1;
}

function isSameText(a: string, from: number, to: number, b: string, otherFrom: number, otherTo: number): boolean {
  if (to - from !== otherTo - otherFrom) return false;
  for (let i = 0; i < to - from; i += 1) {
    if (a.charCodeAt(from + i) !== b.charCodeAt(otherFrom + i)) return false;
  }
  return true;
}
