// How many records does a member hold? Nobody says; how many of its buckets are empty tells it well enough
// for people (linear counting).

import { BUCKETS } from '@marekvs/api';

/** Records in a partition by the number of its empty buckets, 0 to 256; nothing for none scanned. Without an empty
 *  bucket there is no telling: as if half a bucket were (about 1,600), which is then the least it may be. */
export function estimateRecords(empty: number): number {
  return RECORDS[empty] ?? 0;
}

const RECORDS = Float64Array.from({ length: BUCKETS + 1 }, (_, empty) => {
  return empty === BUCKETS ? 0 : -BUCKETS * Math.log(Math.max(empty, 0.5) / BUCKETS);
});
