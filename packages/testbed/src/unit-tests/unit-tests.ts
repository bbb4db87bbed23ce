// All unit tests, as the gate runs them: on two cores, failures and skips only, one tally.
import { availableParallelism } from 'node:os';
import { byLength, readTestFile } from '../journeys/journey-files.ts';
import { findTestFiles, UNIT_FILES } from '../mocha/test-files.ts';
import { runTestPool, type TestPoolEnd } from '../mocha/test-pool.ts';
import { UNIT_TEST_MS } from '../options/unit-options.ts';
import { startAliveLine } from '../reporting/alive-line.ts';
import { closingLine, NOTHING } from '../reporting/tally.ts';

/** For one file. */
const UNIT_LIMIT_MS = 600_000;
/** Unit tests are work for a core each; with one core they run one after the other. */
const UNIT_PROCESSES = 2;

export interface UnitTestsOptions {
  /** Only files with one of them in their path; all when empty. */
  readonly words: readonly string[];
  readonly write: (text: string) => void;
  readonly signal: AbortSignal;
  /** 0 to 19, beside other work; asked before each file. @default 0 */
  readonly niceness?: () => number;
}

export async function runUnitTests({
  words,
  write,
  signal,
  niceness = () => 0,
}: UnitTestsOptions): Promise<TestPoolEnd> {
  const files = findTestFiles(UNIT_FILES, words);
  write(`Unit and simulation tests (${files.length} files)\n`);
  if (files.length === 0) return { tally: NOTHING, cpuSeconds: 0 };
  const output = startAliveLine(write, () => 'unit tests');
  const end = await runTestPool(await longFirst(files), {
    niceness,
    processes: Math.min(UNIT_PROCESSES, availableParallelism()),
    testMs: UNIT_TEST_MS,
    limitMs: UNIT_LIMIT_MS,
    signal,
    onOutput: output.write,
  }).finally(output.stop);
  write(`  ${closingLine(end.tally)}\n`);
  return end;
}

/** Long files are started first, so that none is left for the end. */
async function longFirst(files: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(files.map(readTestFile))).sort(byLength).map(({ path }) => path);
}
