// Which partition is scanned next. In turn: one not scanned in this sweep, one due again, and one that waits for a
// member that does not answer. Those are not tried over and over: thousands of partitions may wait for one dead member.

import { PARTITIONS } from '@marekvs/api';
import { RECHECK_FORGOTTEN_MS, RECHECK_MS } from './limits.ts';

/** What the members allow now. */
export interface Allowance {
  readonly nowMs: number;
  /** Whether something can be asked about this partition. */
  canScan(partition: number): boolean;
  /** Whether a failed member may be tried again. */
  mayTry(): boolean;
}

interface Due {
  readonly partition: number;
  readonly dueMs: number;
}

export class Schedule {
  #next = PARTITIONS;
  /** One queue for each delay, so that each is in the order of time. */
  #again: Due[] = [];
  #later: Due[] = [];
  #blocked: number[] = [];
  /** Number of blocked partitions that may go on. */
  #released = 0;
  #scanAfterMs = Number.NEGATIVE_INFINITY;
  #turn = 0;

  /** Starts over with the first of all partitions, and nothing else. */
  begin(): void {
    this.#next = 0;
    this.#again = [];
    this.#later = [];
    this.#blocked = [];
    this.#released = 0;
  }

  /** Goes on with these at once, besides those not yet taken, whatever was under way or waited. */
  resume(isLeft: (partition: number) => boolean, nowMs: number): void {
    const taken = Array.from({ length: this.#next }, (_, partition) => partition);
    this.#again = taken.filter(isLeft).map((partition) => ({ partition, dueMs: nowMs }));
    this.#later = [];
    this.#blocked = [];
    this.#released = 0;
  }

  /** @param isForgotten nothing is known of it but how much is missing */
  again(partition: number, isForgotten: boolean, nowMs: number): void {
    if (isForgotten) this.#later.push({ partition, dueMs: nowMs + RECHECK_FORGOTTEN_MS });
    else this.#again.push({ partition, dueMs: nowMs + RECHECK_MS });
  }

  /** A failed member answers again. */
  release(): void {
    this.#released = this.#blocked.length;
  }

  take(allowed: Allowance): number | undefined {
    for (let tried = 0; tried < 3; tried += 1) {
      this.#turn = (this.#turn + 1) % 3;
      const partition = this.#takeFrom(this.#turn, allowed);
      if (partition !== undefined) return partition;
    }
    return undefined;
  }

  #takeFrom(turn: number, allowed: Allowance): number | undefined {
    if (turn === 0) return this.#takeNew(allowed);
    return turn === 1 ? this.#takeDue(allowed) : this.#takeBlocked(allowed);
  }

  #takeNew(allowed: Allowance): number | undefined {
    while (this.#next < PARTITIONS) {
      const partition = this.#next;
      this.#next += 1;
      if (allowed.canScan(partition)) return partition;
      this.#blocked.push(partition);
    }
    return undefined;
  }

  #takeDue(allowed: Allowance): number | undefined {
    for (;;) {
      const queue = this.#firstQueue();
      const [head] = queue;
      if (head === undefined || head.dueMs > allowed.nowMs) return undefined;
      queue.shift();
      if (allowed.canScan(head.partition)) return head.partition;
      this.#blocked.push(head.partition);
    }
  }

  /** The queue whose first partition is due first, so that neither starves; an empty one only when both are. */
  #firstQueue(): Due[] {
    const dueMs = (queue: readonly Due[]): number => queue[0]?.dueMs ?? Number.POSITIVE_INFINITY;
    return dueMs(this.#later) < dueMs(this.#again) ? this.#later : this.#again;
  }

  #takeBlocked(allowed: Allowance): number | undefined {
    if (this.#blocked.length === 0) return undefined;
    if (this.#released === 0 && !(allowed.nowMs >= this.#scanAfterMs && allowed.mayTry())) return undefined;
    for (let left = this.#released === 0 ? this.#blocked.length : this.#released; left > 0; left -= 1) {
      const partition = this.#blocked.shift() ?? 0;
      this.#released = Math.max(0, this.#released - 1);
      if (allowed.canScan(partition)) return partition;
      this.#blocked.push(partition);
    }
    this.#scanAfterMs = allowed.nowMs + RECHECK_MS;
    return undefined;
  }

  /** When there may be something to scan: `nowMs` or later.
   *  @param triedAtMs when the first failed member may be tried; undefined when none waits for that */
  nextAtMs(nowMs: number, triedAtMs: number | undefined): number | undefined {
    if (this.#next < PARTITIONS || this.#released > 0) return nowMs;
    const times = this.#firstQueue()
      .slice(0, 1)
      .map(({ dueMs }) => dueMs);
    if (this.#blocked.length > 0 && triedAtMs !== undefined) times.push(Math.max(triedAtMs, this.#scanAfterMs));
    return times.length === 0 ? undefined : Math.max(nowMs, Math.min(...times));
  }
}
