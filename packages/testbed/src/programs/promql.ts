// Evaluates alert rules and queries with Prometheus' own engine, which is built with Go once per machine from
// packages/testbed/promql.

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stretched } from '../patience.ts';
import { obtainOneProgram } from './one-program.ts';

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

/** The program that answers `PromqlTask`s; built the first time.
 *  @throws NoGoProgramError, or Error when it does not compile */
export function obtainPromql(report?: (line: string) => void): Promise<string> {
  const module = { name: 'promql', folder: MODULE, limitMs: BUILD_LIMIT_MS };
  return obtainOneProgram({ ...module, what: "Prometheus' query engine" }, report);
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
