// What members say to each other: gossip digests and mesh frames. Plain JSON values, never mutated once sent.
// How they travel (UDP and TCP, or function calls on a virtual clock) is a driver's business.

export type Phase = 'Joining' | 'Active' | 'Leaving';

/** One incarnation as gossip knows it: the key is id + generation + address (marekvs.md 3, "stale generations"). */
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

/** marekvs.md 10: these three keys and no others. */
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
}

/** key, clock, origin: enough to see who is newer without moving values. */
export type VersionMark = readonly [key: string, clock: number, origin: number];

export type MeshMessage =
  | { readonly kind: 'hello'; readonly id: number }
  | { readonly kind: 'ping' }
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
  | { readonly kind: 'fetched'; readonly request: number; readonly version: Version | null };

/** Why roots are compared: a home's round, a push-only probe of a partition not owned, or a pull-only rejoin (H1). */
export type RootProbe = 'home' | 'stranded' | 'rejoin';
