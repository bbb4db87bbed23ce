// The known messages of the mesh between members: six that we may send, seven that we read. All other messages between
// members change data or start copies; they are left out on purpose.

import type { PartitionDigest, RecordMark } from '@marekvs/api';

/** Everything that an observer may send: each of these only reads. */
export type ObserverMessage =
  /** First on every connection; with the number that no member has. */
  | { readonly kind: 'hello' }
  /** "Is this your root?" */
  | { readonly kind: 'merkleRoot'; readonly partition: number; readonly root: bigint }
  /** "These are my buckets": answered with the entries of every bucket that differs. */
  | { readonly kind: 'merkleBuckets'; readonly partition: number; readonly digests: PartitionDigest }
  /** Answered with the records of these hashes. */
  | {
      readonly kind: 'requestKeys';
      readonly partition: number;
      readonly bucket: number;
      readonly hashes: readonly bigint[];
    }
  | { readonly kind: 'ping'; readonly nonce: bigint }
  | { readonly kind: 'pong'; readonly nonce: bigint };

/** The number of each message on the wire; fixed in the server, which only appends new ones. */
export const OBSERVER_VARIANTS = {
  hello: 0,
  merkleRoot: 11,
  merkleBuckets: 13,
  requestKeys: 16,
  ping: 21,
  pong: 22,
} as const satisfies Record<ObserverMessage['kind'], number>;

/** What a member sends to us. */
export type MemberMessage =
  | { readonly kind: 'hello'; readonly node: number }
  /** "That is my root." Proves nothing: it goes to the last observer that sent Hello with our number. */
  | { readonly kind: 'merkleRootMatch'; readonly partition: number }
  | { readonly kind: 'merkleBuckets'; readonly partition: number; readonly digests: PartitionDigest }
  | {
      readonly kind: 'bucketKeys';
      readonly partition: number;
      readonly bucket: number;
      readonly records: readonly RecordMark[];
    }
  /** `value` is a view of the frame, set when there is exactly one record; keys are not extracted at all. */
  | {
      readonly kind: 'repairOps';
      readonly partition: number;
      readonly count: number;
      readonly value: Uint8Array | undefined;
    }
  | { readonly kind: 'ping'; readonly nonce: bigint }
  | { readonly kind: 'pong'; readonly nonce: bigint }
  /** Not for us: skipped without decoding. */
  | { readonly kind: 'other'; readonly variant: number };
