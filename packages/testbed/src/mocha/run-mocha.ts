// Runs test files with mocha in this process, prints what a gate shows of them, and counts. The caller chooses the
// files and reports the tally.
import { resolve } from 'node:path';
import Mocha from 'mocha';
import { stretched } from '../patience.ts';
import type { Tally } from '../reporting/tally.ts';

/** `each`: every test, for tests that take long. `compact`: only failures and skips, for a thousand tests. */
export type Style = 'compact' | 'each';

export async function runMocha(files: readonly string[], style: Style, testMs: number): Promise<Tally> {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  class LineReporter extends Mocha.reporters.Base {
    constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
      super(runner, options);
      for (const begin of ['test', 'hook'] as const) runner.on(begin, beGiven);
      runner.on('pass', (test) => {
        tally.passed += 1;
        if (style === 'each') say(`  ✓ ${test.fullTitle()} (${test.duration ?? 0} ms)`);
      });
      runner.on('pending', (test) => {
        tally.skipped += 1;
        say(`  - ${test.fullTitle()} (skipped)`);
      });
      runner.on('fail', (test, err: Error) => {
        tally.failed += 1;
        say(`  ✗ ${test.fullTitle()}\n${describe(err)}`);
      });
    }
  }
  const mocha = new Mocha({ timeout: testMs, reporter: LineReporter, forbidOnly: true });
  // Overrides `this.timeout()` of tests and hooks. The context of the root suite is the prototype of all others.
  Object.assign(mocha.suite.ctx, { timeout: setTimeLimit });
  for (const file of files) mocha.addFile(resolve(file));
  await mocha.loadFilesAsync();
  await new Promise((ended) => mocha.run(ended));
  // Otherwise its listeners on the process would still be active in the next run.
  mocha.dispose();
  return tally;
}

function setTimeLimit(this: Mocha.Context, ms?: number): Mocha.Context | number {
  const runnable = this.runnable();
  if (ms === undefined) return runnable.timeout();
  runnable.timeout(stretched(ms));
  return this;
}

/** Stretches the time limit of each test and hook by the load of the machine when it begins. */
function beGiven(runnable: Mocha.Runnable): void {
  const ms = WRITTEN.get(runnable) ?? runnable.timeout();
  WRITTEN.set(runnable, ms);
  runnable.timeout(stretched(ms));
}

/** Limits as written: a hook begins many times, and must not be stretched again. */
const WRITTEN = new WeakMap<Mocha.Runnable, number>();

function describe(err: Error): string {
  const parts = [err.stack ?? err.message];
  if ('expected' in err && 'actual' in err)
    parts.push(`expected: ${shown(err.expected)}`, `actual:   ${shown(err.actual)}`);
  if (err.cause instanceof Error) parts.push(`cause: ${err.cause.stack ?? err.cause.message}`);
  return parts.join('\n').replace(/^/gm, '      ');
}

function shown(value: unknown): string {
  return (JSON.stringify(value, undefined, 1) ?? String(value)).slice(0, 4000);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
