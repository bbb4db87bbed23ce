// The port to a member: everything that the operator may ask. Each call is one short exchange with one time limit. The
// planner interprets the answers; member-client.ts has the sockets.

import type { MemberAddress } from './address.ts';
import type { ClusterInfo } from './cluster-info.ts';
import type { MemberLine } from './cluster-nodes.ts';
import type { StoreError } from './errors.ts';
import type { MemberGlance } from './member-glance.ts';
import type { MemberMetrics } from './member-metrics.ts';
import type { RespValue } from './resp-value.ts';

export interface CallOptions {
  /** Stops the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** For the whole exchange, connecting included. Default: the client's. */
  readonly timeoutMs?: number | undefined;
  /** Most members that a list may name, which bounds the bytes that are taken of it; default 4000. */
  readonly maxMembers?: number | undefined;
  /** Called when the member accepted the password of the address, so that it does require this one. A member without a
   *  password answers as well, but does not cause this call. */
  readonly onGuarded?: (() => void) | undefined;
}

export interface StoreClientOptions {
  /** For a whole exchange, connecting included; default 3000. */
  readonly timeoutMs?: number | undefined;
  /** Most bytes taken from one exchange; default 4 MiB. Figures and lists are small and have limits of their own. */
  readonly maxBytes?: number | undefined;
  /** Local IPv4 address to connect from. */
  readonly localAddress?: string | undefined;
}

export type Outcome<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: StoreError };

/** What a member reports about the cluster, read in one connection. */
export interface MemberView {
  readonly nodes: readonly MemberLine[];
  /** Read first: as long as its epoch is unchanged, the list is, too. */
  readonly info: ClusterInfo;
}

/** A full poll. The two parts fail independently: a joining member answers `/metrics` and refuses RESP. */
export interface MemberPoll {
  readonly metrics: Outcome<MemberMetrics>;
  readonly view: Outcome<MemberView>;
}

/** INFO with a section only: bare INFO and `keyspace` scan the whole store on shard 0 (docs/design/server.md#resp). */
export type InfoSection = 'server' | 'cluster' | 'replication' | 'clients';

export type Bytes = string | Uint8Array;

/** What a session may send. DBSIZE, KEYS, SCAN, bare INFO, CONFIG GET and SHUTDOWN are left out on purpose. */
export type StoreCommand =
  | readonly ['PING']
  | readonly ['GET' | 'EXISTS', key: Bytes]
  | readonly ['SET', key: Bytes, value: Bytes]
  | readonly ['DEL', key: Bytes, ...keys: Bytes[]]
  | readonly ['CLUSTER', 'NODES' | 'INFO' | 'SLOTS' | 'MYID']
  | readonly ['INFO', section: InfoSection]
  | readonly ['CONFIG', 'SET', 'requirepass', password: string];

/** A RESP connection for a burst of commands. The caller closes it; it also closes itself on any failure. */
export interface StoreSession extends AsyncDisposable {
  /** Sends all commands, in slices that never exceed the server's buffers, and returns the replies in order; error
   *  replies are values. One time limit per slice.
   *  @throws StoreUnreachableError, StoreProtocolError, StoreTooLargeError; the session is then closed */
  commands(list: readonly StoreCommand[], options?: CallOptions): Promise<readonly RespValue[]>;
  close(): void;
}

/** All methods throw StoreUnreachableError (no complete answer in time), StoreProtocolError (not the answer of a
 *  member), StoreTooLargeError, the RESP ones also StoreAuthError; RangeError for an address that is not IPv4. */
export interface StoreClient {
  /** Asks one member to leave placement. Idempotent. Resolves when accepted, not when data has moved. Only a restart
   *  undoes it. */
  drain(address: MemberAddress, options?: CallOptions): Promise<void>;
  metrics(address: MemberAddress, options?: CallOptions): Promise<MemberMetrics>;
  nodes(address: MemberAddress, options?: CallOptions): Promise<readonly MemberLine[]>;
  clusterInfo(address: MemberAddress, options?: CallOptions): Promise<ClusterInfo>;
  /** The smallest answer that shows whether anything has changed: half a kilobyte, in one connection. */
  glance(address: MemberAddress, options?: CallOptions): Promise<MemberGlance>;
  /** Metrics, CLUSTER NODES and CLUSTER INFO at once, over two connections. Rejects only for an abort or a bad
   *  address. */
  poll(address: MemberAddress, options?: CallOptions): Promise<MemberPoll>;
  /** Connects and authenticates. */
  session(address: MemberAddress, options?: CallOptions): Promise<StoreSession>;
}
