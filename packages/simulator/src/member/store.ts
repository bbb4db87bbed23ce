// The versions one member holds, per partition, with a root hash for anti-entropy. Applies last-writer-wins and nothing
// else; who may send what is decided by replication, anti-entropy and bootstrap.

import { partitionCount, rootCacheMs } from './constants.ts';
import { partitionOf } from './keys.ts';
import type { Version, VersionMark } from './messages.ts';

interface Partition {
  readonly versions: Map<string, Version>;
  hashLow: number;
  hashHigh: number;
  /** Undefined = written since the root was last computed. */
  scannedAtMs: number | undefined;
}

export class Store {
  readonly #partitions: (Partition | undefined)[] = new Array<Partition | undefined>(partitionCount).fill(undefined);
  readonly #onScan: () => void;
  #bytes = 0;

  /** `onScan` is told of every root that was not cached (`ae_digest_scans_total`). */
  constructor(onScan: () => void) {
    this.#onScan = onScan;
  }

  get(key: string): Version | undefined {
    return this.#partitions[partitionOf(key)]?.versions.get(key);
  }

  /** True when `version` was newer than what was held, and is held now. */
  apply(version: Version): boolean {
    const partition = this.#partitionFor(version.key);
    const held = partition.versions.get(version.key);
    if (held !== undefined && !isNewer(version, held)) return false;
    if (held !== undefined) this.#mix(partition, held, -1);
    partition.versions.set(version.key, version);
    this.#mix(partition, version, 1);
    return true;
  }

  drop(key: string): void {
    const partition = this.#partitions[partitionOf(key)];
    const held = partition?.versions.get(key);
    if (partition === undefined || held === undefined) return;
    partition.versions.delete(key);
    this.#mix(partition, held, -1);
  }

  isEmpty(partition: number): boolean {
    return (this.#partitions[partition]?.versions.size ?? 0) === 0;
  }

  versionsOf(partition: number): Iterable<Version> {
    return this.#partitions[partition]?.versions.values() ?? [];
  }

  marksOf(partition: number): VersionMark[] {
    return Array.from(this.versionsOf(partition), ({ key, clock, origin }) => [key, clock, origin] as const);
  }

  /** 0 if and only if the partition is empty. */
  rootOf(partition: number, nowMs: number): number {
    const held = this.#partitions[partition];
    if (held === undefined) return 0;
    if (held.scannedAtMs === undefined || nowMs - held.scannedAtMs > rootCacheMs) {
      held.scannedAtMs = nowMs;
      this.#onScan();
    }
    if (held.versions.size === 0) return 0;
    return (held.hashHigh >>> 11) * 0x1_0000_0000 + (held.hashLow >>> 0) || 1;
  }

  /** Partitions that hold anything, tombstones included. */
  *held(): Iterable<number> {
    for (let partition = 0; partition < partitionCount; partition += 1) if (!this.isEmpty(partition)) yield partition;
  }

  /** Keys clients can see. Scans everything, like DBSIZE. */
  liveKeys(): number {
    let keys = 0;
    for (const partition of this.#partitions) {
      for (const version of partition?.versions.values() ?? []) {
        if (!version.isDead && !version.key.startsWith('\0')) keys += 1;
      }
    }
    return keys;
  }

  bytes(): number {
    return this.#bytes;
  }

  #partitionFor(key: string): Partition {
    const index = partitionOf(key);
    const known = this.#partitions[index];
    if (known !== undefined) return known;
    const created: Partition = { versions: new Map(), hashLow: 0, hashHigh: 0, scannedAtMs: undefined };
    this.#partitions[index] = created;
    return created;
  }

  #mix(partition: Partition, version: Version, sign: 1 | -1): void {
    const hash = hashOf(version);
    partition.hashLow ^= hash;
    partition.hashHigh ^= Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    partition.scannedAtMs = undefined;
    this.#bytes += sign * sizeOf(version);
  }
}

export function isNewer(a: { clock: number; origin: number }, b: { clock: number; origin: number }): boolean {
  return a.clock > b.clock || (a.clock === b.clock && a.origin > b.origin);
}

/** Bytes of one version on disk and in a frame, about. */
export function sizeOf(version: Version): number {
  return version.key.length + version.value.length + 32;
}

/** FNV-1a over key, clock and origin; the value follows from these. */
function hashOf(version: Version): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < version.key.length; at += 1) {
    hash = Math.imul(hash ^ version.key.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (version.clock % 0x1_0000_0000), 0x01000193);
  hash = Math.imul(hash ^ Math.floor(version.clock / 0x1_0000_0000), 0x01000193);
  return Math.imul(hash ^ version.origin, 0x01000193) ^ (hash >>> 13);
}
