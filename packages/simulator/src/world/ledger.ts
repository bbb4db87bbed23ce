// Which writes were acknowledged to clients, and where each of them is now. The judge of every run: a write that is
// on no running member and on no kept volume is lost, whoever homes its key. One writer per key writes rising
// numbers, so newer covers older; counters are counted by many, and what is left of them has to come to what was
// acknowledged once everything left is merged.

import { partitionOf } from '../member/keys.ts';
import { keptOf } from '../member/merging.ts';
import type { Version } from '../member/messages.ts';
import { ownersAt } from '../member/placement.ts';
import type { MemberNetwork } from '../memory/member-network.ts';
import type { MemoryDisk } from '../memory/memory-disk.ts';

export interface LedgerReport {
  /** Keys whose last acknowledged write is on no running member: clients cannot read it. */
  readonly lost: readonly string[];
  /** Keys that some home of the present placement does not hold yet. */
  readonly incomplete: readonly string[];
  readonly keys: number;
  readonly acknowledged: number;
}

/** Where members run and what is kept of them. */
export interface LedgerHosts {
  lives(): readonly { readonly isRunning: boolean; readonly processName: string }[];
  disks(): Iterable<readonly [volumeUid: string, disk: MemoryDisk]>;
}

interface Entry {
  /** What was written last, or the sum of a counter. */
  readonly number: number;
  readonly isCounter: boolean;
  /** Wall milliseconds as the member stored it; never for most. */
  readonly expiresAtMs: number;
}

/** Members' clocks differ a little, and one that is ahead drops early. */
const EXPIRY_MARGIN_MS = 2_000;

export class Ledger {
  readonly #network: MemberNetwork;
  readonly #hosts: () => LedgerHosts;
  readonly #entries = new Map<string, Entry>();
  #count = 0;
  #expiring = 0;

  constructor(network: MemberNetwork, hosts: () => LedgerHosts) {
    this.#network = network;
    this.#hosts = hosts;
  }

  /** A client was told that `key` = `number` is stored.
   *  @param expiresAtMs wall milliseconds by the clock of the member that took it */
  acknowledge(key: string, number: number, expiresAtMs = Number.POSITIVE_INFINITY): void {
    this.#count += 1;
    const known = this.#entries.get(key);
    if (known !== undefined && known.number >= number) return;
    this.#set(key, { number, isCounter: false, expiresAtMs });
  }

  /** A client was told that the counter `key` has been incremented by `amount`. */
  acknowledgeCount(key: string, amount: number): void {
    this.#count += 1;
    const number = (this.#entries.get(key)?.number ?? 0) + amount;
    this.#set(key, { number, isCounter: true, expiresAtMs: Number.POSITIVE_INFINITY });
  }

  /** The data was given up by whoever owns it: nothing written so far is asked for again. */
  forget(): void {
    this.#entries.clear();
    this.#expiring = 0;
  }

  /** Every key with the last number a client was told of, or the sum of a counter. */
  *entries(): Iterable<readonly [key: string, number: number]> {
    this.#dropExpired();
    for (const [key, { number }] of this.#entries) yield [key, number];
  }

  get size(): number {
    return this.#entries.size;
  }

  get acknowledged(): number {
    return this.#count;
  }

  /** Against the members that run now. */
  check(): LedgerReport {
    this.#dropExpired();
    const members = this.#running();
    const placement = members[0]?.view.placement;
    const lost: string[] = [];
    const incomplete: string[] = [];
    for (const [key, entry] of this.#entries) {
      const versions = new Map(members.map((member) => [member.settings.nodeId, member.store.get(key)]));
      if (!isKept(entry, [...versions.values()])) lost.push(key);
      if (placement === undefined) continue;
      const homes = ownersAt(placement, partitionOf(key));
      if (!homes.every((id) => isKept(entry, [versions.get(id)]))) incomplete.push(key);
    }
    return { lost, incomplete, keys: this.#entries.size, acknowledged: this.#count };
  }

  /** Keys whose last acknowledged write is on no volume but `leaving`; asked before that one goes. */
  onlyOn(leaving: MemoryDisk): readonly string[] {
    this.#dropExpired();
    const kept = [...this.#hosts().disks()].map(([, disk]) => disk).filter((disk) => disk !== leaving);
    const lost: string[] = [];
    for (const [key, entry] of this.#entries)
      if (
        !isKept(
          entry,
          kept.map((disk) => disk.version(key)),
        )
      )
        lost.push(key);
    return lost;
  }

  /** Keys whose last acknowledged write running members have between them: what is on volumes only, nobody can read.
   *  Each of the homes of a counter may lack what the other one has just counted, and together they have it all.
   *  @param isCounted by the name of their process */
  keptOnLiving(isCounted: (processName: string) => boolean): ReadonlySet<string> {
    this.#dropExpired();
    const members = this.#running(isCounted);
    const kept = [...this.#entries].filter(([key, entry]) =>
      isKept(
        entry,
        members.map(({ store }) => store.get(key)),
      ),
    );
    return new Set(kept.map(([key]) => key));
  }

  #set(key: string, entry: Entry): void {
    if (Number.isFinite(this.#entries.get(key)?.expiresAtMs)) this.#expiring -= 1;
    if (Number.isFinite(entry.expiresAtMs)) this.#expiring += 1;
    this.#entries.set(key, entry);
  }

  /** As soon as the first clock of any member may say so. */
  #dropExpired(): void {
    if (this.#expiring === 0) return;
    const nowMs = Math.max(...this.#running().map((member) => member.wallNow()), this.#network.wallNow());
    for (const [key, { expiresAtMs }] of this.#entries) {
      if (expiresAtMs > nowMs + EXPIRY_MARGIN_MS) continue;
      this.#entries.delete(key);
      this.#expiring -= 1;
    }
  }

  #running(isCounted: (processName: string) => boolean = () => true) {
    return this.#hosts()
      .lives()
      .filter((life) => life.isRunning && this.#network.isUp(life.processName) && isCounted(life.processName))
      .map((life) => this.#network.member(life.processName));
  }
}

function isKept({ number, isCounter }: Entry, versions: readonly (Version | undefined)[]): boolean {
  if (!isCounter) return versions.some((version) => numberOf(version) >= number);
  const merged = versions.reduce((a, b) => (a === undefined || b === undefined ? (a ?? b) : keptOf(a, b)), undefined);
  return numberOf(merged) >= number;
}

function numberOf(version: Version | undefined): number {
  return version === undefined || version.value === '' ? -1 : Number(version.value);
}
