// The versions one member holds, per partition, with a root hash for anti-entropy and the digests that observers may
// ask for. merging.ts decides which version of a key is kept; replication, anti-entropy and bootstrap decide what is
// sent.

import { EMPTY_DIGEST, type PartitionDigest } from '@marekvs/api';
import { partitionCount, rootCacheMs } from '../basics/constants.ts';
import type { Version, VersionMark } from '../basics/messages.ts';
import { isHeadKey, partitionOf, splitKey } from './keys.ts';
import { merge } from './merging.ts';
import { partitionDigest } from './partition-digest.ts';
import { contentHash, recordHash } from './record-hash.ts';

interface Partition {
  readonly versions: Map<string, Version>;
  /** Undefined since the last write. */
  digest: PartitionDigest | undefined;
  hashLow: number;
  hashHigh: number;
}

interface RootList {
  readonly writes: number;
  readonly oldestScanMs: number;
  readonly roots: readonly number[];
}

/** No root was computed since the last write. */
const unscanned = Number.NEGATIVE_INFINITY;
/** Nothing was ever written to the partition, so there is nothing to scan. */
const untouched = Number.POSITIVE_INFINITY;

export class Store {
  readonly #partitions: (Partition | undefined)[] = new Array<Partition | undefined>(partitionCount).fill(undefined);
  /** Kept apart from the versions, since every round of anti-entropy reads all roots and nothing else. */
  readonly #roots = new Float64Array(partitionCount);
  readonly #scannedAtMs = new Float64Array(partitionCount).fill(untouched);
  readonly #onScan: () => void;
  readonly #rootLists = new WeakMap<readonly number[], RootList>();
  /** Rises with every change of any partition. */
  #writes = 0;
  #bytes = 0;
  readonly #tombstones = new Set<Version>();
  readonly #expiring = new Set<Version>();

  /** `onScan` is called for every root that was not cached (`ae_digest_scans_total`). */
  constructor(onScan: () => void) {
    this.#onScan = onScan;
  }

  get(key: string): Version | undefined {
    return this.#partitions[partitionOf(key)]?.versions.get(key);
  }

  /** The version that is held now; undefined when nothing changed. */
  apply(version: Version): Version | undefined {
    const index = partitionOf(version.key);
    const partition = this.#partitionAt(index);
    const held = partition.versions.get(version.key);
    const kept = held === undefined ? version : merge(held, version);
    if (kept === held) return undefined;
    if (held !== undefined) this.#mix(partition, held, -1);
    partition.versions.set(version.key, kept);
    this.#mix(partition, kept, 1);
    this.#written(index, partition);
    return kept;
  }

  drop(key: string): void {
    const index = partitionOf(key);
    const partition = this.#partitions[index];
    const held = partition?.versions.get(key);
    if (partition === undefined || held === undefined) return;
    partition.versions.delete(key);
    this.#mix(partition, held, -1);
    this.#written(index, partition);
  }

  isEmpty(partition: number): boolean {
    return this.sizeOf(partition) === 0;
  }

  /** Records of a partition, tombstones included. */
  sizeOf(partition: number): number {
    return this.#partitions[partition]?.versions.size ?? 0;
  }

  versionsOf(partition: number): Iterable<Version> {
    return this.#partitions[partition]?.versions.values() ?? [];
  }

  marksOf(partition: number): VersionMark[] {
    return Array.from(this.versionsOf(partition), markOf);
  }

  /** Cached until the next write to the partition. */
  digestOf(partition: number): PartitionDigest {
    const held = this.#partitions[partition];
    if (held === undefined) return EMPTY_DIGEST;
    held.digest ??= partitionDigest(held.versions.values());
    return held.digest;
  }

  /** The records of one bucket. */
  bucketOf(partition: number, bucket: number): readonly Version[] {
    return Array.from(this.versionsOf(partition)).filter((version) => recordHash(version).bucket === bucket);
  }

  /** 0 if and only if the partition is empty. */
  rootOf(partition: number, nowMs: number): number {
    if (nowMs - (this.#scannedAtMs[partition] ?? untouched) > rootCacheMs) {
      this.#scannedAtMs[partition] = nowMs;
      this.#onScan();
    }
    return this.#roots[partition] ?? 0;
  }

  /** The roots of a list of partitions. Every round asks for the same list, mostly without a write in between: then the
   *  same array is returned, which callers must not change. */
  rootsOf(partitions: readonly number[], nowMs: number): readonly number[] {
    const known = this.#rootLists.get(partitions);
    if (known?.writes === this.#writes && nowMs - known.oldestScanMs <= rootCacheMs) return known.roots;
    const roots = this.rootsNow(partitions, nowMs);
    let oldestScanMs = untouched;
    for (const partition of partitions)
      oldestScanMs = Math.min(oldestScanMs, this.#scannedAtMs[partition] ?? untouched);
    this.#rootLists.set(partitions, { writes: this.#writes, oldestScanMs, roots });
    return roots;
  }

  /** As `rootsOf`, without the cache: for lists that are used once. */
  rootsNow(partitions: readonly number[], nowMs: number): readonly number[] {
    const roots = new Array<number>(partitions.length);
    let at = 0;
    for (const partition of partitions) {
      roots[at] = this.rootOf(partition, nowMs);
      at += 1;
    }
    return roots;
  }

  /** The partitions whose root differs from the given one. Allocates no list of own roots: every round compares
   *  thousands, and hardly any differs. */
  differing(partitions: readonly number[], roots: readonly number[], nowMs: number): readonly number[] {
    const differing: number[] = [];
    let at = 0;
    for (const partition of partitions) {
      if (this.rootOf(partition, nowMs) !== roots[at]) differing.push(partition);
      at += 1;
    }
    return differing;
  }

  /** Partitions that hold anything, tombstones included. */
  held(): number[] {
    const held: number[] = [];
    // A root is 0 exactly for an empty partition.
    for (let partition = 0; partition < partitionCount; partition += 1)
      if (this.#roots[partition] !== 0) held.push(partition);
    return held;
  }

  /** Keys clients can see. Scans everything, like DBSIZE. */
  liveKeys(): number {
    let keys = 0;
    for (const partition of this.#partitions) {
      for (const version of partition?.versions.values() ?? []) {
        if (!version.isDead && !version.key.startsWith('\0') && isWhole(version)) keys += 1;
      }
    }
    return keys;
  }

  /** In no order. A caller may drop versions while it iterates. */
  tombstones(): Iterable<Version> {
    return this.#tombstones;
  }

  /** Versions with an expiry. In no order; a caller may replace versions while it iterates. */
  expiring(): Iterable<Version> {
    return this.#expiring;
  }

  bytes(): number {
    return this.#bytes;
  }

  #partitionAt(index: number): Partition {
    const known = this.#partitions[index];
    if (known !== undefined) return known;
    const created: Partition = { versions: new Map(), digest: undefined, hashLow: 0, hashHigh: 0 };
    this.#partitions[index] = created;
    return created;
  }

  #mix(partition: Partition, version: Version, sign: 1 | -1): void {
    const hash = hashOf(version);
    partition.hashLow ^= hash;
    partition.hashHigh ^= Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    this.#bytes += sign * sizeOf(version);
    if (version.expiresAtMs !== undefined && !version.isDead) note(this.#expiring, version, sign);
    if (version.isDead) note(this.#tombstones, version, sign);
  }

  #written(index: number, partition: Partition): void {
    const { versions, hashLow, hashHigh } = partition;
    partition.digest = undefined;
    this.#roots[index] = versions.size === 0 ? 0 : (hashHigh >>> 11) * 0x1_0000_0000 + (hashLow >>> 0) || 1;
    this.#scannedAtMs[index] = unscanned;
    this.#writes += 1;
  }
}

/** Whether anti-entropy sends `version` to a member that shows `mark` of the record: it goes by the clock alone, and by
 *  the content only when the clocks are equal. Undefined: the member has no such record. */
export function isOffered(version: Version, mark: VersionMark | undefined): boolean {
  if (mark === undefined || version.clock !== mark[1]) return version.clock > (mark?.[1] ?? -1);
  return version.origin !== mark[2] || isOtherContent(version, mark);
}

/** The same the other way round: whether the member that shows `mark` has something to send. */
export function isWanted(mark: VersionMark, held: Version): boolean {
  if (held.clock !== mark[1]) return mark[1] > held.clock;
  return held.origin !== mark[2] || isOtherContent(held, mark);
}

/** Clock and origin determine the content of all other records. */
function isOtherContent(version: Version, mark: VersionMark): boolean {
  return mark[3] === undefined ? version.merged !== undefined : mark[3] !== contentHash(version);
}

/** Of a value that is made of many records, only the head counts as a key. */
function isWhole({ key }: Version): boolean {
  return isHeadKey(key) || splitKey(key).letter === 's';
}

function note(set: Set<Version>, version: Version, sign: 1 | -1): void {
  if (sign === 1) set.add(version);
  else set.delete(version);
}

function markOf(version: Version): VersionMark {
  const { key, clock, origin, merged } = version;
  return merged === undefined ? [key, clock, origin] : [key, clock, origin, contentHash(version)];
}

/** Approximate bytes of one version on disk and in a frame. */
export function sizeOf({ key, value, merged }: Version): number {
  const older = merged?.kind === 'element' ? 10 * (merged.live.length + merged.covered.length) : 0;
  return key.length + value.length + older + 32;
}

/** FNV-1a over key, clock and origin, which determine the value except for records that merge. */
function hashOf(version: Version): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < version.key.length; at += 1) {
    hash = Math.imul(hash ^ version.key.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (version.clock % 0x1_0000_0000), 0x01000193);
  hash = Math.imul(hash ^ Math.floor(version.clock / 0x1_0000_0000), 0x01000193);
  if (version.merged !== undefined) hash = Math.imul(hash ^ contentHash(version), 0x01000193);
  return Math.imul(hash ^ version.origin, 0x01000193) ^ (hash >>> 13);
}
