// Streaming partitions to other members, one after the other (docs/design/server.md#forming: first alone, then the
// rest, 37-74 s). Which partitions to ask for is bootstrap.ts.

import {
  donorBytesPerMs,
  donorDedupMs,
  donorMsPerPartitionActive,
  donorMsPerPartitionJoining,
  partitionCount,
} from '../basics/constants.ts';
import type { Version } from '../basics/messages.ts';
import type { MemberContext } from '../interfaces/context.ts';
import { isOwner, placementWith } from '../membership/placement.ts';
import { sizeOf } from '../records/store.ts';

interface Order {
  readonly peer: number;
  readonly partition: number;
  readonly isJoining: boolean;
}

const never = Number.NEGATIVE_INFINITY;
const sliceMs = 50;
const frameRecords = 256;

export class Donor {
  readonly #context: MemberContext;
  /** By peer and partition: when the peer last asked for it or was sent it. */
  readonly #seenAtMs = new Map<number, Float64Array>();
  readonly #joinerOrders = new Orders();
  readonly #otherOrders = new Orders();
  #isStreaming = false;

  constructor(context: MemberContext) {
    this.#context = context;
  }

  accept(peer: number, isJoining: boolean, partitions: readonly number[]): void {
    const now = this.#context.world.now();
    const seenAtMs = this.#seenOf(peer);
    for (const partition of partitions) {
      if (now - (seenAtMs[partition] ?? never) < donorDedupMs) continue;
      seenAtMs[partition] = now;
      (isJoining ? this.#joinerOrders : this.#otherOrders).push({ peer, partition, isJoining });
    }
    if (!this.#isStreaming && this.#hasOrders()) this.#stream();
  }

  #stream(): void {
    this.#isStreaming = true;
    const { metrics, send, world, knobs } = this.#context;
    let cost = 0;
    const chunks = new Map<number, { done: number[]; versions: Version[] }>();
    const refused = new Map<number, number[]>();
    const isForming = this.#context.view().members.some((member) => member.phase === 'Joining');
    while (cost < sliceMs && !knobs().bootstrapHangs) {
      const order = this.#next(isForming);
      if (order === undefined) break;
      if (!this.#isDue(order)) {
        const list = refused.get(order.peer) ?? [];
        list.push(order.partition);
        this.#seenOf(order.peer)[order.partition] = never;
        refused.set(order.peer, list);
        continue;
      }
      const chunk = chunks.get(order.peer) ?? { done: [], versions: [] };
      chunks.set(order.peer, chunk);
      const bytes = this.#fill(chunk, order.partition);
      metrics.add('bootstrap_bytes_sent_total', bytes);
      // A long wait in the queue must not look like a repeated request later.
      this.#seenOf(order.peer)[order.partition] = world.now();
      cost += (order.isJoining ? donorMsPerPartitionJoining : donorMsPerPartitionActive) + bytes / donorBytesPerMs;
    }
    for (const [peer, partitions] of refused) send(peer, { kind: 'bootstrap-refused', partitions });
    // The partition arrives when its stream has ended.
    world.after(Math.max(cost, sliceMs), () => {
      for (const [peer, chunk] of chunks) send(peer, { kind: 'bootstrap-chunk', ...chunk });
      this.#isStreaming = false;
      if (this.#hasOrders()) this.#stream();
    });
  }

  #seenOf(peer: number): Float64Array {
    let seenAtMs = this.#seenAtMs.get(peer);
    if (seenAtMs === undefined) {
      seenAtMs = new Float64Array(partitionCount).fill(never);
      this.#seenAtMs.set(peer, seenAtMs);
    }
    return seenAtMs;
  }

  /** While any member is joining, requests of Active members wait. A forming cluster then streams by its final
   *  ownership, as the recorded counts show (bootstraps_completed_total equals the owned partitions), and requests for
   *  partitions that have moved meanwhile are refused. */
  #next(isForming: boolean): Order | undefined {
    const joiner = this.#joinerOrders.next();
    if (joiner !== undefined) return joiner;
    return isForming ? undefined : this.#otherOrders.next();
  }

  #hasOrders(): boolean {
    return !this.#joinerOrders.isEmpty || !this.#otherOrders.isEmpty;
  }

  /** Checked when the order's turn comes: if the view has changed by then the order is refused, and the asking member
   *  may keep it pending for ever. */
  #isDue({ peer, partition }: Order): boolean {
    const { view, settings } = this.#context;
    const { placement } = view();
    const future = placementWith(placement, peer, settings.replicas);
    return isOwner(placement, partition, settings.nodeId) && isOwner(future, partition, peer);
  }

  /** A frame takes `frameRecords` records whatever their size. A frame above the size limit is lost as a whole, and the
   *  partition still counts as done. */
  #fill(chunk: { done: number[]; versions: Version[] }, partition: number): number {
    const { store, knobs } = this.#context;
    let bytes = 0;
    const versions = Array.from(store.versionsOf(partition));
    for (let from = 0; from < versions.length; from += frameRecords) {
      const frame = versions.slice(from, from + frameRecords);
      const size = frame.reduce((sum, version) => sum + sizeOf(version), 0);
      if (size > knobs().maxFrameBytes) continue;
      chunk.versions.push(...frame);
      bytes += size;
    }
    chunk.done.push(partition);
    return bytes;
  }
}

/** A FIFO. `shift` on an array of some thousands would move all the others. */
class Orders {
  #list: Order[] = [];
  #taken = 0;

  get isEmpty(): boolean {
    return this.#taken === this.#list.length;
  }

  push(order: Order): void {
    this.#list.push(order);
  }

  next(): Order | undefined {
    const order = this.#list[this.#taken];
    if (order !== undefined) this.#taken += 1;
    if (this.isEmpty) {
      this.#list = [];
      this.#taken = 0;
    }
    return order;
  }
}
