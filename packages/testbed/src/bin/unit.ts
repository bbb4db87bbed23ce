// `npm run unit`: the tests of the file somebody works on, in about a second; with `--watch` again after every change.
// mocha runs them; this only finds them. Without words it is the unit part of `npm test`.
import { join } from 'node:path';
import { findTestFiles, JOURNEY_FILES, toWord, typedIn, UNIT_FILES } from '../mocha/test-files.ts';
import {
  mochaArguments,
  parseUnitOptions,
  UNIT_TEST_MS,
  UNIT_USAGE,
  type UnitOptions,
} from '../options/unit-options.ts';
import { becomeNode, MOCHA } from '../processes/become-node.ts';
import { watchForEnd } from '../processes/ending.ts';
import { closingLine } from '../reporting/tally.ts';
import { leftOut, unmatched } from '../unit-tests/unit-words.ts';

/** Saves half of the 0.5 CPU seconds that a file of the planner takes. */
const CACHED = ['--import', join(import.meta.dirname, 'compile-cache.ts')];

const options = parseUnitOptions(process.argv.slice(2));
if (typeof options === 'string') refuse(`${options}\n${UNIT_USAGE}`);
else if (options.isHelp) process.stdout.write(UNIT_USAGE);
else if (options.words.length === 0) await runAll();
else {
  const words = options.words.map((word) => toWord(word, typedIn()));
  const all = findTestFiles(UNIT_FILES);
  const unknown = unmatched(words, all);
  const fewer = leftOut(words, all);
  if (unknown.length > 0) refuse(nothingFound(unknown));
  else if (fewer !== undefined) refuse(`${fewer}\n`);
  else run(findTestFiles(UNIT_FILES, words), options);
}

/** Prints how many files there are when there are several, because mocha names none of them. */
function run(files: readonly string[], { isWatch, mocha }: UnitOptions): void {
  if (files.length > 1) process.stdout.write(`${files.length} files\n`);
  const node = isWatch ? [...CACHED, '--watch'] : CACHED;
  becomeNode(mochaArguments({ program: MOCHA, files, testMs: UNIT_TEST_MS, node, more: mocha }));
}

/** Loads by itself what nothing else here needs. */
async function runAll(): Promise<void> {
  const { runUnitTests } = await import('../unit-tests/unit-tests.ts');
  const { signal } = watchForEnd();
  const { tally } = await runUnitTests({ words: [], write: (text) => process.stdout.write(text), signal });
  process.exitCode = tally.failed > 0 || signal.aborted ? 1 : 0;
  process.stdout.write(`${closingLine(tally)}\n`);
}

function nothingFound(words: readonly string[]): string {
  const isJourney = findTestFiles(JOURNEY_FILES, words).length > 0;
  const journeys = isJourney ? `; a journey needs a control plane: npm test -- --part journeys ${words.join(' ')}` : '';
  return `no file of ${UNIT_FILES} has ${words.join(' or ')} in its path${journeys}\n`;
}

function refuse(message: string): void {
  process.stderr.write(message);
  process.exitCode = 2;
}
