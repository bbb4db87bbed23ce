// The bucket digests of a partition, taken apart. A comparison that waits for a copy asks for the same buckets every
// second: a text seen lately is not taken apart again.

import { bucketDigests, type PartitionDigest } from '@marekvs/api';

type Pieces = ReturnType<typeof bucketDigests>;

/** About 2 KB each. */
const MAX_KEPT = 1_024;
const kept = new Map<PartitionDigest, Pieces>();

/** Undefined when it is no digest. Read-only and shared. */
export function bucketPieces(digest: PartitionDigest): Pieces {
  if (kept.has(digest)) return kept.get(digest);
  const pieces = bucketDigests(digest);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(digest, pieces);
  return pieces;
}
