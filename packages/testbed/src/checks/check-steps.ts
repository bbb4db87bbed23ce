// Runs the checks one after the other and prints the outcome of each; `npm run check` and `npm test` share it.

import type { Tally } from '../reporting/tally.ts';
import { formatElapsed } from '../reporting/ticker.ts';
import { CHECKS } from './checks.ts';

export async function runCheckSteps(say: (line: string) => void, signal: AbortSignal): Promise<Tally> {
  let passed = 0;
  let failed = 0;
  for (const step of CHECKS) {
    if (signal.aborted) break;
    const startedAt = performance.now();
    const problem = await step.run(signal);
    const elapsed = formatElapsed(performance.now() - startedAt);
    if (problem === undefined) passed += 1;
    else failed += 1;
    say(`  ${problem === undefined ? '✓' : '✗'} ${step.title} (${elapsed})`);
    if (problem !== undefined) say(problem.replace(/^/gm, '      '));
  }
  return { passed, failed, skipped: 0 };
}
