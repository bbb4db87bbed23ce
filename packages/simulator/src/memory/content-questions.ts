// The questions behind each call of a content reader over the in-memory network, and when its answer is complete.

import type { PartitionDigest, PartitionStream, RecordMark, StoredRecord } from '@marekvs/api';
import { StoreProtocolError, StoreTooLargeError } from '@marekvs/store-client';
import { maxFrameBytes } from '../member/basics/constants.ts';
import type { ContentAnswer, ContentQuestion } from '../member/basics/messages.ts';
import { bucketPieces } from '../member/records/bucket-pieces.ts';
import { frameBytes } from '../member/records/stored-record.ts';

/** One call in progress. */
export interface Inquiry<T> {
  readonly tried: string;
  readonly questions: readonly ContentQuestion[];
  /** Takes an answer if it belongs to this call; returns the result once that is complete.
   *  @throws StoreProtocolError, StoreTooLargeError */
  take(answer: ContentAnswer): { readonly value: T } | undefined;
}

export function digestsInquiry(partitions: readonly number[]): Inquiry<readonly PartitionDigest[]> {
  const found = new Array<PartitionDigest | undefined>(partitions.length).fill(undefined);
  let left = partitions.length;
  let at = -1;
  return {
    tried: 'MerkleRoot',
    questions: [{ kind: 'roots', partitions }],
    take(answer) {
      if (answer.kind === 'digest') return takeOne(answer.partition, answer.digest);
      if (answer.kind !== 'digests') return undefined;
      // Nearly always the answer to this very question; an answer to another observer's may overlap with it.
      let index = 0;
      for (const partition of answer.partitions) {
        const done = takeOne(partition, answer.digests[index] ?? '');
        if (done !== undefined) return done;
        index += 1;
      }
      return undefined;
    },
  };

  function takeOne(partition: number, digest: PartitionDigest) {
    // Answers come in the order of the questions, except those to other observers.
    at = partitions[at + 1] === partition ? at + 1 : partitions.indexOf(partition);
    if (at < 0) return undefined;
    // Equal digests are nearly always the same string, so comparing them is cheap.
    if (digest.length < 256) throw new StoreProtocolError('want 256 bucket digests', { tried: 'MerkleRoot' });
    if (found[at] === undefined) left -= 1;
    found[at] = digest;
    return left > 0 ? undefined : { value: found.map((one) => one ?? '') };
  }
}

export function entriesInquiry(
  partition: number,
  buckets: readonly number[],
  own: PartitionDigest,
): Inquiry<ReadonlyMap<number, readonly RecordMark[]>> {
  if (bucketPieces(own) === undefined) throw new RangeError(`own digest of partition ${partition}: not 256 numbers`);
  const found = new Map<number, readonly RecordMark[]>();
  return {
    tried: 'MerkleBuckets',
    questions: [{ kind: 'buckets', partition, digest: own, changed: buckets }],
    take(answer) {
      if (answer.kind !== 'entries' || answer.partition !== partition || !buckets.includes(answer.bucket))
        return undefined;
      found.set(answer.bucket, answer.entries);
      return found.size < buckets.length ? undefined : { value: found };
    },
  };
}

/** A member sends no answer for records that it lacks or that are together larger than a frame. So the partition's root
 *  is asked next: answers come in the order of the questions, and the root's ends the call. */
export function recordsInquiry(
  partition: number,
  bucket: number,
  hashes: readonly bigint[],
): Inquiry<readonly StoredRecord[]> {
  const found: (readonly StoredRecord[])[] = [];
  // Of two answers one is another observer's, and nothing tells which.
  const done = () => ({ value: found.length === 1 ? (found[0] ?? []) : [] });
  return {
    tried: 'RequestKeys',
    questions: [
      { kind: 'records', partition, bucket, hashes },
      { kind: 'root', partition, root: undefined },
    ],
    take(answer) {
      if (answer.kind === 'digests') return answer.partitions.includes(partition) ? done() : undefined;
      if (answer.partition !== partition) return undefined;
      if (answer.kind === 'records') found.push(checkedFrame(answer.records));
      return answer.kind === 'digest' ? done() : undefined;
    },
  };
}

export function streamInquiry(partition: number): Inquiry<PartitionStream> {
  const pages: (readonly StoredRecord[])[] = [];
  return {
    tried: 'BootstrapReq',
    questions: [{ kind: 'stream', partition }],
    take(answer) {
      if (answer.kind === 'page' && answer.partition === partition) pages.push(checkedFrame(answer.records));
      return answer.kind === 'done' && answer.partition === partition ? { value: { pages } } : undefined;
    },
  };
}

/** On a wire, the frame's length tells. */
function checkedFrame(records: readonly StoredRecord[]): readonly StoredRecord[] {
  const bytes = frameBytes(records);
  if (bytes > maxFrameBytes) throw new StoreTooLargeError(maxFrameBytes, `a frame of ${bytes} bytes`);
  return records;
}
