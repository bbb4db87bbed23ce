// The command line of a benchmark: `--help`, unknown options, and values that are not numbers are answered before
// anything is started or measured.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export interface BenchCommand<Options extends ParseArgsOptionsConfig> {
  /** Its first line begins with `usage: npm run bench:`. */
  readonly usage: string;
  readonly options: Options;
  /** For options that do not accept every text. */
  readonly forms?: { readonly [Name in keyof Options]?: Form };
}

export interface Form {
  readonly pattern: RegExp;
  /** Ends the sentence `--clusters abc: … is wanted`. */
  readonly wanted: string;
}

export const WHOLE_NUMBER: Form = { pattern: /^[1-9]\d{0,5}$/, wanted: 'a whole number from 1' };
export const WHOLE_NUMBER_OR_NONE: Form = { pattern: /^\d{1,6}$/, wanted: 'a whole number' };
export const WHOLE_NUMBERS: Form = {
  pattern: /^[1-9]\d{0,5}(,[1-9]\d{0,5})*$/,
  wanted: 'whole numbers from 1, with commas between them,',
};

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ readonly args: string[]; readonly options: Options }>
>['values'];

/** @returns the values; or, after a mistake or `--help`, what to print and the exit code */
export function readBenchCommand<Options extends ParseArgsOptionsConfig>(
  { usage, options, forms = {} }: BenchCommand<Options>,
  args: readonly string[],
): { readonly values: Values<Options> } | { readonly text: string; readonly exitCode: 0 | 2 } {
  if (args.includes('--help') || args.includes('-h')) return { text: usage, exitCode: 0 };
  try {
    const { values } = parseArgs<{ readonly args: string[]; readonly options: Options }>({ args: [...args], options });
    const problem = Object.entries(values).flatMap(([name, value]) => problemOf(name, value, forms[name]))[0];
    return problem === undefined ? { values } : { text: `${problem}\n\n${usage}`, exitCode: 2 };
  } catch (error) {
    return { text: `${error instanceof Error ? error.message : String(error)}\n\n${usage}`, exitCode: 2 };
  }
}

function problemOf(name: string, value: unknown, form: Form | undefined): readonly string[] {
  if (form === undefined || typeof value !== 'string' || form.pattern.test(value)) return [];
  return [`--${name} ${value}: ${form.wanted} is wanted`];
}

/** The values of this process's command line. Ends the process with 0 after `--help`, with 2 after a mistake. */
export function benchOptions<Options extends ParseArgsOptionsConfig>(command: BenchCommand<Options>): Values<Options> {
  const read = readBenchCommand(command, process.argv.slice(2));
  if ('values' in read) return read.values;
  (read.exitCode === 0 ? process.stdout : process.stderr).write(read.text);
  process.exit(read.exitCode);
}
