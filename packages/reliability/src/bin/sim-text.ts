// What `npm run sim` prints: a line per scenario, the faults by kind, each violation with the command to replay it.

import type { ScenarioTotals, Totals } from '../run/totals.ts';
import { titleOf } from '../run/units.ts';

export interface Timing {
  readonly seconds: number;
  readonly jobs: number;
}

const MAX_LINES = 60;

export function reportText(totals: Totals, timing: Timing): string {
  const { scenarios } = totals;
  const lines = [...scenarios.map(scenarioLine), '', faultsLine(scenarios), speedLine(totals, timing)];
  return `${[...lines, ...scenarios.flatMap(violationLines)].join('\n')}\n`;
}

export function reportJson(totals: Totals, timing: Timing): string {
  const { seconds, jobs } = timing;
  const { seeds, removals, violations, cpuSeconds } = totals;
  const speed = { seedsPerSecond: rate(seeds, seconds), removalsPerSecond: rate(removals, seconds) };
  return `${JSON.stringify({ seconds, jobs, cpuSeconds, seeds, removals, violations, ...speed, scenarios: totals.scenarios }, undefined, 1)}\n`;
}

function scenarioLine({
  scenario,
  seeds,
  removals,
  steps,
  violations,
  acknowledged,
  virtualSeconds,
}: ScenarioTotals): string {
  const numbers = [
    `${seeds} seeds`.padStart(11),
    `${removals} removals`.padStart(14),
    `${thousands(steps)} steps`.padStart(14),
    `${(virtualSeconds / 3_600).toFixed(1)} virtual h`.padStart(15),
    `${thousands(acknowledged)} writes acknowledged`.padStart(27),
  ];
  const mark = violations === 0 ? '✓' : '✗';
  return `${mark} ${scenario.padEnd(23)}${numbers.join('')}   ${violations} violations`;
}

function faultsLine(scenarios: readonly ScenarioTotals[]): string {
  const sums = new Map<string, number>();
  for (const { faults } of scenarios)
    for (const [fault, count] of Object.entries(faults)) sums.set(fault, (sums.get(fault) ?? 0) + count);
  const parts = [...sums].sort((a, b) => b[1] - a[1]).map(([fault, count]) => `${fault} ${count}`);
  return `Faults: ${parts.join(', ') || 'none'}`;
}

/** Elapsed time says little on a shared machine, so CPU time is shown too. */
function speedLine({ seeds, removals, cpuSeconds }: Totals, { seconds, jobs }: Timing): string {
  const speeds = `${rate(seeds, seconds)} seeds and ${rate(removals, seconds)} removals per second`;
  const cpu = `${cpuSeconds.toFixed(1)} CPU seconds, ${(cpuSeconds / Math.max(1, seeds)).toFixed(2)} a seed`;
  return `Took ${seconds.toFixed(1)} s with ${jobs} process${jobs === 1 ? '' : 'es'}: ${speeds}; ${cpu}`;
}

function violationLines({ scenario, shown, violations }: ScenarioTotals): readonly string[] {
  const lines = shown.flatMap(({ seed, what, replay }) => {
    const lines = what.split('\n');
    const rest = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more lines`] : [];
    const indented = [...lines.slice(0, MAX_LINES), ...rest].map((line) => `    ${line.slice(0, 240)}`);
    return ['', `✗ ${titleOf({ scenario, seed })}`, ...indented, `  Again: ${replay}`];
  });
  return violations > shown.length ? [...lines, '', `… and ${violations - shown.length} more of ${scenario}`] : lines;
}

function thousands(count: number): string {
  return count < 10_000 ? String(count) : `${Math.round(count / 1_000)}k`;
}

function rate(count: number, seconds: number): number {
  return Math.round((count / Math.max(seconds, 0.001)) * 100) / 100;
}
