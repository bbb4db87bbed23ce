// The looks under way: puts what they need on the members' desks and compares what comes back. Every digest and entry counts that was
// read after the sweep began, in whatever order: records only grow, so what a home shows at any moment since then and covers what the
// source shows at another one, covers what the source held when the sweep began.

import { EMPTY_DIGEST, type PartitionDigest } from '@marekvs/api';
import type { Desk } from './desk.ts';
import { MAX_WANTED } from './limits.ts';
import { ASKED, FAILED, type Look, type PairLook, type Work } from './look.ts';
import { type AnswerAt, lookInto } from './look-into.ts';
import { chooseBuckets, narrow, type Pair } from './pair.ts';
import type { Progress } from './progress.ts';
import type { Roster } from './roster.ts';
import type { Works } from './works.ts';

export interface LooksOptions {
  readonly roster: Roster;
  readonly progress: Progress;
  readonly works: Works;
  /** A look has ended without covering all of its partition. */
  readonly onOpen: (partition: number, nowMs: number) => void;
}

export class Looks {
  readonly #roster: Roster;
  readonly #progress: Progress;
  readonly #works: Works;
  readonly #onOpen: LooksOptions['onOpen'];
  #sweep = 0;
  #count = 0;

  constructor({ roster, progress, works, onOpen }: LooksOptions) {
    this.#roster = roster;
    this.#progress = progress;
    this.#works = works;
    this.#onOpen = onOpen;
  }

  /** How many are under way. */
  get count(): number {
    return this.#count;
  }

  /** Whether there is something to ask about this partition of members that answer. */
  canOpen(partition: number, nowMs: number): boolean {
    return this.#roster.sources.some((source) => this.#canAsk(source, partition, nowMs));
  }

  open(partition: number, nowMs: number): void {
    const digests = new Array<undefined>(this.#roster.desks.length).fill(undefined);
    const look: Look = { partition, sweep: this.#sweep, digests, works: [], pending: 1 };
    this.#count += 1;
    for (const source of this.#roster.sources) {
      if (!this.#canAsk(source, partition, nowMs)) continue;
      this.#ask(look, source, nowMs);
      for (const { home, isCovered } of this.#works.get(source, partition)?.pairs ?? []) {
        if (!isCovered) this.#ask(look, home, nowMs);
      }
    }
    this.#settle(look, nowMs);
  }

  /** Nothing under way is of use any more: answers to it are ignored. */
  clear(): void {
    this.#sweep += 1;
    this.#count = 0;
    for (const desk of this.#roster.desks) desk.clear();
  }

  /** @param empty number of empty buckets in it */
  readDigest(look: Look, desk: Desk, digest: PartitionDigest, empty: number, nowMs: number): void {
    if (look.sweep !== this.#sweep) return;
    const member = desk.position;
    look.digests[member] = digest;
    const no = this.#roster.sourceNo(member);
    if (no !== undefined && !this.#progress.isCovered(no, look.partition)) {
      this.#progress.saw(no, look.partition, empty, nowMs);
      this.#readSource(look, member, digest, this.#progress.isKnown(no, look.partition, digest), nowMs);
    }
    for (const work of look.works) {
      for (const pair of work.pairs) if (pair.home === member) this.#compare(look, work, pair, nowMs);
    }
    this.#settle(look, nowMs);
  }

  failDigest(look: Look, desk: Desk, nowMs: number): void {
    if (look.sweep !== this.#sweep) return;
    look.digests[desk.position] = FAILED;
    this.#settle(look, nowMs);
  }

  /** Goes on with a pair until it has to wait for an answer. */
  goOn(pairLook: PairLook, answer: AnswerAt | undefined, nowMs: number): void {
    const { look, work, pair, dialogue } = pairLook;
    if (look.sweep !== this.#sweep) return;
    let step = answer === undefined ? dialogue.next() : dialogue.next(answer);
    while (!step.done) {
      const desk = this.#roster.byId(step.value.nodeId);
      if (desk?.accepts(nowMs)) {
        desk.askForPair(step.value, pairLook);
        return;
      }
      step = dialogue.next({ answer: { kind: 'failed' }, nowMs });
    }
    this.#endPair(look, work, pair, nowMs);
    this.#settle(look, nowMs);
  }

  #canAsk(source: number, partition: number, nowMs: number): boolean {
    if (this.#progress.isCovered(this.#roster.sourceNo(source) ?? 0, partition)) return false;
    if (!this.#roster.at(source).accepts(nowMs)) return false;
    const work = this.#works.get(source, partition);
    if (work === undefined) return true;
    return work.pairs.some(({ isCovered, home }) => !isCovered && this.#roster.at(home).accepts(nowMs));
  }

  /** Once in a look, for whatever roles the member has in it. */
  #ask(look: Look, member: number, nowMs: number): void {
    if (look.digests[member] !== undefined) return;
    const desk = this.#roster.at(member);
    if (desk.accepts(nowMs)) {
      look.digests[member] = ASKED;
      look.pending += 1;
      desk.askDigest(look);
    } else {
      look.digests[member] = FAILED;
    }
  }

  #readSource(look: Look, source: number, digest: PartitionDigest, isKnown: boolean, nowMs: number): void {
    if (isKnown || digest === EMPTY_DIGEST) {
      this.#works.cover(source, look.partition, digest, nowMs);
      return;
    }
    const work = this.#works.of(source, look.partition, digest);
    look.works.push(work);
    for (const pair of work.pairs) {
      if (pair.isCovered) continue;
      this.#ask(look, pair.home, nowMs);
      this.#compare(look, work, pair, nowMs);
    }
    this.#coverIfAll(look, work, nowMs);
  }

  #compare(look: Look, work: Work, pair: Pair, nowMs: number): void {
    const home = look.digests[pair.home];
    if (pair.isCovered || typeof home !== 'string') return;
    narrow(pair, work.digest, home, this.#works.ledger);
    const isFull = this.#works.ledger.wanted >= MAX_WANTED;
    const buckets = chooseBuckets(pair, isFull);
    if (buckets.length > 0) {
      this.#lookInto(look, work, pair, buckets, home, nowMs);
    } else {
      pair.hasLooked = true;
      this.#endPair(look, work, pair, nowMs);
    }
  }

  #lookInto(
    look: Look,
    work: Work,
    pair: Pair,
    buckets: readonly number[],
    homeDigest: PartitionDigest,
    nowMs: number,
  ): void {
    const dialogue = lookInto({
      pair,
      partition: look.partition,
      buckets,
      source: { nodeId: this.#roster.at(work.source).nodeId, own: work.digest },
      home: { nodeId: this.#roster.at(pair.home).nodeId, own: homeDigest },
      ledger: this.#works.ledger,
      onGone: () => {
        work.isSteady = false;
      },
    });
    look.pending += 1;
    this.goOn({ look, work, pair, dialogue }, undefined, nowMs);
  }

  #endPair(look: Look, work: Work, pair: Pair, nowMs: number): void {
    if (!pair.isCovered && pair.hasLooked) this.#works.markOpen(work);
    this.#coverIfAll(look, work, nowMs);
  }

  #coverIfAll(look: Look, work: Work, nowMs: number): void {
    if (this.#works.get(work.source, look.partition) !== work) return;
    if (!work.pairs.every(({ isCovered }) => isCovered)) return;
    this.#works.cover(work.source, look.partition, work.isSteady ? work.digest : undefined, nowMs);
  }

  /** One answer less to wait for; the last one ends the look. */
  #settle(look: Look, nowMs: number): void {
    look.pending -= 1;
    if (look.pending > 0) return;
    this.#count -= 1;
    const { partition } = look;
    const isOpen = this.#roster.sources.some((_, no) => !this.#progress.isCovered(no, partition));
    if (isOpen) this.#onOpen(partition, nowMs);
  }
}
