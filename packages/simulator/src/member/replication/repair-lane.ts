// The one sequential handler for anti-entropy messages of a member (docs/design/server.md#anti-entropy): work waits its
// turn, costs time, and is dropped without a trace when the queue is full.

import { laneSlots } from '../basics/constants.ts';
import type { MemberWorld } from '../basics/world.ts';

/** Does the work and returns its cost in member milliseconds. */
export type LaneJob = () => number;

/** Costs are added up to this before the lane pauses, so that thousands of cheap jobs do not need as many timers. */
const sliceMs = 20;

export class RepairLane {
  readonly #world: MemberWorld;
  readonly #delayMs: () => number;
  #queue: { readonly job: LaneJob; readonly readyAtMs: number }[] = [];
  #isRunning = false;

  constructor(world: MemberWorld, delayMs: () => number) {
    this.#world = world;
    this.#delayMs = delayMs;
  }

  /** False when the queue is full: the message is lost. */
  add(job: LaneJob): boolean {
    if (this.#queue.length >= laneSlots) return false;
    this.#queue.push({ job, readyAtMs: this.#world.now() + this.#delayMs() });
    if (!this.#isRunning) this.#continueAfter(0);
    return true;
  }

  #continueAfter(delayMs: number): void {
    this.#isRunning = true;
    this.#world.after(delayMs, () => this.#run());
  }

  #run(): void {
    const now = this.#world.now();
    let cost = 0;
    let next = 0;
    while (next < this.#queue.length && cost < sliceMs) {
      const entry = this.#queue[next];
      if (entry === undefined || entry.readyAtMs > now) break;
      cost += entry.job();
      next += 1;
    }
    this.#queue.splice(0, next);
    const head = this.#queue[0];
    this.#isRunning = false;
    if (head !== undefined) this.#continueAfter(Math.max(cost, head.readyAtMs - now));
    else if (cost > 0) this.#continueAfter(cost);
  }
}
