// Runs test files with mocha in this process and writes a tally. Started by test.ts, one process per part or journey file.
// Arguments: file for the tally, `compact` or `each`, time limit per test in ms, then the test files.
// The compile cache spares every process but the first the stripping of types: 0.7 of the 1.6 s of CPU that a journey takes to load.
import { writeFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

enableCompileCache();
const { default: Mocha } = await import('mocha');
const [tallyPath = '', style = 'compact', limitMs = '10000', ...files] = process.argv.slice(2);

/** Every test when they take long, only failures and skips when there are a thousand. */
class LineReporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const tally = { passed: 0, failed: 0, skipped: 0 };
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
    runner.once('end', () => writeFileSync(tallyPath, JSON.stringify(tally)));
  }
}

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

const mocha = new Mocha({ timeout: Number(limitMs), reporter: LineReporter, forbidOnly: true });
for (const file of files) mocha.addFile(resolve(file));
await mocha.loadFilesAsync();
mocha.run((failures) => {
  process.exitCode = failures > 0 ? 1 : 0;
  // Anything a test left open must not hold up the whole run; the exit is late enough for the output to be flushed.
  setTimeout(() => process.exit(), 500).unref();
});
