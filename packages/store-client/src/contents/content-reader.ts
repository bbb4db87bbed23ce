// The port to a member's contents: everything that may be asked over its mesh port. Reads only. The planner interprets
// the answers.

import type { PartitionDigest, RecordMark, RecordState } from '@marekvs/api';
import type { MemberAddress } from '../address.ts';
import type { CallOptions } from '../store-client.ts';

/** The node number with which we send Hello; no member has it. */
export const OBSERVER_NODE = 65_535;

/** Most partitions in one call of `digests`, which are as many outstanding questions at a member. */
export const MAX_PARTITIONS = 64;
/** Most buckets in one call of `entries`: each costs the member a scan of the whole partition. */
export const MAX_BUCKETS = 8;

/** One connection to one process of a member, kept alive until it is closed or fails. One call at a time. The member
 *  computed every answer after the call began, whatever other observers ask under the same number. After a failure the
 *  connection is closed and every further call rejects with that failure. All calls throw StoreUnreachableError
 *  (refused, closed, or no complete answer in time), StoreProtocolError (not the answer of a member, or of another
 *  member than the one expected), StoreTooLargeError; the reason of an aborted signal. */
export interface ContentReader {
  /** The bucket digests of these partitions, in their order; at most MAX_PARTITIONS partitions, each once. */
  digests(partitions: readonly number[], options?: CallOptions): Promise<readonly PartitionDigest[]>;
  /** The records of these buckets; at most MAX_BUCKETS buckets, each once.
   *  @param own the member's own digest of the partition, read a moment ago */
  entries(
    partition: number,
    buckets: readonly number[],
    own: PartitionDigest,
    options?: CallOptions,
  ): Promise<ReadonlyMap<number, readonly RecordMark[]>>;
  /** The kind of a record and what it has merged; undefined when the member does not have the record any more, its kind
   *  is unknown, or it is larger than a frame. Trap: answers name no hash, so the answer may be another record of the
   *  partition that another observer asked for under our number. It is the requested record only if its version is that
   *  in the entries, or a newer one after a change. */
  record(partition: number, bucket: number, hash: bigint, options?: CallOptions): Promise<RecordState | undefined>;
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
