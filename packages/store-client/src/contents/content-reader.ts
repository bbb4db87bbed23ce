// The port to a member's contents: what may be asked over its mesh port and nothing more. Reads only. What the answers
// mean is decided in the planner.

import type { PartitionDigest, RecordMark, RecordState } from '@marekvs/api';
import type { MemberAddress } from '../address.ts';
import type { CallOptions } from '../store-client.ts';

/** The node number that no member has: under it we say Hello. */
export const OBSERVER_NODE = 65_535;

/** Most partitions in one call of `digests`: so many questions are outstanding at a member at once. */
export const MAX_PARTITIONS = 64;
/** Most buckets in one call of `entries`: each costs the member a scan of the whole partition. */
export const MAX_BUCKETS = 8;

/** One connection to one process of a member, kept alive until it is closed or fails. One call at a time. Every answer
 *  is true by itself: the member computed it after the call began, whatever else is asked under the same number. After
 *  any failure the connection is closed and every further call rejects with that failure. All calls throw
 *  StoreUnreachableError (refused, closed, or no complete answer in time), StoreProtocolError (not the answer of a
 *  member, or of another member than the one expected), StoreTooLargeError; the reason of an aborted signal. */
export interface ContentReader {
  /** The bucket digests of these partitions, in their order; at most MAX_PARTITIONS of them, each once. */
  digests(partitions: readonly number[], options?: CallOptions): Promise<readonly PartitionDigest[]>;
  /** The records of these buckets, at most MAX_BUCKETS of them, each once.
   *  @param own the member's own digest of the partition as it was read a moment ago */
  entries(
    partition: number,
    buckets: readonly number[],
    own: PartitionDigest,
    options?: CallOptions,
  ): Promise<ReadonlyMap<number, readonly RecordMark[]>>;
  /** What kind of record this is and what it has merged; undefined when the member does not have it any more, its kind
   *  is not known, or it is larger than a frame. Trap: answers name no hash, so it may be another record of the
   *  partition that somebody else asked for under our number. Its version tells: it is the record meant only if that is
   *  the version in the entries, or a newer one after a change. */
  record(partition: number, bucket: number, hash: bigint, options?: CallOptions): Promise<RecordState | undefined>;
  /** Closes at once; idempotent. A call under way rejects as `closed`. */
  close(): void;
}

export interface ContentOptions extends CallOptions {
  /** The member that has to answer there: one that says another number in its Hello is refused. */
  readonly nodeId: number;
}

export interface ContentClient {
  /** Connects to the member's mesh port and says Hello as OBSERVER_NODE.
   *  @throws as every call of a reader; RangeError for an address that is not IPv4 */
  open(address: MemberAddress, options: ContentOptions): Promise<ContentReader>;
}
