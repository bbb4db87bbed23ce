// Which partitions are compared by streams, and when. Two looks a second apart have to show many differing buckets:
// what is merely on its way has arrived by then, and what a home has not got at all is being copied.

import { bucketDigests, EMPTY_BUCKET } from '@marekvs/api';
import type { Judged } from './judged.ts';
import { MAX_BUCKETS, MAX_SILENCES, MAX_STREAMS } from './limits.ts';
import type { Roster } from './members.ts';
import type { PartitionScan, Work } from './partition-scan.ts';
import type { Digests, Pair } from './source-home-pair.ts';

export class Streams {
  readonly #roster: Roster;
  readonly #judged: Judged;
  /** Members by index and partition that gave no stream, and how often in a row a member gave none. */
  readonly #refused = new Set<number>();
  readonly #silences = new Map<number, number>();
  #queue: PartitionScan[] = [];
  #active = 0;

  constructor(roster: Roster, judged: Judged) {
    this.#roster = roster;
    this.#judged = judged;
  }

  /** `narrow`: to be compared by its buckets. `wide`: to be looked at again first. `due`: to be compared by streams. */
  widenessOf(work: Work, pair: Pair, digests: Digests, nowMs: number): 'narrow' | 'wide' | 'due' {
    const wasWide = pair.isWide;
    pair.isWide = isWide(pair, digests);
    const members = [work.source, pair.home];
    const { partition } = digests;
    if (pair.isLocated || !pair.isWide || !members.every((member) => this.#mayGive(member, partition))) return 'narrow';
    const isAllowed = members.every((member) => this.#judged.mayStream(this.#roster.lifeOf(member), partition, nowMs));
    if (isAllowed) return wasWide ? 'due' : 'wide';
    return pair.isUnproven ? 'narrow' : 'wide';
  }

  /** Members give streams only of partitions that they are homes of. */
  #mayGive(member: number, partition: number): boolean {
    if (this.#refused.has(placeOf(member, partition))) return false;
    return (this.#silences.get(member) ?? 0) < MAX_SILENCES && this.#roster.isHome(member, partition);
  }

  note(member: number, partition: number, isSilent: boolean, nowMs: number): void {
    this.#judged.noteStream(this.#roster.lifeOf(member), partition, nowMs);
    this.#silences.set(member, isSilent ? (this.#silences.get(member) ?? 0) + 1 : 0);
    if (isSilent) this.#refused.add(placeOf(member, partition));
  }

  queue(scan: PartitionScan): void {
    this.#queue.push(scan);
  }

  /** The next scan to be compared by streams, if there is room for it. */
  next(): PartitionScan | undefined {
    if (this.#active >= MAX_STREAMS) return undefined;
    const next = this.#queue.shift();
    if (next !== undefined) this.#active += 1;
    return next;
  }

  done(): void {
    this.#active -= 1;
  }

  clear(): void {
    this.#queue = [];
    this.#active = 0;
  }
}

function isWide({ open }: Pair, { home }: Digests): boolean {
  if (open === undefined || open.length <= MAX_BUCKETS) return false;
  const pieces = bucketDigests(home) ?? [];
  const lacking = open.filter((bucket) => pieces[bucket] === EMPTY_BUCKET);
  return lacking.length * 2 < open.length;
}

function placeOf(member: number, partition: number): number {
  return partition * 65_536 + member;
}
