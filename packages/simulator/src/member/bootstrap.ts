// Filling newly owned, empty partitions from their present owners (marekvs.md 5.2.2, 9, and 11 "5.2.2 refined"):
// the asking side. Members that were ever restarted never ask. Streaming is donor.ts.

import { bootstrapBackoffMs, bootstrapTickMs } from './constants.ts';
import { type MemberContext, othersIn, pickOne } from './context.ts';
import type { MeshMessage } from './messages.ts';
import { isOwner, ownedBy, ownersAt, type Placement, placementWith } from './placement.ts';

interface Pending {
  donor: number;
  attempts: number;
  retryAtMs: number;
}

export class Bootstrap {
  readonly #context: MemberContext;
  readonly #isReturning: boolean;
  readonly #pending = new Map<number, Pending>();
  /** For the life of the process; in a cold-started cluster most partitions enter it while empty. */
  readonly #done = new Set<number>();

  constructor(context: MemberContext, isReturning: boolean) {
    this.#context = context;
    this.#isReturning = isReturning;
  }

  start(): void {
    this.#context.world.after(bootstrapTickMs, () => {
      this.#retry();
      this.start();
    });
  }

  /** Asks for every partition this member owns (or would own once Active) that is empty and was never asked for. */
  request(): void {
    if (this.#isReturning) return;
    const { settings, store, world } = this.#context;
    const now = world.now();
    const orders = new Map<number, number[]>();
    const actives = othersIn(this.#context, 'Active');
    for (const partition of ownedBy(this.futurePlacement(), settings.nodeId)) {
      if (this.#done.has(partition)) continue;
      const pending = this.#pending.get(partition);
      // One that got stuck when it was lost to another member is asked for as soon as it is owned again.
      const isDue = pending === undefined ? store.isEmpty(partition) : now >= pending.retryAtMs;
      if (isDue) this.#order(partition, pending === undefined ? 0 : pending.attempts + 1, actives, orders);
    }
    this.#send(orders);
  }

  /** The placement once this member is Active. */
  futurePlacement(): Placement {
    const { view, settings, phase } = this.#context;
    const { placement } = view();
    return phase() === 'Joining' ? placementWith(placement, settings.nodeId, settings.replicas) : placement;
  }

  /** All that is outstanding, also for partitions no longer owned: this is what can stand above 0 for ever. */
  pendingCount(): number {
    return this.#pending.size;
  }

  /** What the join gate waits for. */
  blockingCount(): number {
    if (this.#pending.size === 0) return 0;
    const owned = ownedBy(this.futurePlacement(), this.#context.settings.nodeId);
    return owned.reduce((count, partition) => count + (this.#pending.has(partition) ? 1 : 0), 0);
  }

  receive(message: MeshMessage): void {
    if (message.kind === 'bootstrap-refused') {
      const { world } = this.#context;
      for (const partition of message.partitions) {
        const pending = this.#pending.get(partition);
        // The donor's view may lag behind this one: asked again at the next tick, and stuck when not owned by then.
        if (pending !== undefined) pending.retryAtMs = world.now();
      }
    } else if (message.kind === 'bootstrap-chunk') {
      for (const version of message.versions) this.#context.applyRemote(version);
      for (const partition of message.done) {
        if (!this.#pending.delete(partition)) continue;
        this.#done.add(partition);
        this.#context.metrics.add('bootstraps_completed_total');
      }
    }
  }

  #retry(): void {
    const { world, settings, view } = this.#context;
    if (this.#pending.size === 0) return;
    const now = world.now();
    const present = new Set(view().members.map((member) => member.id));
    const future = this.futurePlacement();
    const actives = othersIn(this.#context, 'Active');
    const orders = new Map<number, number[]>();
    for (const [partition, pending] of this.#pending) {
      if (now < pending.retryAtMs && present.has(pending.donor)) continue;
      // Lost to another member meanwhile: nobody asks again and nobody clears it (marekvs.md 11, "Stuck gate").
      if (isOwner(future, partition, settings.nodeId)) this.#order(partition, pending.attempts + 1, actives, orders);
    }
    this.#send(orders);
  }

  #order(partition: number, attempts: number, actives: readonly number[], orders: Map<number, number[]>): void {
    const { view, settings, world } = this.#context;
    const owners = ownersAt(view().placement, partition).filter((id) => id !== settings.nodeId);
    const donor =
      pickOne(
        world,
        owners.filter((id) => actives.includes(id)),
      ) ?? owners[0];
    if (donor === undefined) return;
    this.#pending.set(partition, { donor, attempts, retryAtMs: world.now() + backoff(attempts) });
    const list = orders.get(donor) ?? [];
    list.push(partition);
    orders.set(donor, list);
  }

  #send(orders: ReadonlyMap<number, readonly number[]>): void {
    const isJoining = this.#context.phase() === 'Joining';
    for (const [donor, partitions] of orders) {
      this.#context.send(donor, { kind: 'bootstrap-request', isJoining, partitions });
    }
  }
}

function backoff(attempts: number): number {
  return bootstrapBackoffMs[Math.min(attempts, bootstrapBackoffMs.length - 1)] ?? 0;
}
