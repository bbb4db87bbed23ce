// The command lines of `npm run unit` and `npm run debug`, and the arguments for Node that follow from them. Pure.
import { parseArgs } from 'node:util';

export const UNIT_USAGE = `usage: npm run unit [-- [--watch] [--grep <title>] [--bail] <file, quoted pattern, or words of its path> …]
  without words: all unit tests, on two cores
  --watch        again whenever a file changes that they import
  --grep, -g     only tests whose title has this
  --bail, -b     stop at the first failure
`;

/** For one test. */
export const UNIT_TEST_MS = 60_000;

export interface UnitOptions {
  readonly isHelp: boolean;
  readonly isWatch: boolean;
  /** Handed on to mocha. */
  readonly mocha: readonly string[];
  readonly words: readonly string[];
}

/** @returns the options, or in one line what is wrong with the arguments */
export function parseUnitOptions(args: readonly string[]): UnitOptions | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        watch: { type: 'boolean', short: 'w', default: false },
        grep: { type: 'string', short: 'g' },
        bail: { type: 'boolean', short: 'b', default: false },
      },
      allowPositionals: true,
    });
    const mocha = [...(values.grep === undefined ? [] : ['--grep', values.grep]), ...(values.bail ? ['--bail'] : [])];
    const needsWords = values.watch || mocha.length > 0;
    if (needsWords && positionals.length === 0 && !values.help) return 'options want a file, or words of its path';
    return { isHelp: values.help, isWatch: values.watch, mocha, words: positionals };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export interface MochaCommand {
  /** From the project's folder. */
  readonly program: string;
  readonly files: readonly string[];
  readonly testMs: number;
  /** For Node itself, such as `--watch`. */
  readonly node?: readonly string[];
  readonly more?: readonly string[];
}

/** Arguments for Node that run test files in the same process. mocha's configuration file is left out because it names
 *  a flag of Node, for which mocha would start another process: one that Node neither watches nor halts. */
export function mochaArguments({ program, files, testMs, node = [], more = [] }: MochaCommand): string[] {
  // A line per test of one file; of many, nobody reads them.
  const reporter = files.length === 1 ? 'spec' : 'dot';
  const settings = ['--no-config', '--exit', '--timeout', String(testMs), '--reporter', reporter];
  return [...node, '--conditions=development', program, ...settings, ...more, ...files];
}
