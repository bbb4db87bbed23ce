// The scans under way: puts what they need on the members' desks and compares what comes back. Every digest and entry
// read after the sweep began counts, in any order. Records only grow: what a home shows at any time since then, if it
// covers what the source shows at another, covers what the source held when the sweep began.

import { EMPTY_DIGEST, type PartitionDigest } from '@marekvs/api';
import { comparePair } from './compare-pair.ts';
import { compareStreams } from './compare-streams.ts';
import type { AnswerAt } from './dialogue.ts';
import type { Judged } from './judged.ts';
import { MAX_WANTED } from './limits.ts';
import type { Desk } from './member-queue.ts';
import type { Roster } from './members.ts';
import type { Works } from './open-work.ts';
import { ASKED, FAILED, type PartitionScan, type Talk, type Work } from './partition-scan.ts';
import type { Progress } from './progress.ts';
import { chooseBuckets, narrow, type Pair } from './source-home-pair.ts';
import { Streams } from './streams.ts';

export interface ScansOptions {
  readonly roster: Roster;
  readonly progress: Progress;
  readonly works: Works;
  readonly judged: Judged;
  /** A scan has ended without covering all of its partition. */
  readonly onOpen: (partition: number, isForgotten: boolean, nowMs: number) => void;
}

export class Scans {
  readonly #roster: Roster;
  readonly #progress: Progress;
  readonly #works: Works;
  readonly #judged: Judged;
  readonly #streams: Streams;
  readonly #onOpen: ScansOptions['onOpen'];
  /** By index of the member, with nothing read. */
  readonly #unread: readonly undefined[];
  #sweep = 0;
  #count = 0;
  #isStarting = false;

  constructor({ roster, progress, works, judged, onOpen }: ScansOptions) {
    this.#roster = roster;
    this.#progress = progress;
    this.#works = works;
    this.#judged = judged;
    this.#streams = new Streams(roster, judged);
    this.#onOpen = onOpen;
    this.#unread = new Array<undefined>(roster.desks.length).fill(undefined);
  }

  /** How many scans are under way. */
  get count(): number {
    return this.#count;
  }

  /** Whether members that answer can be asked something about this partition. */
  canOpen(partition: number, nowMs: number): boolean {
    for (const source of this.#roster.sources) if (this.#canAsk(source, partition, nowMs)) return true;
    return false;
  }

  open(partition: number, nowMs: number): void {
    const scan: PartitionScan = {
      partition,
      sweep: this.#sweep,
      digests: [...this.#unread],
      works: [],
      wide: [],
      pending: 1,
    };
    this.#count += 1;
    for (const source of this.#roster.sources) {
      if (!this.#canAsk(source, partition, nowMs)) continue;
      this.#ask(scan, source, nowMs);
      for (const { home, isCovered } of this.#works.get(source, partition)?.pairs ?? []) {
        if (!isCovered) this.#ask(scan, home, nowMs);
      }
    }
    this.#settle(scan, nowMs);
  }

  /** Drops everything under way: answers to it are ignored. */
  clear(): void {
    this.#sweep += 1;
    this.#count = 0;
    this.#streams.clear();
    for (const desk of this.#roster.desks) desk.clear();
  }

  /** @param empty number of empty buckets in it */
  readDigest(scan: PartitionScan, desk: Desk, digest: PartitionDigest, empty: number, nowMs: number): void {
    if (scan.sweep !== this.#sweep) return;
    const member = desk.position;
    scan.digests[member] = digest;
    const no = this.#roster.sourceNo(member);
    if (no !== undefined && !this.#progress.isCovered(no, scan.partition)) {
      this.#progress.saw(no, scan.partition, empty, nowMs);
      this.#readSource(scan, member, digest, this.#progress.isKnown(no, scan.partition, digest), nowMs);
    }
    for (const work of scan.works) {
      for (const pair of work.pairs) if (pair.home === member) this.#compare(scan, work, pair, nowMs);
    }
    this.#settle(scan, nowMs);
  }

  failDigest(scan: PartitionScan, desk: Desk, nowMs: number): void {
    if (scan.sweep !== this.#sweep) return;
    scan.digests[desk.position] = FAILED;
    this.#settle(scan, nowMs);
  }

  /** Continues until it has to wait for an answer. */
  goOn(talk: Talk, answer: AnswerAt | undefined, nowMs: number): void {
    const { scan, dialogue } = talk;
    if (scan.sweep !== this.#sweep) return;
    let step = answer === undefined ? dialogue.next() : dialogue.next(answer);
    while (!step.done) {
      const desk = this.#roster.byId(step.value.nodeId);
      if (desk?.accepts(nowMs)) {
        desk.askForTalk(step.value, talk);
        return;
      }
      step = dialogue.next({ answer: { kind: 'failed' }, nowMs });
    }
    talk.end(nowMs);
    this.#settle(scan, nowMs);
  }

  #canAsk(source: number, partition: number, nowMs: number): boolean {
    if (this.#progress.isCovered(this.#roster.sourceNo(source) ?? 0, partition)) return false;
    if (!this.#roster.at(source).accepts(nowMs)) return false;
    const work = this.#works.get(source, partition);
    if (work === undefined) return true;
    return work.pairs.some(({ isCovered, home }) => !isCovered && this.#roster.at(home).accepts(nowMs));
  }

  /** Asks a member once per scan, for whatever roles it has in it. */
  #ask(scan: PartitionScan, member: number, nowMs: number): void {
    if (scan.digests[member] !== undefined) return;
    const desk = this.#roster.at(member);
    if (desk.accepts(nowMs)) {
      scan.digests[member] = ASKED;
      scan.pending += 1;
      desk.askDigest(scan);
    } else {
      scan.digests[member] = FAILED;
    }
  }

  #readSource(scan: PartitionScan, source: number, digest: PartitionDigest, isKnown: boolean, nowMs: number): void {
    if (isKnown || digest === EMPTY_DIGEST) {
      this.#works.cover(source, scan.partition, digest, nowMs);
      return;
    }
    const work = this.#works.of(source, scan.partition, digest);
    scan.works.push(work);
    for (const pair of work.pairs) {
      if (pair.isCovered) continue;
      this.#ask(scan, pair.home, nowMs);
      this.#compare(scan, work, pair, nowMs);
    }
    this.#coverIfAll(scan, work, nowMs);
  }

  #compare(scan: PartitionScan, work: Work, pair: Pair, nowMs: number): void {
    const home = scan.digests[pair.home];
    if (pair.isCovered || typeof home !== 'string') return;
    const digests = { partition: scan.partition, source: work.digest, home };
    narrow(pair, digests, this.#works.ledger, this.#judged);
    const wideness = this.#streams.widenessOf(work, pair, digests, nowMs);
    if (wideness !== 'narrow') {
      if (wideness === 'due') scan.wide = [...scan.wide, { work, pair }];
      return;
    }
    const isFull = this.#works.ledger.wanted >= MAX_WANTED;
    const buckets = chooseBuckets(pair, isFull);
    if (buckets.length > 0) {
      this.#compareBuckets(scan, work, pair, buckets, home, nowMs);
    } else {
      pair.isScanned = true;
      this.#endPair(scan, work, pair, nowMs);
    }
  }

  #compareBuckets(
    scan: PartitionScan,
    work: Work,
    pair: Pair,
    buckets: readonly number[],
    homeDigest: PartitionDigest,
    nowMs: number,
  ): void {
    const dialogue = comparePair({
      pair,
      partition: scan.partition,
      buckets,
      source: { nodeId: this.#roster.at(work.source).nodeId, own: work.digest },
      home: { nodeId: this.#roster.at(pair.home).nodeId, own: homeDigest },
      ledger: this.#works.ledger,
      judged: this.#judged,
      onGone: () => {
        work.isSteady = false;
      },
    });
    scan.pending += 1;
    this.goOn({ scan, dialogue, end: (atMs) => this.#endPair(scan, work, pair, atMs) }, undefined, nowMs);
  }

  #endPair(scan: PartitionScan, work: Work, pair: Pair, nowMs: number): void {
    if (!pair.isCovered && pair.isScanned) this.#works.markOpen(work);
    this.#coverIfAll(scan, work, nowMs);
  }

  #coverIfAll(scan: PartitionScan, work: Work, nowMs: number): void {
    if (this.#works.get(work.source, scan.partition) !== work) return;
    if (!work.pairs.every(({ isCovered }) => isCovered)) return;
    this.#works.cover(work.source, scan.partition, work.isSteady ? work.digest : undefined, nowMs);
  }

  /** One answer fewer to wait for; the last one ends the scan. */
  #settle(scan: PartitionScan, nowMs: number): void {
    scan.pending -= 1;
    if (scan.pending > 0) return;
    this.#count -= 1;
    if (scan.wide.length > 0) {
      this.#streams.queue(scan);
      this.#startStreams(nowMs);
      return;
    }
    const { partition } = scan;
    const rested = scan.works.filter((work) => this.#works.rest(work, partition));
    const isForgotten = rested.length > 0 && rested.length === scan.works.length;
    if (!this.#progress.isCoveredByAll(partition)) this.#onOpen(partition, isForgotten, nowMs);
  }

  /** Whatever ends begins the next. While a member rests, thousands end as soon as they begin: one after the other
   *  here, not each within the one before. */
  #startStreams(nowMs: number): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    for (let scan = this.#streams.next(); scan !== undefined; scan = this.#streams.next()) {
      this.#count += 1;
      scan.pending = 1;
      this.#compareStreams(scan, nowMs);
    }
    this.#isStarting = false;
  }

  #compareStreams(scan: PartitionScan, nowMs: number): void {
    const { wide } = scan;
    scan.wide = [];
    const dialogue = compareStreams({
      partition: scan.partition,
      wide,
      ledger: this.#works.ledger,
      judged: this.#judged,
      nodeIdOf: (member) => this.#roster.at(member).nodeId,
      onStream: (member, isSilent, atMs) => this.#streams.note(member, scan.partition, isSilent, atMs),
    });
    const end = (atMs: number): void => {
      for (const { work, pair } of wide) this.#endPair(scan, work, pair, atMs);
      this.#streams.done();
      this.#startStreams(atMs);
    };
    this.goOn({ scan, dialogue, end }, undefined, nowMs);
  }
}
