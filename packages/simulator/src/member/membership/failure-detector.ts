// Is one peer alive? The phi formula of docs/design/server.md#failure-detection over the intervals between rising
// heartbeats. When to judge which peer, and what follows, is gossip.ts.

import { phiMaxIntervalMs, phiPriorMs, phiPriorWeight, phiThreshold, phiWindow } from '../basics/constants.ts';

export class FailureDetector {
  #intervals: number[] = [];
  #next = 0;
  #sum = 0;
  #lastAt: number | undefined;

  /** A heartbeat higher than any before was heard. */
  report(nowMs: number): void {
    if (this.#lastAt !== undefined) {
      const interval = nowMs - this.#lastAt;
      if (interval <= phiMaxIntervalMs) this.#append(interval);
    }
    this.#lastAt = nowMs;
  }

  /** Undefined until one interval was seen: a peer counts as live only after three rising heartbeats. */
  phi(nowMs: number): number | undefined {
    if (this.#lastAt === undefined || this.#intervals.length === 0) return undefined;
    const mean = (this.#sum + phiPriorWeight * phiPriorMs) / (this.#intervals.length + phiPriorWeight);
    return (nowMs - this.#lastAt) / mean;
  }

  isAlive(nowMs: number): boolean {
    const phi = this.phi(nowMs);
    return phi !== undefined && phi <= phiThreshold;
  }

  /** A peer found dead starts afresh when it is heard again. */
  reset(): void {
    this.#intervals = [];
    this.#next = 0;
    this.#sum = 0;
  }

  #append(interval: number): void {
    if (this.#intervals.length < phiWindow) {
      this.#intervals.push(interval);
    } else {
      this.#sum -= this.#intervals[this.#next] ?? 0;
      this.#intervals[this.#next] = interval;
      this.#next = (this.#next + 1) % phiWindow;
    }
    this.#sum += interval;
  }
}
