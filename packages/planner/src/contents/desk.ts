// What one member is asked next, one question at a time. Questions about missing records alternate with digests, so
// that neither starves. A member that failed rests, and is then tried with a single partition until it answers.

import type { ContentQuestion } from './comparison.ts';
import { MAX_PARTITIONS, RECHECK_MS } from './limits.ts';
import type { PairScan, PartitionScan } from './partition-scan.ts';

/** A question and the scans it is asked for. */
export type Asked =
  | { readonly kind: 'scans'; readonly question: ContentQuestion; readonly scans: readonly PartitionScan[] }
  | { readonly kind: 'pair'; readonly question: ContentQuestion; readonly pairScan: PairScan };

export class Desk {
  readonly nodeId: number;
  /** Index in the list of members. */
  readonly position: number;
  #digests: PartitionScan[] = [];
  #pairs: Asked[] = [];
  #outstanding: Asked | undefined;
  #wasPair = false;
  #isFailing = false;
  #isTrying = false;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(nodeId: number, position: number) {
    this.nodeId = nodeId;
    this.position = position;
  }

  /** Undefined while a question is outstanding, or when there is none. */
  next(): ContentQuestion | undefined {
    if (this.#outstanding !== undefined) return undefined;
    const isPair = this.#pairs.length > 0 && !(this.#wasPair && this.#digests.length > 0);
    this.#wasPair = isPair;
    this.#outstanding = isPair ? this.#pairs.shift() : this.#nextDigests();
    return this.#outstanding?.question;
  }

  #nextDigests(): Asked | undefined {
    if (this.#digests.length === 0) return undefined;
    const scans = this.#digests.splice(0, MAX_PARTITIONS);
    const partitions = scans.map(({ partition }) => partition);
    return { kind: 'scans', question: { kind: 'digests', nodeId: this.nodeId, partitions }, scans };
  }

  /** What this question was asked for; undefined when it is not the outstanding one. */
  giveBack(question: ContentQuestion): Asked | undefined {
    const asked = this.#outstanding;
    if (asked?.question !== question) return undefined;
    this.#outstanding = undefined;
    return asked;
  }

  /** Whether the member may be asked something now. */
  accepts(nowMs: number): boolean {
    return !this.#isFailing || (!this.#isTrying && nowMs >= this.#restsUntilMs);
  }

  /** When a member that failed may be tried; undefined when it answers, or is being tried. */
  get triedAtMs(): number | undefined {
    return this.#isFailing && !this.#isTrying ? this.#restsUntilMs : undefined;
  }

  askDigest(scan: PartitionScan): void {
    this.#isTrying = this.#isFailing;
    this.#digests.push(scan);
  }

  askForPair(question: ContentQuestion, pairScan: PairScan): void {
    this.#isTrying = this.#isFailing;
    this.#pairs.push({ kind: 'pair', question, pairScan });
  }

  /** @returns whether the member had failed before */
  answered(): boolean {
    const wasFailing = this.#isFailing;
    this.#isFailing = false;
    this.#isTrying = false;
    return wasFailing;
  }

  /** @returns the queued questions, which have failed with this one */
  failed(nowMs: number): readonly Asked[] {
    this.#isFailing = true;
    this.#isTrying = false;
    this.#restsUntilMs = nowMs + RECHECK_MS;
    const dropped = [...this.#pairs];
    for (let next = this.#nextDigests(); next !== undefined; next = this.#nextDigests()) dropped.push(next);
    this.#pairs = [];
    return dropped;
  }

  /** Drops queued questions, which are of no use any more. An outstanding one stays: its member is busy with it. */
  clear(): void {
    this.#digests = [];
    this.#pairs = [];
    this.#isTrying = this.#isTrying && this.#outstanding !== undefined;
  }
}
