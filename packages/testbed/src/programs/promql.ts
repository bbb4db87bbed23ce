// Evaluates alert rules and queries with Prometheus' own engine, which is built with Go once per machine from
// packages/testbed/promql.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { TestbedError } from '../errors.ts';
import { cacheFolder } from '../paths.ts';
import { stretched } from '../patience.ts';
import { BESIDE_TESTS, findGo, runGo } from './go.ts';

const MODULE = fileURLToPath(new URL('../../promql/', import.meta.url));
/** About 70 s of CPU with an empty Go cache (measured): 40 s on two cores. */
const BUILD_LIMIT_MS = 300_000;

export interface PromqlRule {
  readonly alert: string;
  readonly expr: string;
  readonly forSeconds: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Series over time, and the alert that is evaluated at the end. */
export interface PromqlCase {
  readonly alert: string;
  readonly intervalSeconds: number;
  readonly atSeconds: number;
  /** In the notation of Prometheus' own tests: `metric{label="value"} 0 1+2x10 _ stale`. */
  readonly series: readonly string[];
}

export interface PromqlTask {
  /** Queries that are only parsed. */
  readonly queries?: readonly string[];
  readonly rules?: readonly PromqlRule[];
  readonly cases?: readonly PromqlCase[];
}

export interface PromqlFiring {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Results in the order of the task. */
export interface PromqlFound {
  readonly queries: readonly { readonly error?: string; readonly metrics: readonly string[] }[];
  /** What fires at the end of each case. */
  readonly cases: readonly (readonly PromqlFiring[])[];
}

/** The engine is not available here: no Go, or no access to its modules. */
export class NoPromqlError extends TestbedError {}

/** The program that answers `PromqlTask`s; built the first time.
 *  @throws NoPromqlError with the reason; Error when it does not compile */
export async function obtainPromql(report: (line: string) => void = () => {}): Promise<string> {
  const folder = join(cacheFolder(), 'promql');
  const program = join(folder, await fingerprint());
  if (await exists(program)) return program;
  const go = await findGo(MODULE);
  if (go === undefined) throw new NoPromqlError('no Go compiler on the PATH');
  report("Building Prometheus' query engine with Go: happens once, about a minute");
  await mkdir(folder, { recursive: true });
  const part = `${program}.${process.pid}.part`;
  const logPath = `${part}.log`;
  const settings = { go, logPath, cwd: MODULE, limitMs: BUILD_LIMIT_MS, niceness: BESIDE_TESTS };
  const run = (...args: readonly string[]) => runGo({ ...settings, args });
  try {
    // Every package has to be available before anything is built: a later failure is our own fault, and no reason to
    // skip.
    await run('list', '-deps', '-f={{""}}', '.').catch((cause: unknown) => {
      const why = (cause instanceof Error ? cause.message : String(cause)).trim().replaceAll('\n', '; ');
      throw new NoPromqlError(`the modules of promql cannot be had: ${why.slice(0, 300)}`, { cause });
    });
    await run('build', '-trimpath', '-ldflags=-s -w', '-o', part, '.');
    await rename(part, program);
  } finally {
    await Promise.all([rm(part, { force: true }), rm(logPath, { force: true })]);
  }
  return program;
}

/** @throws Error with what the program printed when the task is invalid or an expression cannot be evaluated */
export async function askPromql(program: string, task: PromqlTask): Promise<PromqlFound> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'pipe'], timeout: stretched(60_000) });
  const ended = Promise.withResolvers<number | null>();
  child.once('error', ended.reject);
  child.once('close', ended.resolve);
  child.stdin.end(JSON.stringify({ queries: [], rules: [], cases: [], ...task }));
  const [found, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended.promise]);
  if (code !== 0) throw new Error(complaint.trim() || `promql ended with ${code}`);
  return JSON.parse(found) as PromqlFound;
}

/** A hash of the sources: another version is another program. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(MODULE)).sort()) hash.update(name).update(await readFile(join(MODULE, name)));
  return hash.digest('hex').slice(0, 16);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
