// docs/scale.json: the last recorded figures of `npm run bench:scale`, each with the commit it was measured on. Written by that, read by the page.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** 50th and 99th percentile, in milliseconds. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
}

/** What a process costs while nothing happens. */
export interface AtRest {
  readonly cpuSecondsPerMinute: number;
  readonly residentMiB: number;
}

/** One fleet of clusters of three hollow members, looked after by one replica. */
export interface ScaleRow {
  readonly clusters: number;
  /** Objects of watched kinds in the API server that are none of ours. */
  readonly unrelated: number;
  readonly createdSeconds: number;
  readonly operator: AtRest & { readonly heapMiB: number; readonly requestsPerMinute: number };
  readonly apiServer: AtRest;
  readonly etcd: AtRest;
  /** From the start of the process until every cluster was looked at. */
  readonly restart: { readonly seconds: number; readonly requests: number };
  /** While 100 clusters a second are touched. */
  readonly queueWait: Spread;
  readonly pass: Spread;
}

export interface RecordedRow extends ScaleRow {
  readonly commit: string;
  /** `2026-11-21` */
  readonly date: string;
  /** What else the machine did meanwhile. */
  readonly note?: string;
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FILE = fileURLToPath(new URL('../../../../docs/scale.json', import.meta.url));

/** The smallest fleet first. */
export function readScale(): readonly RecordedRow[] {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as readonly RecordedRow[]) : [];
}

/** In the place of the row of that size, if there is one.
 *  @throws Error in a tree with changes: the figures would name a commit that cannot give them */
export function recordScale(row: ScaleRow, note?: string): void {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '.', ':!docs');
  if (changed !== '') throw new Error(`--record: commit first, there are changes:\n${changed}`);
  const commit = git('rev-parse', '--short', 'HEAD');
  const origin = { commit, date: new Date().toISOString().slice(0, 10) };
  const recorded: RecordedRow = { ...row, ...origin, ...(note === undefined ? {} : { note }) };
  const kept = readScale().filter((one) => one.clusters !== row.clusters || one.unrelated !== row.unrelated);
  const rows = [...kept, recorded].sort((a, b) => a.clusters - b.clusters || a.unrelated - b.unrelated);
  writeFileSync(FILE, `${JSON.stringify(rows, undefined, 1)}\n`);
}
