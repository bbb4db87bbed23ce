// The 256 bucket digests of one partition in the form in which members exchange them. Pure.

import { BUCKETS, EMPTY_DIGEST, type PartitionDigest } from '@marekvs/api';
import type { Version } from '../basics/messages.ts';
import { recordHash } from './record-hash.ts';

/** Independent of the order of the versions. */
export function partitionDigest(versions: Iterable<Version>): PartitionDigest {
  const buckets = new Map<number, { high: number; low: number }>();
  for (const version of versions) {
    const { bucket, mixedHigh, mixedLow } = recordHash(version);
    const sum = buckets.get(bucket);
    if (sum === undefined) {
      buckets.set(bucket, { high: mixedHigh, low: mixedLow });
    } else {
      sum.high ^= mixedHigh;
      sum.low ^= mixedLow;
    }
  }
  if (buckets.size === 0) return EMPTY_DIGEST;
  // Nearly all buckets of nearly all partitions are empty, so zeros come in runs.
  const pieces: string[] = [];
  let next = 0;
  for (const [bucket, { high, low }] of [...buckets].sort(([a], [b]) => a - b)) {
    pieces.push(EMPTY_DIGEST.slice(next, bucket), leb128(high, low));
    next = bucket + 1;
  }
  pieces.push(EMPTY_DIGEST.slice(next, BUCKETS));
  return pieces.join('');
}

/** An unsigned 64-bit number, given as two halves, in LEB128: one character per byte. */
export function leb128(high: number, low: number): string {
  let [above, below] = [high >>> 0, low >>> 0];
  let text = '';
  for (;;) {
    const byte = below & 0x7f;
    below = ((below >>> 7) | (above << 25)) >>> 0;
    above >>>= 7;
    if (above === 0 && below === 0) return text + String.fromCharCode(byte);
    text += String.fromCharCode(byte | 0x80);
  }
}
