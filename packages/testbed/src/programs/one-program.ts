// A program of this project in Go, built once per machine from a module of its own. Only some tests need one: where it
// cannot be built for want of Go or of its modules, they say so.

import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TestbedError } from '../errors.ts';
import { cacheFolder } from '../paths.ts';
import { BESIDE_TESTS, findGo, runGo } from './go.ts';

export interface OneProgram {
  /** Its folder in the cache. */
  readonly name: string;
  /** Where its go.mod and all its sources are. */
  readonly folder: string;
  /** What it is, for the line that reports the build. */
  readonly what: string;
  readonly limitMs: number;
}

/** The program is not available here: no Go, or no access to its modules. */
export class NoGoProgramError extends TestbedError {}

/** Path of the program; built the first time.
 *  @throws NoGoProgramError with the reason; Error when it does not compile */
export async function obtainOneProgram(
  { name, folder: module, what, limitMs }: OneProgram,
  report: (line: string) => void = () => {},
): Promise<string> {
  const folder = join(cacheFolder(), name);
  const program = join(folder, await fingerprint(module));
  if (await exists(program)) return program;
  const go = await findGo(module);
  if (go === undefined) throw new NoGoProgramError('no Go compiler on the PATH');
  report(`Building ${what} with Go: happens once, about a minute`);
  await mkdir(folder, { recursive: true });
  const part = `${program}.${process.pid}.part`;
  const logPath = `${part}.log`;
  const settings = { go, logPath, cwd: module, limitMs, niceness: BESIDE_TESTS };
  const run = (...args: readonly string[]) => runGo({ ...settings, args });
  try {
    // Every package has to be available before anything is built: a later failure is our own fault, and no reason to
    // skip.
    await run('list', '-deps', '-f={{""}}', '.').catch((cause: unknown) => {
      const why = (cause instanceof Error ? cause.message : String(cause)).trim().replaceAll('\n', '; ');
      throw new NoGoProgramError(`the modules of ${name} cannot be had: ${why.slice(0, 300)}`, { cause });
    });
    await run('build', '-trimpath', '-ldflags=-s -w', '-o', part, '.');
    await rename(part, program);
  } finally {
    await Promise.all([rm(part, { force: true }), rm(logPath, { force: true })]);
  }
  return program;
}

/** A hash of the sources: another version is another program. */
async function fingerprint(module: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(module)).sort()) hash.update(name).update(await readFile(join(module, name)));
  return hash.digest('hex').slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
