// What members send to each other: gossip digests and mesh frames. Plain JSON values, never mutated once sent. The
// transport (UDP and TCP, or function calls on a virtual clock) is up to the driver.

import type { PartitionDigest, RecordMark, StoredRecord } from '@marekvs/api';

export type Phase = 'Joining' | 'Active' | 'Leaving';

/** One incarnation as gossip knows it: the key is id + generation + address (docs/design/server.md#generations). */
export interface GossipEntry {
  readonly id: number;
  readonly generation: number;
  /** host:port of the gossip listener. */
  readonly address: string;
  readonly heartbeat: number;
  /** Rises with every change of `values`. */
  readonly version: number;
  readonly values: GossipValues;
}

/** docs/design/server.md#gossip: these three keys and no others. */
export interface GossipValues {
  readonly mesh_addr: string;
  readonly resp_addr: string;
  readonly state: Phase;
}

export interface GossipMessage {
  readonly cluster: string;
  readonly isReply: boolean;
  readonly from: string;
  readonly entries: readonly GossipEntry[];
}

/** A write: the hybrid clock of the member that took it, and that member. */
export interface Stamp {
  readonly clock: number;
  readonly origin: number;
}

/** One stored version of a record. What becomes of two versions is decided in merging.ts. */
export interface Version extends Stamp {
  /** Of strings and counters what clients call the key; of other records also their kind and part (keys.ts). */
  readonly key: string;
  /** What a client reads; bytes as latin1. */
  readonly value: string;
  readonly isDead: boolean;
  /** Wall milliseconds of its expiry, after which a member that notices replaces it by a tombstone (expiry.ts). */
  readonly expiresAtMs?: number;
  /** On records that merge instead of replacing each other. */
  readonly merged?: Element | Counter | Register;
}

/** A hash field, a member of a set or sorted set, or a part of a JSON document: an observed-remove set of values. Both
 *  lists are sorted, newest first. */
export interface Element {
  readonly kind: 'element';
  /** The newest is read. A write covers none of the others. */
  readonly live: readonly Dot[];
  /** Writes that were deleted: they never come back. */
  readonly covered: readonly Stamp[];
}

export interface Dot extends Stamp {
  /** Bytes as latin1. */
  readonly value: string;
}

export interface Counter {
  readonly kind: 'counter';
  /** The value it was last set to, and the write that set it. */
  readonly base: Stamp & { readonly value: number };
  /** The counts of each member since then, sorted by id. */
  readonly slots: readonly CounterSlot[];
}

export interface CounterSlot {
  readonly id: number;
  readonly increments: number;
  readonly decrements: number;
}

/** A HyperLogLog register. */
export interface Register {
  readonly kind: 'register';
  readonly rank: number;
}

/** key, clock, origin: enough to tell which is newer without moving values. For records that merge also a hash of the
 *  content, since the newer one may lack what only the older one counted. */
export type VersionMark = readonly [key: string, clock: number, origin: number, content?: number];

export type MeshMessage =
  /** Only observers have connections of the bulk kind here, for streams. */
  | { readonly kind: 'hello'; readonly id: number; readonly isBulk?: boolean }
  /** With a nonce when an answer is wanted. */
  | { readonly kind: 'ping'; readonly nonce?: bigint }
  | { readonly kind: 'pong'; readonly nonce: bigint }
  | { readonly kind: 'resume-from'; readonly sequence: number }
  | {
      readonly kind: 'push';
      readonly sequence: number;
      readonly versions: readonly Version[];
    }
  | { readonly kind: 'push-ack'; readonly sequence: number }
  | {
      readonly kind: 'roots';
      readonly probe: RootProbe;
      readonly partitions: readonly number[];
      readonly roots: readonly number[];
    }
  | {
      readonly kind: 'marks';
      readonly probe: RootProbe;
      readonly partition: number;
      readonly marks: readonly VersionMark[];
    }
  | {
      readonly kind: 'matches';
      readonly probe: RootProbe;
      readonly partitions: readonly number[];
    }
  | { readonly kind: 'request-keys'; readonly partition: number; readonly keys: readonly string[] }
  | { readonly kind: 'repair'; readonly partition: number; readonly versions: readonly Version[] }
  | { readonly kind: 'bootstrap-request'; readonly isJoining: boolean; readonly partitions: readonly number[] }
  | { readonly kind: 'bootstrap-refused'; readonly partitions: readonly number[] }
  | {
      readonly kind: 'bootstrap-chunk';
      readonly done: readonly number[];
      readonly versions: readonly Version[];
    }
  | { readonly kind: 'fetch'; readonly request: number; readonly key: string }
  | { readonly kind: 'fetched'; readonly request: number; readonly version: Version | null }
  | { readonly kind: 'asked'; readonly questions: readonly ContentQuestion[] }
  | { readonly kind: 'answered'; readonly answers: readonly ContentAnswer[] };

/** What an observer may ask. */
export type ContentQuestion =
  /** Is this your root? Undefined stands for a root that never matches. */
  | { readonly kind: 'root'; readonly partition: number; readonly root: bigint | undefined }
  /** The same for many partitions, with roots that never match: one frame each on a wire, otherwise one question. */
  | { readonly kind: 'roots'; readonly partitions: readonly number[] }
  /** These are my digests: which records do you have in the buckets that differ? Buckets in `changed` always count as
   *  different. */
  | {
      readonly kind: 'buckets';
      readonly partition: number;
      readonly digest: PartitionDigest;
      readonly changed: readonly number[];
    }
  /** All that there is of a list is one answer. */
  | {
      readonly kind: 'records';
      readonly partition: number;
      readonly bucket: number;
      readonly hashes: readonly bigint[];
    }
  /** The whole partition, in pages, over the bulk connection. */
  | { readonly kind: 'stream'; readonly partition: number };

export type ContentAnswer =
  | { readonly kind: 'match'; readonly partition: number }
  | { readonly kind: 'digest'; readonly partition: number; readonly digest: PartitionDigest }
  /** The answer to `roots`, one digest per partition. */
  | { readonly kind: 'digests'; readonly partitions: readonly number[]; readonly digests: readonly PartitionDigest[] }
  | {
      readonly kind: 'entries';
      readonly partition: number;
      readonly bucket: number;
      readonly entries: readonly RecordMark[];
    }
  /** `page`: of a stream, which ends with `done`. */
  | { readonly kind: 'records' | 'page'; readonly partition: number; readonly records: readonly StoredRecord[] }
  | { readonly kind: 'done'; readonly partition: number };

/** Why roots are compared: a home's round, a push-only probe of a partition not owned, or a pull-only rejoin (H1). */
export type RootProbe = 'home' | 'stranded' | 'rejoin';
