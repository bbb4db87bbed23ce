// What the sources hold that is not known to be covered, by source and partition, and what is missing at which home. Of
// a bounded number of partitions everything that is known; of the others only how much is missing, so that a member
// whose contents never stand still costs little memory.

import { PARTITIONS, type PartitionDigest } from '@marekvs/api';
import type { Diverging } from './judged.ts';
import { MAX_WORKS } from './limits.ts';
import type { Roster } from './members.ts';
import type { Work } from './partition-scan.ts';
import type { Progress } from './progress.ts';
import type { ComparisonPurpose, MissingRecords } from './request.ts';
import { createPair, forgetWanted, type Ledger, missingRecords } from './source-home-pair.ts';

/** How many records were missing at a home when its pair was forgotten. */
interface Lacking {
  readonly home: number;
  readonly records: number;
}

export class Works {
  readonly ledger: Ledger;
  readonly #roster: Roster;
  readonly #progress: Progress;
  readonly #purpose: ComparisonPurpose;
  readonly #works = new Map<number, Work>();
  /** Open ones of which nothing else is known any more. */
  readonly #forgotten = new Map<number, readonly Lacking[]>();

  constructor(roster: Roster, progress: Progress, purpose: ComparisonPurpose, nowMs: number) {
    this.#roster = roster;
    this.#progress = progress;
    this.#purpose = purpose;
    this.ledger = { wanted: 0, heldBytes: 0, movedAtMs: nowMs };
  }

  get(source: number, partition: number): Work | undefined {
    // Mostly there is no work at all, and this is asked for every partition of every source in every sweep.
    return this.#works.size === 0 ? undefined : this.#works.get(placeOf(source, partition));
  }

  /** The work on a partition whose digest was just read; begun when there is none. */
  of(source: number, partition: number, digest: PartitionDigest): Work {
    const known = this.get(source, partition);
    if (known !== undefined) {
      known.isSteady &&= known.digest === digest;
      known.digest = digest;
      return known;
    }
    const at = placeOf(source, partition);
    const forgotten = this.#forgotten.get(at);
    this.#forgotten.delete(at);
    const pairs = this.#roster.otherHomes(source, partition).map(createPair);
    for (const { home, records } of forgotten ?? []) {
      const pair = pairs.find((one) => one.home === home);
      if (pair === undefined) continue;
      pair.isScanned = true;
      pair.missingBefore = records;
    }
    const work: Work = { source, pairs, digest, isSteady: true, isOpen: forgotten !== undefined };
    this.#works.set(at, work);
    return work;
  }

  /** A scan of it has ended: when more is open than is kept, it is forgotten except for how much it lacks.
   *  @returns whether it was */
  rest(work: Work, partition: number): boolean {
    if (!work.isOpen || this.#works.size <= MAX_WORKS || this.get(work.source, partition) !== work) return false;
    this.#forget(placeOf(work.source, partition), work);
    return true;
  }

  /** Nothing is under way: everything is forgotten except for how much is missing. */
  restAll(): void {
    for (const [at, work] of this.#works) {
      if (work.isOpen) this.#forget(at, work);
      else this.#works.delete(at);
    }
  }

  #forget(at: number, work: Work): void {
    const open = work.pairs.filter(({ isScanned, isCovered }) => isScanned && !isCovered);
    this.#forgotten.set(
      at,
      open.map((pair) => ({ home: pair.home, records: missingRecords(pair) })),
    );
    for (const pair of work.pairs) forgetWanted(pair, this.ledger);
    this.#works.delete(at);
  }

  /** Notes that a scan found something that is not covered. */
  markOpen(work: Work): void {
    if (!work.isOpen) this.#progress.countOpen(1);
    work.isOpen = true;
  }

  /** @param digest what is covered by this; undefined when the source changed meanwhile */
  cover(source: number, partition: number, digest: PartitionDigest | undefined, nowMs: number): void {
    const work = this.get(source, partition);
    const diverging = work === undefined ? [] : this.#divergingIn(work);
    if (work !== undefined) this.#end(work, partition);
    if (this.#forgotten.delete(placeOf(source, partition))) this.#progress.countOpen(-1);
    this.#progress.cover(this.#roster.sourceNo(source) ?? 0, partition, digest, diverging, nowMs);
    this.ledger.movedAtMs = nowMs;
  }

  /** A member may be removed when one other home has what it has; otherwise every difference counts. */
  #divergingIn({ pairs }: Work): Diverging {
    if (pairs.every(({ diverging }) => diverging.size === 0)) return [];
    const perHome = pairs.map(({ diverging }) => new Set([...diverging.values()].flat()));
    const all = new Set(perHome.flatMap((keys) => [...keys]));
    return this.#purpose === 'removal' ? [...all].filter((key) => perHome.every((keys) => keys.has(key))) : [...all];
  }

  #end(work: Work, partition: number): void {
    if (work.isOpen) this.#progress.countOpen(-1);
    for (const pair of work.pairs) {
      forgetWanted(pair, this.ledger);
      pair.isCovered = true;
    }
    this.#works.delete(placeOf(work.source, partition));
  }

  /** By source and home, most records first. Thousands of pairs may be open and this is read whenever nothing is under
   *  way, so they are summed up in place. */
  missing(): readonly MissingRecords[] {
    const members = this.#roster.desks.length;
    const sums = new Map<number, { partitions: number; records: number }>();
    const add = (source: number, home: number, records: number): void => {
      const at = source * members + home;
      let sum = sums.get(at);
      if (sum === undefined) {
        sum = { partitions: 0, records: 0 };
        sums.set(at, sum);
      }
      sum.partitions += 1;
      sum.records += records;
    };
    for (const { source, pairs } of this.#works.values()) {
      for (const pair of pairs) if (pair.isScanned && !pair.isCovered) add(source, pair.home, missingRecords(pair));
    }
    for (const [at, lacking] of this.#forgotten) {
      for (const { home, records } of lacking) add(sourceOf(at), home, records);
    }
    return Array.from(sums, ([at, sum]) => ({
      sourceId: this.#roster.at(Math.floor(at / members)).nodeId,
      homeId: this.#roster.at(at % members).nodeId,
      ...sum,
    })).sort((a, b) => b.records - a.records || a.sourceId - b.sourceId || a.homeId - b.homeId);
  }
}

/** The key of the work of a source on a partition. */
function placeOf(source: number, partition: number): number {
  return source * PARTITIONS + partition;
}

function sourceOf(place: number): number {
  return Math.floor(place / PARTITIONS);
}
