// All unit tests, as the gate runs them: on two cores, failures and skips only, one tally.
import { availableParallelism } from 'node:os';
import { startAliveLine } from './alive-line.ts';
import { byLength, readTestFile } from './journey-files.ts';
import { closingLine, NOTHING, type Tally } from './tally.ts';
import { findTestFiles, UNIT_FILES } from './test-files.ts';
import { runTestPool } from './test-pool.ts';

/** For one test. */
export const UNIT_TEST_MS = 60_000;
/** For one file. */
const UNIT_LIMIT_MS = 600_000;
/** Unit tests are work for a core each; with one core they run one after the other. */
const UNIT_PROCESSES = 2;

export interface UnitTestsOptions {
  /** Only files with one of them in their path; all when empty. */
  readonly words: readonly string[];
  readonly write: (text: string) => void;
  readonly signal: AbortSignal;
}

export async function runUnitTests({ words, write, signal }: UnitTestsOptions): Promise<Tally> {
  const files = findTestFiles(UNIT_FILES, words);
  write(`Unit and simulation tests (${files.length} files)\n`);
  if (files.length === 0) return NOTHING;
  const output = startAliveLine(write, () => 'unit tests');
  const tally = await runTestPool(await longFirst(files), {
    processes: Math.min(UNIT_PROCESSES, availableParallelism()),
    testMs: UNIT_TEST_MS,
    limitMs: UNIT_LIMIT_MS,
    signal,
    onOutput: output.write,
  }).finally(output.stop);
  write(`  ${closingLine(tally)}\n`);
  return tally;
}

/** What takes long is begun first, so that none of it is left over for the end. */
async function longFirst(files: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(files.map(readTestFile))).sort(byLength).map(({ path }) => path);
}
