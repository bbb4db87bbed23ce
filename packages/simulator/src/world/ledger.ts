// Which writes were acknowledged to clients, and where each of them is now: the judge of every run. A write that is on
// no running member and no kept volume is lost, whatever the homes of its key. Each key has one writer, which writes
// rising numbers, so newer covers older. Counters have many writers: what is left of them, merged, must reach the
// acknowledged sum.

import { partitionOf } from '../member/keys.ts';
import { keptOf } from '../member/merging.ts';
import type { Version } from '../member/messages.ts';
import { ownersAt } from '../member/placement.ts';
import type { MemberNetwork } from '../memory/member-network.ts';
import type { MemoryDisk } from '../memory/memory-disk.ts';

export interface LedgerReport {
  /** Keys whose last acknowledged write is on no running member: clients cannot read it. */
  readonly lost: readonly string[];
  /** Keys that some home of the current placement does not hold yet. */
  readonly incomplete: readonly string[];
  readonly keys: number;
  readonly acknowledged: number;
}

/** The running members and the kept volumes. */
export interface LedgerHosts {
  lives(): readonly { readonly isRunning: boolean; readonly processName: string }[];
  disks(): Iterable<readonly [volumeUid: string, disk: MemoryDisk]>;
}

interface Entry {
  /** The number written last, or the sum of a counter. */
  readonly number: number;
  readonly isCounter: boolean;
  /** Wall milliseconds as the member stored it; infinite for keys that do not expire. */
  readonly expiresAtMs: number;
}

/** Members' clocks differ a little, and a member whose clock is ahead drops early. */
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

  /** A client got the answer that `key` = `number` is stored.
   *  @param expiresAtMs wall milliseconds by the clock of the member that took it */
  acknowledge(key: string, number: number, expiresAtMs = Number.POSITIVE_INFINITY): void {
    this.#count += 1;
    const known = this.#entries.get(key);
    if (known !== undefined && known.number >= number) return;
    this.#set(key, { number, isCounter: false, expiresAtMs });
  }

  /** A client got the answer that the counter `key` was incremented by `amount`. */
  acknowledgeCount(key: string, amount: number): void {
    this.#count += 1;
    const number = (this.#entries.get(key)?.number ?? 0) + amount;
    this.#set(key, { number, isCounter: true, expiresAtMs: Number.POSITIVE_INFINITY });
  }

  /** The owner gave up the data: nothing written so far is checked any more. */
  forget(): void {
    this.#entries.clear();
    this.#expiring = 0;
  }

  /** Every key with its last acknowledged number, or the sum of a counter. */
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

  /** Compares with the members that run now. */
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

  /** Keys whose last acknowledged write is on no volume but `leaving`; called before that volume goes. */
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

  /** Keys whose last acknowledged write is on running members: clients cannot read what is only on volumes. Homes of a
   *  counter may each lack what another just counted, so they are taken together.
   *  @param isCounted decides by process name which members count */
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

  /** Drops a key as soon as any member's clock may consider it expired. */
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
