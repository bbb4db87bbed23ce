// Which writes were acknowledged to clients, and where each of them is now. The judge of every run: a write that is on no
// running member and on no kept volume is lost. One writer per key writes rising numbers, so newer covers older.

import { partitionOf } from '../member/keys.ts';
import { ownersAt } from '../member/placement.ts';
import type { MemberNetwork } from '../memory/member-network.ts';
import type { MemoryDisk } from '../memory/memory-disk.ts';
import type { Kubelet } from './kubelet.ts';

export interface LedgerReport {
  /** Keys whose last acknowledged write is on no running member: clients cannot read it. */
  readonly lost: readonly string[];
  /** Keys that some home of the present placement does not hold yet. */
  readonly incomplete: readonly string[];
  readonly keys: number;
  readonly acknowledged: number;
}

export class Ledger {
  readonly #network: MemberNetwork;
  readonly #kubelet: () => Kubelet;
  readonly #acknowledged = new Map<string, number>();
  #count = 0;

  constructor(network: MemberNetwork, kubelet: () => Kubelet) {
    this.#network = network;
    this.#kubelet = kubelet;
  }

  /** A client was told that `key` = `number` is stored. */
  acknowledge(key: string, number: number): void {
    this.#count += 1;
    if ((this.#acknowledged.get(key) ?? -1) < number) this.#acknowledged.set(key, number);
  }

  /** The data was given up by whoever owns it: nothing written so far is asked for again. */
  forget(): void {
    this.#acknowledged.clear();
  }

  /** Every key with the last number a client was told of. */
  entries(): Iterable<readonly [key: string, number: number]> {
    return this.#acknowledged;
  }

  get size(): number {
    return this.#acknowledged.size;
  }

  get acknowledged(): number {
    return this.#count;
  }

  /** Against the members that run now. */
  check(): LedgerReport {
    const members = this.#running();
    const placement = members[0]?.view.placement;
    const lost: string[] = [];
    const incomplete: string[] = [];
    for (const [key, number] of this.#acknowledged) {
      const holders = members.filter((member) => numberOf(member.store.get(key)?.value) >= number);
      if (holders.length === 0) lost.push(key);
      if (placement === undefined) continue;
      const homes = ownersAt(placement, partitionOf(key));
      if (!homes.every((id) => holders.some((member) => member.settings.nodeId === id))) incomplete.push(key);
    }
    return { lost, incomplete, keys: this.#acknowledged.size, acknowledged: this.#count };
  }

  /** Keys whose last acknowledged write is on no volume but `leaving`; asked before that one goes. */
  onlyOn(leaving: MemoryDisk): readonly string[] {
    const kept = [...this.#kubelet().disks()].map(([, disk]) => disk).filter((disk) => disk !== leaving);
    const lost: string[] = [];
    for (const [key, number] of this.#acknowledged)
      if (!kept.some((disk) => numberOf(disk.version(key)?.value) >= number)) lost.push(key);
    return lost;
  }

  #running() {
    return this.#kubelet()
      .lives()
      .filter((life) => life.isRunning && this.#network.isUp(life.processName))
      .map((life) => this.#network.member(life.processName));
  }
}

function numberOf(value: string | undefined): number {
  return value === undefined || value === '' ? -1 : Number(value);
}
