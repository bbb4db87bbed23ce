// The totals of a campaign so far: sums and violations. Bounded whatever the number of seeds.

import { FAULTS, type Fault } from '../fate/fate.ts';
import type { UnitReport } from './units.ts';

export interface Violation {
  readonly seed: number;
  readonly what: string;
  /** The command that runs this life again. */
  readonly replay: string;
}

export interface ScenarioTotals {
  readonly scenario: string;
  seeds: number;
  removals: number;
  steps: number;
  virtualSeconds: number;
  acknowledged: number;
  writes: number;
  violations: number;
  readonly faults: Partial<Record<Fault, number>>;
  /** The first violations. */
  readonly shown: Violation[];
}

const MAX_SHOWN = 20;

export class Totals {
  readonly #byScenario = new Map<string, ScenarioTotals>();
  #cpuSeconds = 0;

  /** @param cpuSeconds 0 when unknown */
  add({ unit, life }: UnitReport, cpuSeconds = 0): void {
    this.#cpuSeconds += cpuSeconds;
    const totals = this.#of(unit.scenario);
    if (life === undefined) return;
    totals.seeds += 1;
    totals.removals += life.removals;
    totals.steps += life.steps;
    totals.virtualSeconds += life.virtualSeconds;
    totals.acknowledged += life.acknowledged;
    totals.writes += life.writes;
    for (const fault of FAULTS) {
      const count = life.faults[fault];
      if (count !== undefined) totals.faults[fault] = (totals.faults[fault] ?? 0) + count;
    }
    if (life.violation === undefined) return;
    totals.violations += 1;
    const without = unit.mutant === undefined ? '' : ` --mutant ${unit.mutant}`;
    const replay = `npm run sim --${without} --scenario ${unit.scenario} --from ${unit.seed} --seeds 1 --transcript`;
    if (totals.shown.length < MAX_SHOWN) totals.shown.push({ seed: unit.seed, what: life.violation, replay });
  }

  get scenarios(): readonly ScenarioTotals[] {
    return [...this.#byScenario.values()];
  }

  /** Summed over all processes. */
  get cpuSeconds(): number {
    return this.#cpuSeconds;
  }

  get violations(): number {
    return this.#sum('violations');
  }

  get seeds(): number {
    return this.#sum('seeds');
  }

  get removals(): number {
    return this.#sum('removals');
  }

  #sum(field: 'violations' | 'seeds' | 'removals'): number {
    return this.scenarios.reduce((sum, one) => sum + one[field], 0);
  }

  #of(scenario: string): ScenarioTotals {
    const known = this.#byScenario.get(scenario);
    if (known !== undefined) return known;
    const sums = { seeds: 0, removals: 0, steps: 0, virtualSeconds: 0, acknowledged: 0, writes: 0, violations: 0 };
    const created: ScenarioTotals = { scenario, ...sums, faults: {}, shown: [] };
    this.#byScenario.set(scenario, created);
    return created;
  }
}
