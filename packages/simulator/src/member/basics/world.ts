// A simulated member's only access to the outside: time, randomness, sockets, disk and exit. Member code imports no
// timer, no socket and no Date; a driver (memory/ or process/) provides this port.

import type { GossipMessage, MeshMessage, Version } from './messages.ts';

export type CancelTimer = () => void;

export interface MemberWorld {
  /** Monotonic milliseconds in member time: real milliseconds times `speed`. */
  now(): number;
  /** Wall clock in milliseconds since 1970, never scaled. Used for generation, record clocks and `alive:last`. */
  wallNow(): number;
  /** How many times faster than the real server every timer runs. */
  readonly speed: number;
  /** Uniform in [0, 1). */
  random(): number;
  /** As if `random` had been called `count` times, but cheaper: for draws that cannot change anything. The sequence of
   *  random numbers stays the same. */
  skipRandom(count: number): void;
  /** Runs once after `delayMs` of member time, never synchronously. */
  after(delayMs: number, run: () => void): CancelTimer;
  /** Fire and forget, like a datagram: `to` is host:port. */
  sendGossip(to: string, message: GossipMessage): void;
  /** Opens a connection; `opened` gets undefined when refused. Never called synchronously. */
  dialMesh(to: string, opened: (link: MeshLink | undefined) => void): void;
  /** Addresses of a seed host; an empty list when the name is unknown. Never called synchronously. */
  resolve(host: string, found: (addresses: readonly string[]) => void): void;
  readonly disk: MemberDisk;
  /** Opens or closes the client port. */
  setRespOpen(isOpen: boolean): void;
  /** The process ends. Nothing of this member runs afterwards. */
  exit(code: number): void;
  log(line: string): void;
}

/** One mesh connection, seen from one side. */
export interface MeshLink {
  /** IP address of the other side. */
  readonly remoteHost: string;
  /** False when the frame was dropped. */
  send(message: MeshMessage): boolean;
  /** For drivers that transmit no pings: true while the other side is reachable. */
  isKeptAlive?(): boolean;
  close(): void;
}

/** The data folder. Everything written survives the process, not a wipe. */
export interface MemberDisk {
  read(name: DiskFile): string | undefined;
  write(name: DiskFile, text: string): void;
  remove(name: DiskFile): void;
  /** Every version stored by earlier processes on this folder. */
  loadVersions(): Iterable<Version>;
  storeVersion(version: Version): void;
  dropVersion(key: string): void;
  totalBytes(): number;
  availableBytes(): number;
}

/** What the folder contains besides records (docs/design/server.md#data-folder). */
export type DiskFile = 'alive:last' | 'peers:last' | 'join:pending' | 'cursors' | 'sequence' | 'generation';
