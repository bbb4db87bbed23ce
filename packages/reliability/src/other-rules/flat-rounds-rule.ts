// A rule that seems careful: it counts rounds of anti-entropy in which the repair counters stay within a bound, before
// and after each removal. It lacks test keys, a cap, and a baseline that includes no departure
// (docs/design/server.md#anti-entropy).

import type { MemberWorld } from '../world/member-world.ts';
import { type OtherRule, runningIds } from './rule.ts';

export interface FlatRules {
  readonly name: string;
  readonly story: string;
  /** Consecutive rounds required on every member. */
  readonly rounds: number;
  /** `zero`: nothing may be repaired. `baseline`: at most three times the 95th percentile of the last 20 rounds,
   *  whatever happened in them. */
  readonly bound: 'zero' | 'baseline';
}

const CHECK_MS = 1_000;
const LIMIT_MS = 600_000;
const BASELINE_ROUNDS = 20;
const LEAST_BOUND = 10;

export function flatRoundsRule({ name, story, rounds, bound }: FlatRules): OtherRule {
  return {
    name,
    story,
    async shrink(world, wanted) {
      const book = new RoundBook(world);
      const startedMs = world.nowMs;
      const missingWhenCalledSafe: number[] = [];
      if (bound === 'baseline') await book.until((entry) => entry.repairs.length >= BASELINE_ROUNDS);
      for (let id = runningIds(world).length - 1; id >= wanted; id -= 1) {
        const bounds = book.bounds(bound);
        world.kube.network.http(world.processOf(id), '/drain');
        await book.flat(rounds, bounds);
        world.removeObject('pods', `demo-${id}`);
        await world.until(() => world.pod(id) === undefined, LIMIT_MS, `Pod ${id} ends`);
        await world.until(() => isForgotten(world, id), LIMIT_MS, `${id} is forgotten`);
        await book.flat(rounds, bounds);
        missingWhenCalledSafe.push(world.checkLedger().incomplete.length);
      }
      return { tookMs: world.nowMs - startedMs, missingWhenCalledSafe };
    },
  };
}

function isForgotten(world: MemberWorld, id: number): boolean {
  return runningIds(world).every((other) => !world.shows(other, id));
}

interface Entry {
  rounds: number;
  total: number;
  /** Records repaired in each completed round, newest last. */
  repairs: number[];
}

/** The repairs of each member per round, polled every second. */
class RoundBook {
  readonly #world: MemberWorld;
  readonly #entries = new Map<string, Entry>();

  constructor(world: MemberWorld) {
    this.#world = world;
  }

  /** Polls until `isSo` is true of every member's entry. */
  async until(isSo: (entry: Entry) => boolean): Promise<void> {
    const startedMs = this.#world.nowMs;
    for (;;) {
      this.#readAll();
      if ([...this.#entries.values()].every(isSo)) return;
      if (this.#world.nowMs - startedMs > LIMIT_MS) throw new Error('the rounds are never flat');
      await this.#world.advance(CHECK_MS);
    }
  }

  async flat(rounds: number, bounds: (process: string) => number): Promise<void> {
    this.#readAll();
    const since = new Map(
      [...this.#entries].map(([process, entry]) => [entry, { process, from: entry.repairs.length }]),
    );
    await this.until((entry) => {
      const begun = since.get(entry);
      if (begun === undefined) return true;
      const recent = entry.repairs.slice(begun.from).slice(-rounds);
      return recent.length >= rounds && recent.every((count) => count <= bounds(begun.process));
    });
  }

  bounds(kind: FlatRules['bound']): (process: string) => number {
    if (kind === 'zero') return () => 0;
    const limits = new Map(
      [...this.#entries].map(([process, { repairs }]) => {
        const last = repairs.slice(-BASELINE_ROUNDS).sort((a, b) => a - b);
        return [process, Math.max(LEAST_BOUND, 3 * (last[Math.ceil(last.length * 0.95) - 1] ?? 0))];
      }),
    );
    return (process) => limits.get(process) ?? LEAST_BOUND;
  }

  #readAll(): void {
    const processes = runningIds(this.#world)
      .filter((id) => this.#world.member(id) !== undefined)
      .map((id) => this.#world.processOf(id));
    for (const gone of [...this.#entries.keys()]) if (!processes.includes(gone)) this.#entries.delete(gone);
    for (const process of processes) {
      const rounds = this.#world.kube.network.metric(process, 'ae_rounds_total');
      const total = this.#world.kube.network.metric(process, 'ae_repair_ops_total');
      const entry = this.#entries.get(process);
      if (entry === undefined) this.#entries.set(process, { rounds, total, repairs: [] });
      else if (rounds > entry.rounds) {
        entry.repairs.push(total - entry.total);
        entry.rounds = rounds;
        entry.total = total;
      }
    }
  }
}
