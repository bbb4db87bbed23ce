// A member whose folder is older than gc_grace (H1, H4): it takes what an Active co-owner has and deletes every record
// of its own that the co-owner lacks, without tombstone and without asking anyone else.

import type { VersionMark } from '../basics/messages.ts';
import type { MemberContext } from '../interfaces/context.ts';
import { ownedBy, ownersAt, type Placement } from '../membership/placement.ts';
import { isNewer } from '../records/merging.ts';

const askAgainMs = 2_000;

export class Rejoin {
  readonly #context: MemberContext;
  readonly #futurePlacement: () => Placement;
  readonly #verified = new Set<number>();
  readonly #askedAtMs = new Map<number, number>();
  #isActive: boolean;

  constructor(context: MemberContext, isActive: boolean, futurePlacement: () => Placement) {
    this.#context = context;
    this.#isActive = isActive;
    this.#futurePlacement = futurePlacement;
    context.metrics.set('rejoin_active', isActive ? 1 : 0);
  }

  get isActive(): boolean {
    return this.#isActive;
  }

  /** Partitions with data that no co-owner's root confirms yet. With RF 1 there is none and this never falls (H4). */
  pendingPartitions(): readonly number[] {
    if (!this.#isActive) return [];
    const { store, settings } = this.#context;
    return ownedBy(this.#futurePlacement(), settings.nodeId).filter(
      (partition) => !store.isEmpty(partition) && !this.#verified.has(partition),
    );
  }

  /** Compares the root of each pending partition with its first other home, from the gate and every view tick. */
  ask(): void {
    if (!this.#isActive) return;
    const { settings, world, store, send } = this.#context;
    const now = world.now();
    const pending = this.pendingPartitions();
    if (pending.length === 0 && this.#context.phase() !== 'Joining') this.end();
    const future = this.#futurePlacement();
    const asks = new Map<number, { partitions: number[]; roots: number[] }>();
    for (const partition of pending) {
      const askedAt = this.#askedAtMs.get(partition);
      if (askedAt !== undefined && now - askedAt < askAgainMs) continue;
      const partner = ownersAt(future, partition).find((id) => id !== settings.nodeId);
      if (partner === undefined) continue;
      this.#askedAtMs.set(partition, now);
      const list = asks.get(partner) ?? { partitions: [], roots: [] };
      list.partitions.push(partition);
      list.roots.push(store.rootOf(partition, now));
      asks.set(partner, list);
    }
    for (const [partner, list] of asks) send(partner, { kind: 'roots', probe: 'rejoin', ...list });
  }

  matched(partitions: readonly number[]): void {
    for (const partition of partitions) this.#verified.add(partition);
  }

  /** Follows the co-owner's list: drops what the co-owner lacks or has older, and asks for what it has newer. */
  obey(peer: number, partition: number, marks: readonly VersionMark[]): void {
    if (!this.#isActive) return;
    const { store, dropLocal, metrics, send } = this.#context;
    const theirs = new Map(marks.map((mark) => [mark[0], mark]));
    for (const version of [...store.versionsOf(partition)]) {
      const mark = theirs.get(version.key);
      if (mark !== undefined && !isNewer(version, { clock: mark[1], origin: mark[2] })) continue;
      dropLocal(version.key);
      metrics.add('rejoin_dropped_records_total');
    }
    const wanted = marks.filter(([key, clock, origin]) => {
      const held = store.get(key);
      return held === undefined || isNewer({ clock, origin }, held);
    });
    if (wanted.length > 0) send(peer, { kind: 'request-keys', partition, keys: wanted.map(([key]) => key) });
    this.#askedAtMs.delete(partition);
  }

  end(): void {
    this.#isActive = false;
    this.#context.metrics.set('rejoin_active', 0);
  }
}
