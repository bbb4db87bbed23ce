// Builds programs from a Go module, one after another (two at once only take turns on two cores). Each is renamed into
// its folder when it is complete. The caller makes sure that nobody else builds at the same time.
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { goModuleFolder } from '../paths.ts';
import { freeBytes, requireSpace } from '../processes/disk.ts';
import { startTicker } from '../reporting/ticker.ts';
import { findGo, runGo } from './go.ts';
import { BuildFailedError, type Report } from './obtain.ts';

export interface GoProgram {
  /** Name of the file it becomes. */
  readonly name: string;
  /** Import path of its main package. */
  readonly package: string;
  /** Values the linker writes into variables: `path.name=value`. */
  readonly variables: readonly string[];
}

export interface GoModule {
  /** Where its go.mod is. */
  readonly folder: string;
  /** Free bytes the caches and the programs take when everything is cold. */
  readonly neededBytes: number;
  /** For one program; then Go is stopped. What it has compiled stays in its cache. */
  readonly limitMs: number;
  /** Of the compilers. */
  readonly niceness?: number;
}

/** Why Go cannot build here; undefined when a `go` answers. */
export async function goMissing(): Promise<string | undefined> {
  return (await findGo(goModuleFolder)) === undefined ? 'no Go compiler on the PATH' : undefined;
}

/** @throws BuildFailedError with the end of what Go printed; DiskFullError before it starts */
export async function buildGoPrograms(
  module: GoModule,
  folder: string,
  programs: readonly GoProgram[],
  report: Report,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await requireSpace(folder, module.neededBytes, freeBytes);
  const go = await findGo(module.folder);
  if (go === undefined) throw new BuildFailedError('no Go compiler on the PATH');
  await removeLeftovers(folder);
  for (const [index, program] of programs.entries()) {
    const what = `${program.name} (${index + 1} of ${programs.length})`;
    report(`Building ${what} with Go: happens once, some minutes on a small machine`);
    await buildOne(go, module, folder, program, what, report);
  }
}

async function buildOne(
  go: string,
  module: GoModule,
  folder: string,
  program: GoProgram,
  what: string,
  report: Report,
): Promise<void> {
  const { name } = program;
  const part = join(folder, `${name}.${process.pid}.part`);
  const log = join(folder, `${name}.${process.pid}.build.log`);
  const ticker = startTicker((elapsed) => {
    void countLines(log).then((count) =>
      report(`Building ${what}, ${elapsed} so far, ${count} packages compiled (happens once)`),
    );
  });
  const flags = ['-s', '-w', ...program.variables.map((value) => `-X ${value}`)].join(' ');
  try {
    const args = ['build', '-v', '-trimpath', `-ldflags=${flags}`, '-o', part, program.package];
    const { folder: cwd, limitMs, niceness = 0 } = module;
    await runGo({ go, args, logPath: log, cwd, limitMs, niceness });
    await rename(part, join(folder, name));
    report(`Built ${what} in ${ticker.elapsed()}`);
  } catch (err) {
    throw new BuildFailedError(`build of ${name}: ${err instanceof Error ? err.message : String(err)}`, { cause: err });
  } finally {
    ticker.stop();
    await Promise.all([rm(part, { force: true }), rm(log, { force: true })]);
  }
}

/** Removes the files of a build that was killed. Nobody else builds here now. */
async function removeLeftovers(folder: string): Promise<void> {
  const left = (await readdir(folder)).filter((name) => /\.(part|build\.log)$/.test(name));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
}

async function countLines(path: string): Promise<number> {
  return (await readFile(path, 'utf8').catch(() => '')).split('\n').length - 1;
}
