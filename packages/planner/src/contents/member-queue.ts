// What one member is asked next, one question at a time. Questions about records alternate with digests, so
// that neither starves. A member that failed rests, and is then tried with a single partition until it answers.

import type { ContentQuestion } from './comparison.ts';
import { MAX_PARTITIONS, RECHECK_MS } from './limits.ts';
import type { PartitionScan, Talk } from './partition-scan.ts';

/** A question and the scans it is asked for. */
export type Asked =
  | { readonly kind: 'scans'; readonly question: ContentQuestion; readonly scans: readonly PartitionScan[] }
  | { readonly kind: 'talk'; readonly question: ContentQuestion; readonly talk: Talk };

export class Desk {
  readonly nodeId: number;
  /** Index in the list of members. */
  readonly position: number;
  #digests: PartitionScan[] = [];
  #talks: Asked[] = [];
  #outstanding: Asked | undefined;
  #wasTalk = false;
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
    const isTalk = this.#talks.length > 0 && !(this.#wasTalk && this.#digests.length > 0);
    this.#wasTalk = isTalk;
    this.#outstanding = isTalk ? this.#talks.shift() : this.#nextDigests();
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

  askForTalk(question: ContentQuestion, talk: Talk): void {
    this.#isTrying = this.#isFailing;
    this.#talks.push({ kind: 'talk', question, talk });
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
    const dropped = [...this.#talks];
    for (let next = this.#nextDigests(); next !== undefined; next = this.#nextDigests()) dropped.push(next);
    this.#talks = [];
    return dropped;
  }

  /** Drops queued questions, which are of no use any more. An outstanding one stays: its member is busy with it. */
  clear(): void {
    this.#digests = [];
    this.#talks = [];
    this.#isTrying = this.#isTrying && this.#outstanding !== undefined;
  }
}
