// What members send to each other: gossip digests and mesh frames. Plain JSON values, never mutated once sent. The
// transport (UDP and TCP, or function calls on a virtual clock) is up to the driver.

import type { PartitionDigest, RecordMark } from '@marekvs/api';

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

/** One stored version of a key. Last writer wins by (clock, origin). */
export interface Version {
  readonly key: string;
  readonly clock: number;
  readonly origin: number;
  /** Bytes as latin1. */
  readonly value: string;
  readonly isDead: boolean;
  /** Wall milliseconds of its expiry. Each member drops it without a tombstone when it next checks. */
  readonly expiresAtMs?: number;
  /** On counters and registers, which merge instead of replacing each other. `value` is what a client reads. */
  readonly merged?: Counter | Register;
}

export interface Counter {
  readonly kind: 'counter';
  /** The value it was last set to, and the write that set it. */
  readonly base: { readonly clock: number; readonly origin: number; readonly value: number };
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
  | { readonly kind: 'hello'; readonly id: number }
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
  | {
      readonly kind: 'records';
      readonly partition: number;
      readonly bucket: number;
      readonly hashes: readonly bigint[];
    };

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
  | { readonly kind: 'records'; readonly partition: number; readonly versions: readonly Version[] };

/** Why roots are compared: a home's round, a push-only probe of a partition not owned, or a pull-only rejoin (H1). */
export type RootProbe = 'home' | 'stranded' | 'rejoin';
