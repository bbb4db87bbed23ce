// The comparison of one request: opens scans of partitions while there is room, and takes answers in.

import type { Comparison, ComparisonFigures, ContentAnswer, ContentQuestion, CreateComparison } from './comparison.ts';
import { Judged } from './judged.ts';
import { MAX_PARTITIONS, WINDOW } from './limits.ts';
import type { Asked, Desk } from './member-queue.ts';
import { Roster } from './members.ts';
import { Works } from './open-work.ts';
import { Progress } from './progress.ts';
import { emptyBuckets } from './records/bucket-digests.ts';
import { userKeyOf } from './records/record-key.ts';
import type { ComparisonRequest, DivergingRegisters } from './request.ts';
import { Scans } from './running-scans.ts';
import { Schedule } from './schedule.ts';

/** @throws RangeError for a source that is not a member */
export const createComparison: CreateComparison = (request, nowMs, judged = new Judged()) =>
  new ContentComparison(request, nowMs, judged);

class ContentComparison implements Comparison {
  readonly #roster: Roster;
  readonly #progress: Progress;
  readonly #works: Works;
  readonly #scans: Scans;
  readonly #schedule = new Schedule();

  constructor(request: ComparisonRequest, nowMs: number, judged: Judged) {
    this.#roster = new Roster(request);
    this.#progress = new Progress(this.#roster.sources.length, request.isKeptFresh, nowMs);
    this.#works = new Works(this.#roster, this.#progress, request.purpose, nowMs);
    this.#scans = new Scans({
      roster: this.#roster,
      progress: this.#progress,
      works: this.#works,
      judged,
      onOpen: (partition, isForgotten, at) => this.#schedule.again(partition, isForgotten, at),
    });
    this.#schedule.begin();
  }

  next(nodeId: number, nowMs: number): ContentQuestion | undefined {
    if (this.#progress.isIdle) return undefined;
    this.#openScans(nowMs);
    return this.#roster.byId(nodeId)?.next();
  }

  /** In bunches, so that questions carry many partitions. */
  #openScans(nowMs: number): void {
    if (this.#scans.count > WINDOW - MAX_PARTITIONS) return;
    const allowed = {
      nowMs,
      canScan: (partition: number) => this.#scans.canOpen(partition, nowMs),
      mayTry: () => (this.#triedAtMs() ?? Number.POSITIVE_INFINITY) <= nowMs,
    };
    while (this.#scans.count < WINDOW) {
      const partition = this.#schedule.take(allowed);
      if (partition === undefined) return;
      this.#scans.open(partition, nowMs);
    }
  }

  take(question: ContentQuestion, answer: ContentAnswer, nowMs: number): void {
    const desk = this.#roster.byId(question.nodeId);
    const asked = desk?.giveBack(question);
    if (desk === undefined || asked === undefined) return;
    const usable = usableAnswer(question, answer);
    if (usable === undefined) {
      for (const failed of [asked, ...desk.failed(nowMs)]) this.#fail(desk, failed, nowMs);
      return;
    }
    if (desk.answered()) this.#schedule.release();
    this.#fold(desk, asked, usable, nowMs);
    if (this.#progress.isIdle) this.#scans.clear();
  }

  #fold(desk: Desk, asked: Asked, answer: UsableAnswer, nowMs: number): void {
    if (asked.kind === 'talk') {
      this.#scans.goOn(asked.talk, { answer, nowMs }, nowMs);
      return;
    }
    if (answer.kind !== 'digests') return;
    let at = 0;
    for (const scan of asked.scans) {
      this.#scans.readDigest(scan, desk, answer.digests[at] ?? '', answer.empties[at] ?? 0, nowMs);
      at += 1;
    }
  }

  #fail(desk: Desk, asked: Asked, nowMs: number): void {
    if (asked.kind === 'talk') {
      this.#scans.goOn(asked.talk, { answer: { kind: 'failed' }, nowMs }, nowMs);
    } else {
      for (const scan of asked.scans) this.#scans.failDigest(scan, desk, nowMs);
    }
  }

  idleForMs(nowMs: number): number | undefined {
    if (this.#progress.isIdle) return undefined;
    const at = this.#schedule.nextAtMs(nowMs, this.#triedAtMs());
    return at === undefined ? 0 : at - nowMs;
  }

  /** When the first of the failed members may be tried. */
  #triedAtMs(): number | undefined {
    let first: number | undefined;
    for (const { triedAtMs } of this.#roster.desks) {
      if (triedAtMs !== undefined && (first === undefined || triedAtMs < first)) first = triedAtMs;
    }
    return first;
  }

  sweep(nowMs: number): void {
    if (!this.#progress.isIdle) return;
    this.#progress.begin(nowMs);
    this.#schedule.begin();
  }

  rest(nowMs: number): void {
    this.#scans.clear();
    this.#works.restAll();
    this.#schedule.resume((partition) => !this.#progress.isCoveredByAll(partition), nowMs);
  }

  figures(): ComparisonFigures {
    const { coveredAtMs, sweptAtMs, scannedAtMs, partitionsDone, partitionsTotal } = this.#progress;
    const records = new Map<number, number>();
    for (const [no, source] of this.#roster.sources.entries()) {
      const estimate = this.#progress.records(no);
      if (estimate !== undefined) records.set(this.#roster.at(source).nodeId, estimate);
    }
    return {
      isComplete: coveredAtMs !== undefined,
      coveredAtMs,
      sweptAtMs,
      partitionsDone,
      partitionsTotal,
      missing: this.#works.missing(),
      diverging: this.#diverging(),
      records,
      scannedAtMs,
      movedAtMs: this.#works.ledger.movedAtMs,
    };
  }

  #diverging(): DivergingRegisters {
    const registers = this.#progress.diverging();
    if (registers.size === 0) return NONE_DIVERGING;
    return { registers: registers.size, keys: new Set([...registers].map(userKeyOf)).size };
  }

  divergingKeys(): readonly string[] {
    return [...new Set([...this.#progress.diverging()].map(userKeyOf))];
  }
}

const NONE_DIVERGING: DivergingRegisters = { registers: 0, keys: 0 };

// An answer that does not fit its question counts as no answer at all.
type UsableAnswer =
  /** `empties`: for each digest the number of its empty buckets. */
  | { readonly kind: 'digests'; readonly digests: readonly string[]; readonly empties: readonly number[] }
  | Extract<ContentAnswer, { kind: 'entries' | 'records' | 'stream' | 'turn' }>;

function usableAnswer(question: ContentQuestion, answer: ContentAnswer): UsableAnswer | undefined {
  if (question.kind === 'digests' && answer.kind === 'digests') {
    const { digests } = answer;
    if (digests.length !== question.partitions.length) return undefined;
    const empties: number[] = [];
    for (const digest of digests) {
      const empty = emptyBuckets(digest);
      if (empty === undefined) return undefined;
      empties.push(empty);
    }
    return { kind: 'digests', digests, empties };
  }
  if (question.kind === 'entries' && answer.kind === 'entries') {
    return question.buckets.some((bucket) => answer.entries.has(bucket)) ? answer : undefined;
  }
  if (answer.kind !== 'records' && answer.kind !== 'stream' && answer.kind !== 'turn') return undefined;
  return question.kind === answer.kind ? answer : undefined;
}
