// The port to a member's contents: everything that may be asked over its mesh port. Reads only. The planner interprets
// the answers.

import type { PartitionDigest, PartitionStream, RecordMarks, StoredRecord } from '@marekvs/api';
import type { MemberAddress } from '../address.ts';
import type { CallOptions } from '../store-client.ts';

/** The node number with which we send Hello; no member has it. */
export const OBSERVER_NODE = 65_535;

/** Most partitions in one call of `digests`, which are as many outstanding questions at a member. */
export const MAX_PARTITIONS = 64;
/** Most buckets in one call of `entries`: each costs the member a scan of the whole partition. */
export const MAX_BUCKETS = 8;
/** Most records of one bucket, and of all the buckets of one call of `entries`: 1.5 MB in memory. A member holds so
 *  many in one bucket when it has billions, or when one key has millions of elements. */
export const MAX_BUCKET_ENTRIES = 16_384;
export const MAX_ENTRIES = 65_536;
/** Most records in one call of `records`. */
export const MAX_RECORDS = 1024;
/** Largest partition that `stream` takes, in records and in bytes on the wire: at most some 20 MB in memory. Sending
 *  one costs the member time with the square of the number. */
export const MAX_STREAM_RECORDS = 32_768;
export const MAX_STREAM_BYTES = 8 * 1024 * 1024;

/** One connection to one process of a member, kept alive until it is closed or fails. One call at a time. The member
 *  computed every answer after the call began, whatever other observers ask under the same number. After a failure the
 *  connection is closed and every further call rejects with that failure. All calls throw StoreUnreachableError
 *  (refused, closed, or no complete answer in time), StoreProtocolError (not the answer of a member, or of another
 *  member than the one expected), StoreTooLargeError; the reason of an aborted signal. */
export interface ContentReader {
  /** The bucket digests of these partitions, in their order; at most MAX_PARTITIONS partitions, each once. */
  digests(partitions: readonly number[], options?: CallOptions): Promise<readonly PartitionDigest[]>;
  /** The records of these buckets; at most MAX_BUCKETS buckets, each once. Buckets beyond MAX_ENTRIES records together
   *  are left out, never the first one to come: ask for them alone.
   *  @param own the member's own digest of the partition, read a moment ago
   *  @throws StoreTooLargeError also for a bucket of more than MAX_BUCKET_ENTRIES records */
  entries(
    partition: number,
    buckets: readonly number[],
    own: PartitionDigest,
    options?: CallOptions,
  ): Promise<ReadonlyMap<number, RecordMarks>>;
  /** The records of these hashes that the member has, in any order; at most MAX_RECORDS, each once. None at all when
   *  together they are larger than a frame. Trap: answers name no hash, so records of the partition that another
   *  observer asked for under our number may be among them; when two answers come, none is given. A record is one that
   *  was asked for only if its version is that in the entries. */
  records(
    partition: number,
    bucket: number,
    hashes: readonly bigint[],
    options?: CallOptions,
  ): Promise<readonly StoredRecord[]>;
  /** All records of a partition that fits into MAX_STREAM_RECORDS and MAX_STREAM_BYTES, over a second connection,
   *  opened when it is needed first. Undefined when the member stays silent: it is no home of the partition, or was
   *  asked for it under our number within the last 20 s. A failure closes only that second connection;
   *  StoreTooLargeError says nothing about the member. Trap: pages of a stream to another observer may be among
   *  them. */
  stream(partition: number, options?: CallOptions): Promise<PartitionStream | undefined>;
  /** Closes at once; idempotent. A call under way rejects as `closed`. */
  close(): void;
}

export interface ContentOptions extends CallOptions {
  /** The member that has to answer: one whose Hello has another number is refused. */
  readonly nodeId: number;
}

export interface ContentClient {
  /** Connects to the member's mesh port and sends Hello as OBSERVER_NODE.
   *  @throws as every call of a reader; RangeError for an address that is not IPv4 */
  open(address: MemberAddress, options: ContentOptions): Promise<ContentReader>;
}
