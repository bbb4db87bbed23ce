// Splits the digest of a partition into those of its buckets. A comparison that waits for a copy asks for the same
// buckets every second, so recent results are cached.

import { bucketDigests, type PartitionDigest } from '@marekvs/api';

type Pieces = ReturnType<typeof bucketDigests>;

/** About 2 KB each. */
const MAX_KEPT = 1_024;
const kept = new Map<PartitionDigest, Pieces>();

/** Undefined when the text is no digest. The result is shared and read-only. */
export function bucketPieces(digest: PartitionDigest): Pieces {
  if (kept.has(digest)) return kept.get(digest);
  const pieces = bucketDigests(digest);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(digest, pieces);
  return pieces;
}
