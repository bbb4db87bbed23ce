// Filling newly owned, empty partitions from their present owners (docs/design/server.md#joining, #after-a-departure):
// the asking side. Members that were ever restarted never ask. Streaming is donor.ts.

import { bootstrapBackoffMs, bootstrapTickMs, partitionCount } from '../basics/constants.ts';
import type { MeshMessage } from '../basics/messages.ts';
import { type MemberContext, othersIn, pickOne } from '../interfaces/context.ts';
import { coOwnersAt, isOwner, ownedBy, type Placement, placementWith } from '../membership/placement.ts';
import type { View } from '../membership/view.ts';

interface Pending {
  readonly donor: number;
  readonly attempts: number;
}

type Choice = (partition: number) => readonly number[];

/** No request is outstanding for the partition. */
const notPending = Number.NaN;
const nobody: readonly number[] = [];

export class Bootstrap {
  readonly #context: MemberContext;
  readonly #isReturning: boolean;
  readonly #pending = new Map<number, Pending>();
  /** Per partition, when an outstanding request is repeated. The gate checks all of them at every poll. */
  readonly #retryAtMs = new Float64Array(partitionCount).fill(notPending);
  /** 1 once bootstrapped, for the life of the process; in a cold-started cluster mostly while empty. */
  readonly #done = new Uint8Array(partitionCount);
  /** While view and future placement are these, no tick before `untilMs` has anything to do. */
  #quiet: { readonly untilMs: number; readonly view: View; readonly future: Placement } | undefined;

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
    const choice = this.#choice();
    for (const partition of ownedBy(this.futurePlacement(), settings.nodeId)) {
      if (this.#done[partition] === 1) continue;
      const retryAtMs = this.#retryAtMs[partition] ?? notPending;
      // A request that got stuck when the partition moved away is due as soon as the partition is owned again.
      const isDue = Number.isNaN(retryAtMs) ? store.isEmpty(partition) : now >= retryAtMs;
      if (isDue) this.#order(partition, choice, orders);
    }
    this.#send(orders);
  }

  /** The placement once this member is Active. */
  futurePlacement(): Placement {
    const { view, settings, phase } = this.#context;
    const { placement } = view();
    return phase() === 'Joining' ? placementWith(placement, settings.nodeId, settings.replicas) : placement;
  }

  /** All outstanding requests, also for partitions no longer owned: this can stay above 0 for ever. */
  pendingCount(): number {
    return this.#pending.size;
  }

  /** Outstanding requests for partitions that are (or will be) owned; the join gate waits for them. */
  blockingCount(): number {
    if (this.#pending.size === 0) return 0;
    const owned = ownedBy(this.futurePlacement(), this.#context.settings.nodeId);
    let count = 0;
    for (const partition of owned) if (this.#isPending(partition)) count += 1;
    return count;
  }

  receive(message: MeshMessage): void {
    if (message.kind === 'bootstrap-refused') {
      const { world } = this.#context;
      for (const partition of message.partitions) {
        // The donor's view may lag: asked for again at the next tick, or stuck if no longer owned by then.
        if (this.#isPending(partition)) this.#retryAtMs[partition] = world.now();
      }
      this.#quiet = undefined;
    } else if (message.kind === 'bootstrap-chunk') {
      for (const version of message.versions) this.#context.applyRemote(version);
      for (const partition of message.done) {
        if (!this.#pending.delete(partition)) continue;
        this.#retryAtMs[partition] = notPending;
        this.#done[partition] = 1;
        this.#context.metrics.add('bootstraps_completed_total');
      }
    }
  }

  #retry(): void {
    const { world, settings, view } = this.#context;
    if (this.#pending.size === 0) return;
    const now = world.now();
    const future = this.futurePlacement();
    const isSame = this.#quiet?.view === view() && this.#quiet.future === future;
    if (isSame && this.#quiet !== undefined && now < this.#quiet.untilMs) return;
    const present = new Set(view().members.map((member) => member.id));
    let untilMs = Number.POSITIVE_INFINITY;
    const choice = this.#choice();
    const orders = new Map<number, number[]>();
    for (const [partition, pending] of this.#pending) {
      // The partition moved to another member: the request is neither repeated nor cleared
      // (docs/design/server.md#metrics).
      if (!isOwner(future, partition, settings.nodeId)) continue;
      if (now >= this.#retryAt(partition) || !present.has(pending.donor)) this.#order(partition, choice, orders);
      untilMs = Math.min(untilMs, this.#retryAt(partition));
    }
    this.#send(orders);
    this.#quiet = { untilMs, view: view(), future };
  }

  #isPending(partition: number): boolean {
    return !Number.isNaN(this.#retryAt(partition));
  }

  #retryAt(partition: number): number {
    return this.#retryAtMs[partition] ?? notPending;
  }

  /** The possible donors of a partition: its other homes that are Active, or else the first of its other homes. */
  #choice(): Choice {
    const { view, settings } = this.#context;
    const actives = othersIn(this.#context, 'Active');
    const homes = coOwnersAt(view().placement, settings.nodeId);
    // Thousands of partitions share a few distinct lists of homes.
    const donors = new Map<readonly number[], readonly number[]>();
    return (partition) => {
      const owners = homes[partition] ?? nobody;
      let found = donors.get(owners);
      if (found === undefined) {
        const active = owners.filter((id) => actives.includes(id));
        found = active.length > 0 ? active : owners.slice(0, 1);
        donors.set(owners, found);
      }
      return found;
    };
  }

  #order(partition: number, choice: Choice, orders: Map<number, number[]>): void {
    const { world } = this.#context;
    const donor = pickOne(world, choice(partition));
    if (donor === undefined) return;
    const before = this.#pending.get(partition);
    const attempts = before === undefined ? 0 : before.attempts + 1;
    this.#pending.set(partition, { donor, attempts });
    this.#retryAtMs[partition] = world.now() + backoff(attempts);
    this.#quiet = undefined;
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
