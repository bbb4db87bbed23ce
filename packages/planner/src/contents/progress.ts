// How far the sweeps are: which partitions of which source are covered, since when, and by which digest. Memory: 3
// bytes for each partition of each source; when kept fresh, also the covered digests of partitions with records: 0.3 kB
// each with one record, 2.4 kB with thousands; at most 10 MB a source.

import { BUCKETS, EMPTY_DIGEST, PARTITIONS, type PartitionDigest } from '@marekvs/api';
import type { Diverging } from './judged.ts';

const NOT_SEEN = 0xffff;

/** Sources are numbered from 0 here. */
export class Progress {
  readonly partitionsTotal: number;
  readonly #isCovered: Uint8Array;
  readonly #empties: Uint16Array;
  readonly #notSeen: number[];
  readonly #records: number[];
  readonly #digests: Map<number, PartitionDigest> | undefined;
  /** Keys of the registers that diverge, where there are any. */
  readonly #diverging = new Map<number, Diverging>();
  #left: number;
  #open = 0;
  /** Something was found missing in this sweep, which therefore has to wait. */
  #wasOpen = false;
  #beganAtMs: number;
  #coveredAtMs: number | undefined;
  #sweptAtMs: number | undefined;
  #scannedAtMs: number | undefined;

  constructor(sources: number, isKeptFresh: boolean, nowMs: number) {
    this.partitionsTotal = sources * PARTITIONS;
    this.#isCovered = new Uint8Array(this.partitionsTotal);
    this.#empties = new Uint16Array(this.partitionsTotal).fill(NOT_SEEN);
    this.#notSeen = new Array<number>(sources).fill(PARTITIONS);
    this.#records = new Array<number>(sources).fill(0);
    this.#digests = isKeptFresh ? new Map() : undefined;
    this.#left = this.partitionsTotal;
    this.#beganAtMs = nowMs;
    if (this.#left === 0) this.#end(nowMs);
  }

  /** Nothing is left to compare in this sweep. */
  get isIdle(): boolean {
    return this.#left === 0;
  }

  begin(nowMs: number): void {
    this.#beganAtMs = nowMs;
    this.#wasOpen = this.#open > 0;
    this.#isCovered.fill(0);
    this.#left = this.partitionsTotal;
    if (this.#left === 0) this.#end(nowMs);
  }

  isCovered(source: number, partition: number): boolean {
    return this.#isCovered[source * PARTITIONS + partition] === 1;
  }

  /** Whether no source has anything of this partition left to compare in this sweep. */
  isCoveredByAll(partition: number): boolean {
    for (let at = partition; at < this.partitionsTotal; at += PARTITIONS) if (this.#isCovered[at] !== 1) return false;
    return true;
  }

  /** Whether this digest is the one that was covered last. */
  isKnown(source: number, partition: number, digest: PartitionDigest): boolean {
    return this.#digests?.get(source * PARTITIONS + partition) === digest;
  }

  saw(source: number, partition: number, empties: number, nowMs: number): void {
    const at = source * PARTITIONS + partition;
    const before = this.#empties[at] ?? NOT_SEEN;
    if (before === empties) return;
    this.#records[source] = (this.#records[source] ?? 0) + estimateRecords(empties) - estimateRecords(before);
    if (before === NOT_SEEN) {
      this.#notSeen[source] = (this.#notSeen[source] ?? 0) - 1;
      if (this.#notSeen.every((left) => left === 0)) this.#scannedAtMs = nowMs;
    }
    this.#empties[at] = empties;
  }

  /** @param digest what was covered; undefined when the source changed meanwhile
   *  @param diverging keys of registers that are covered only as far as they ever are: the homes are asked again */
  cover(
    source: number,
    partition: number,
    digest: PartitionDigest | undefined,
    diverging: Diverging,
    nowMs: number,
  ): void {
    const at = source * PARTITIONS + partition;
    this.#isCovered[at] = 1;
    this.#left -= 1;
    if (diverging.length > 0) this.#diverging.set(at, diverging);
    else this.#diverging.delete(at);
    if (digest === undefined || digest === EMPTY_DIGEST || diverging.length > 0) this.#digests?.delete(at);
    else this.#digests?.set(at, digest);
    if (this.#left === 0) this.#end(nowMs);
  }

  #end(nowMs: number): void {
    this.#coveredAtMs = this.#beganAtMs;
    this.#sweptAtMs = this.#wasOpen ? this.#beganAtMs : nowMs;
  }

  /** Counts a partition that was found not covered (1), or such a one that is covered now (-1). */
  countOpen(change: 1 | -1): void {
    this.#open += change;
    if (change === 1) this.#wasOpen = true;
  }

  /** What was covered stays so until something is found that is not. */
  get coveredAtMs(): number | undefined {
    return this.#open === 0 ? this.#coveredAtMs : undefined;
  }

  /** When the last sweep that covered everything ended; when it began, if it had to wait for something that was
   *  missing. Undefined before. */
  get sweptAtMs(): number | undefined {
    return this.coveredAtMs === undefined ? undefined : this.#sweptAtMs;
  }

  /** Keys of the registers that diverge, as records have them. */
  diverging(): ReadonlySet<string> {
    return new Set([...this.#diverging.values()].flat());
  }

  /** When every partition of every source had been scanned once; undefined before. */
  get scannedAtMs(): number | undefined {
    return this.#scannedAtMs;
  }

  get partitionsDone(): number {
    return this.partitionsTotal - (this.#coveredAtMs === undefined ? this.#left : this.#open);
  }

  /** An estimate; undefined while not all of the source's partitions were scanned. */
  records(source: number): number | undefined {
    return this.#notSeen[source] === 0 ? Math.round(this.#records[source] ?? 0) : undefined;
  }
}

// How many records does a member hold? No member says, but its number of empty buckets tells it well enough for people
// (linear counting).
/** Estimated records in a partition by the number of its empty buckets, 0 to 256; 0 for a partition not scanned.
 *  Without an empty bucket the estimate assumes half an empty one (about 1,600), which is then a lower bound. */
export function estimateRecords(empty: number): number {
  return RECORDS[empty] ?? 0;
}

const RECORDS = Float64Array.from({ length: BUCKETS + 1 }, (_, empty) => {
  return empty === BUCKETS ? 0 : -BUCKETS * Math.log(Math.max(empty, 0.5) / BUCKETS);
});
