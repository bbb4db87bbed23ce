// The known messages of the mesh between members: seven that we may send, nine that we read. All other messages between
// members change data; they are left out on purpose.

import type { PartitionDigest, RecordMarks, StoredRecord } from '@marekvs/api';

/** Everything that an observer may send: each of these only reads. */
export type ObserverMessage =
  /** First on every connection; with the number that no member has. */
  | { readonly kind: 'hello'; readonly connection: ConnectionKind }
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
  /** "Send me this partition." Changes nothing at the member that is asked. */
  | { readonly kind: 'bootstrapReq'; readonly partition: number }
  | { readonly kind: 'ping'; readonly nonce: bigint }
  | { readonly kind: 'pong'; readonly nonce: bigint };

/** Answers come on the `control` connection, streams on the `bulk` connection of the same node number. */
export type ConnectionKind = keyof typeof CONNECTION_KINDS;
export const CONNECTION_KINDS = { control: 0, bulk: 1 } as const;

/** The number of each message on the wire; fixed in the server, which only appends new ones. */
export const OBSERVER_VARIANTS = {
  hello: 0,
  merkleRoot: 11,
  merkleBuckets: 13,
  requestKeys: 16,
  bootstrapReq: 17,
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
      readonly records: RecordMarks;
    }
  /** Keys and values are views of the frame. */
  | {
      readonly kind: 'repairOps' | 'bootstrapChunk';
      readonly partition: number;
      readonly records: readonly StoredRecord[];
    }
  | { readonly kind: 'bootstrapDone'; readonly partition: number }
  | { readonly kind: 'ping'; readonly nonce: bigint }
  | { readonly kind: 'pong'; readonly nonce: bigint }
  /** Not for us: skipped without decoding. */
  | { readonly kind: 'other'; readonly variant: number };

/** What the first bytes of a message tell, without decoding it. */
export type MessageHead =
  | { readonly kind: 'merkleRootMatch' | 'merkleBuckets' | 'bootstrapDone'; readonly partition: number }
  | { readonly kind: 'bucketKeys'; readonly partition: number; readonly bucket: number; readonly count: number }
  | { readonly kind: 'repairOps' | 'bootstrapChunk'; readonly partition: number; readonly count: number }
  | { readonly kind: 'hello' | 'ping' | 'pong' | 'other' };
