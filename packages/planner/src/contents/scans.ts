// The scans under way: puts what they need on the members' desks and compares what comes back. Every digest and entry
// read after the sweep began counts, in any order. Records only grow: what a home shows at any time since then, if it
// covers what the source shows at another, covers what the source held when the sweep began.

import { EMPTY_DIGEST, type PartitionDigest } from '@marekvs/api';
import { type AnswerAt, comparePair } from './compare-pair.ts';
import type { Desk } from './desk.ts';
import { MAX_WANTED } from './limits.ts';
import { chooseBuckets, narrow, type Pair } from './pair.ts';
import { ASKED, FAILED, type PairScan, type PartitionScan, type Work } from './partition-scan.ts';
import type { Progress } from './progress.ts';
import type { Roster } from './roster.ts';
import type { Works } from './works.ts';

export interface ScansOptions {
  readonly roster: Roster;
  readonly progress: Progress;
  readonly works: Works;
  /** A scan has ended without covering all of its partition. */
  readonly onOpen: (partition: number, nowMs: number) => void;
}

export class Scans {
  readonly #roster: Roster;
  readonly #progress: Progress;
  readonly #works: Works;
  readonly #onOpen: ScansOptions['onOpen'];
  /** By index of the member, with nothing read. */
  readonly #unread: readonly undefined[];
  #sweep = 0;
  #count = 0;

  constructor({ roster, progress, works, onOpen }: ScansOptions) {
    this.#roster = roster;
    this.#progress = progress;
    this.#works = works;
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
    const scan: PartitionScan = { partition, sweep: this.#sweep, digests: [...this.#unread], works: [], pending: 1 };
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

  /** Continues with a pair until it has to wait for an answer. */
  goOn(pairScan: PairScan, answer: AnswerAt | undefined, nowMs: number): void {
    const { scan, work, pair, dialogue } = pairScan;
    if (scan.sweep !== this.#sweep) return;
    let step = answer === undefined ? dialogue.next() : dialogue.next(answer);
    while (!step.done) {
      const desk = this.#roster.byId(step.value.nodeId);
      if (desk?.accepts(nowMs)) {
        desk.askForPair(step.value, pairScan);
        return;
      }
      step = dialogue.next({ answer: { kind: 'failed' }, nowMs });
    }
    this.#endPair(scan, work, pair, nowMs);
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
    narrow(pair, work.digest, home, this.#works.ledger);
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
      onGone: () => {
        work.isSteady = false;
      },
    });
    scan.pending += 1;
    this.goOn({ scan, work, pair, dialogue }, undefined, nowMs);
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
    const { partition } = scan;
    if (!this.#progress.isCoveredByAll(partition)) this.#onOpen(partition, nowMs);
  }
}
