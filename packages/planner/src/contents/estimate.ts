// How many records does a member hold? Nobody says; how many of its buckets are empty tells it well enough for people (linear counting).

import { BUCKETS } from '@marekvs/api';

/** Records in a partition with so many empty buckets. Without an empty one there is no telling: as if half a bucket were (about 1,600),
 *  which is then the least it may be. */
function recordsOf(empty: number): number {
  return -BUCKETS * Math.log(Math.max(empty, 0.5) / BUCKETS);
}

const RECORDS = Float64Array.from({ length: BUCKETS + 1 }, (_, empty) => recordsOf(empty));

/** Rounded sum over partitions; 0 only when every bucket of every partition is empty.
 *  @param empties for each partition the number of its empty buckets, 0 to 256 */
export function estimateRecords(empties: Iterable<number>): number {
  let sum = 0;
  for (const empty of empties) sum += RECORDS[empty] ?? 0;
  return Math.round(sum);
}
