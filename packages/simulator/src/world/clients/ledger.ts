// Which writes were acknowledged to clients, and where each of them is now: the judge of every run. It keeps every
// record as the member stored it that took the write, and merges these as the server merges records. So what the server
// itself gives up, whoever stays, is not held against a removal: the write with the lower clock of two, a deadline that
// was renewed while a member with the old one was away, a HyperLogLog that was deleted and filled again. A record is
// lost when what is left of it, merged, does not contain the acknowledged one. Deletions are records too: one that is
// lost lets something come back.

import { clockStepsPerMs } from '../../member/basics/constants.ts';
import type { Version } from '../../member/basics/messages.ts';
import { ownersAt } from '../../member/membership/placement.ts';
import { isExpired } from '../../member/records/expiry.ts';
import { partitionOf } from '../../member/records/keys.ts';
import { contains, isNewer, MAX_LIVE, merge } from '../../member/records/merging.ts';
import type { MemberNetwork } from '../../memory/member-network.ts';
import type { MemoryDisk } from '../../memory/memory-disk.ts';

export interface LedgerReport {
  /** Records of which running members have less than was acknowledged: clients cannot read it. */
  readonly lost: readonly string[];
  /** Records of which some home of the current placement has less; never registers, which are not reconciled. */
  readonly incomplete: readonly string[];
  readonly keys: number;
  readonly acknowledged: number;
}

/** The running members and the kept volumes. */
export interface LedgerHosts {
  lives(): readonly { readonly isRunning: boolean; readonly processName: string }[];
  disks(): Iterable<readonly [volumeUid: string, disk: MemoryDisk]>;
}

/** Members' clocks differ a little, and a member whose clock is ahead lets a record expire early. */
const EXPIRY_MARGIN_MS = 2_000;

export class Ledger {
  readonly #network: MemberNetwork;
  readonly #hosts: () => LedgerHosts;
  readonly #entries = new Map<string, Version>();
  /** The records that are deleted or can expire. */
  readonly #mortal = new Set<string>();
  /** The newest deletion of each counter. Members merge the slots of a counter that was deleted on other members into
   *  one that was begun anew, or do not, by the order in which they hear of the three: no removal is to blame. */
  readonly #deletions = new Map<string, Version>();
  #count = 0;

  constructor(network: MemberNetwork, hosts: () => LedgerHosts) {
    this.#network = network;
    this.#hosts = hosts;
  }

  /** A client got its answer.
   *  @param records as the member that took the write stores them now; undefined: it has none */
  acknowledge(records: readonly (Version | undefined)[]): void {
    for (const record of records) {
      if (record === undefined) continue;
      this.#count += 1;
      this.#noteDeletion(record);
      if (this.#isDeleted(record)) continue;
      const known = this.#entries.get(record.key);
      const entry = known === undefined ? record : merge(known, record);
      this.#entries.set(entry.key, entry);
      if (entry.isDead || entry.expiresAtMs !== undefined) this.#mortal.add(entry.key);
      else this.#mortal.delete(entry.key);
    }
  }

  #noteDeletion(record: Version): void {
    const known = this.#deletions.get(record.key);
    if (record.isDead && record.merged === undefined && (known === undefined || isNewer(record, known)))
      this.#deletions.set(record.key, record);
  }

  /** Whether it is a counter of before its deletion. */
  #isDeleted(record: Version): boolean {
    const deletion = this.#deletions.get(record.key);
    return record.merged?.kind === 'counter' && deletion !== undefined && isNewer(deletion, record);
  }

  /** The owner gave up the data: nothing written so far is checked any more. */
  forget(): void {
    this.#entries.clear();
    this.#mortal.clear();
    this.#deletions.clear();
  }

  /** Every record that clients should be able to read, as it was acknowledged last. */
  *readable(): Iterable<Version> {
    const nowMs = this.#latestNowMs();
    for (const entry of this.#entries.values()) if (!isOver(entry, nowMs)) yield entry;
  }

  /** Wall milliseconds of the last write to a record, by the clock of the member that took it. */
  writtenAtMs(key: string): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? Number.NEGATIVE_INFINITY : entry.clock / clockStepsPerMs;
  }

  /** Records, deletions among them. */
  get size(): number {
    return this.#entries.size;
  }

  /** Writes of records. */
  get acknowledged(): number {
    return this.#count;
  }

  /** Compares with the members that run now. */
  check(): LedgerReport {
    const nowMs = this.#forgetOld();
    const members = this.#running();
    const placement = members[0]?.view.placement;
    const lost: string[] = [];
    const incomplete: string[] = [];
    for (const [key, entry] of this.#entries) {
      const versions = new Map(members.map((member) => [member.settings.nodeId, member.store.get(key)]));
      if (!isKept(entry, [...versions.values()], nowMs)) lost.push(key);
      // The server never reconciles registers (merging.ts): one may stay where it was counted when homes change.
      if (placement === undefined || entry.merged?.kind === 'register') continue;
      const homes = ownersAt(placement, partitionOf(key));
      if (!homes.every((id) => isKept(entry, [versions.get(id)], nowMs))) incomplete.push(key);
    }
    return { lost, incomplete, keys: this.#entries.size, acknowledged: this.#count };
  }

  /** Records of which all volumes but `leaving` have less than was acknowledged; called before that volume goes. */
  onlyOn(leaving: MemoryDisk): readonly string[] {
    const nowMs = this.#forgetOld();
    const kept = [...this.#hosts().disks()].map(([, disk]) => disk).filter((disk) => disk !== leaving);
    return this.#keptBy((key) => kept.map((disk) => disk.version(key)), nowMs, false);
  }

  /** Records of which running members have, together, all that was acknowledged: clients cannot read what is only on
   *  volumes.
   *  @param isCounted decides by process name which members count */
  keptOnLiving(isCounted: (processName: string) => boolean): ReadonlySet<string> {
    const nowMs = this.#forgetOld();
    const members = this.#running(isCounted);
    return new Set(this.#keptBy((key) => members.map(({ store }) => store.get(key)), nowMs, true));
  }

  #keptBy(versionsOf: (key: string) => readonly (Version | undefined)[], nowMs: number, isWanted: boolean) {
    const keys: string[] = [];
    for (const [key, entry] of this.#entries) if (isKept(entry, versionsOf(key), nowMs) === isWanted) keys.push(key);
    return keys;
  }

  /** Members forget deletions after gcGraceSeconds, so nobody can ask for them then. Returns the present time of the
   *  member whose clock is furthest ahead. */
  #forgetOld(): number {
    const nowMs = this.#latestNowMs();
    if (this.#mortal.size === 0) return nowMs;
    const graceMs = 1_000 * Math.min(...this.#running().map(({ settings }) => settings.gcGraceSeconds));
    for (const key of this.#mortal) {
      const entry = this.#entries.get(key);
      if (entry === undefined || nowMs - endOf(entry) < graceMs / 2) continue;
      this.#entries.delete(key);
      this.#mortal.delete(key);
    }
    return nowMs;
  }

  #latestNowMs(): number {
    return Math.max(...this.#running().map((member) => member.wallNow()), this.#network.wallNow());
  }

  #running(isCounted: (processName: string) => boolean = () => true) {
    return this.#hosts()
      .lives()
      .filter((life) => life.isRunning && this.#network.isUp(life.processName) && isCounted(life.processName))
      .map((life) => this.#network.member(life.processName));
  }
}

function isKept(entry: Version, versions: readonly (Version | undefined)[], nowMs: number): boolean {
  // Members share the version that one of them stored, so usually nothing needs to be merged.
  if (versions.includes(entry)) return true;
  const held = versions.reduce((a, b) => (a === undefined || b === undefined ? (a ?? b) : merge(a, b)), undefined);
  if (held === undefined) return isOver(entry, nowMs);
  if (contains(held, entry) || contains(held, withoutGivenUp(entry, held))) return true;
  // What nobody can read any more may be gone in any way.
  return isOver(entry, nowMs) && isOver(held, nowMs);
}

/** An element keeps its newest values only. One that was pushed out by a write that nobody acknowledged, and whose
 *  successors were deleted, is nowhere, and nobody's fault. */
function withoutGivenUp(entry: Version, { merged: held }: Version): Version {
  const { merged } = entry;
  if (merged?.kind !== 'element' || held?.kind !== 'element') return entry;
  const later = [...held.live, ...held.covered];
  const live = merged.live.filter((dot) => later.filter((one) => isNewer(one, dot)).length < MAX_LIVE);
  return { ...entry, merged: { ...merged, live } };
}

/** Deleted, or any member's clock may consider it expired. */
function isOver(version: Version, nowMs: number): boolean {
  return version.isDead || isExpired(version, nowMs + EXPIRY_MARGIN_MS);
}

function endOf({ isDead, clock, expiresAtMs = Number.POSITIVE_INFINITY }: Version): number {
  return isDead ? clock / clockStepsPerMs : expiresAtMs;
}
