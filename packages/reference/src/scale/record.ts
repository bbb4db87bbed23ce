// docs/scale.json: the last recorded figures of `npm run bench:scale`, each with the commit it was measured on.
// Written by that, read by the page.

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

/** The same of one replica, and how many clusters it manages. */
export interface OperatorAtRest extends AtRest {
  readonly heapMiB: number;
  readonly clusters: number;
}

/** One fleet of clusters of three hollow members, managed by one replica, or by several in mode `ring`. */
export interface ScaleRow {
  readonly clusters: number;
  /** Objects of watched kinds in the API server that are none of ours. */
  readonly unrelated: number;
  readonly replicas: number;
  /** Undefined where the fleet of an earlier row was used again. */
  readonly createdSeconds?: number;
  readonly operators: readonly OperatorAtRest[];
  /** Of all replicas, besides watches and leases. */
  readonly requestsPerMinute: number;
  readonly apiServer: AtRest;
  readonly etcd: AtRest;
  /** From the start of the process until every cluster was reconciled. Of one replica only. */
  readonly restart?: { readonly seconds: number; readonly requests: number };
  /** From the end of a replica until others have what it had. Undefined in rows older than this measurement. */
  readonly failover?: { readonly plannedSeconds: number; readonly crashSeconds: number };
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

/** Sorted by the size of the fleet, then by the number of replicas. */
export function readScale(): readonly RecordedRow[] {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as readonly RecordedRow[]) : [];
}

/** Replaces the row of the same case, if there is one.
 *  @throws Error in a tree with changes: the figures would name a commit that cannot reproduce them */
export function recordScale(row: ScaleRow, note?: string): void {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '.', ':!docs');
  if (changed !== '') throw new Error(`--record: commit first, there are changes:\n${changed}`);
  const commit = git('rev-parse', '--short', 'HEAD');
  const origin = { commit, date: new Date().toISOString().slice(0, 10) };
  const recorded: RecordedRow = { ...row, ...origin, ...(note === undefined ? {} : { note }) };
  const rows = withRow(readScale(), recorded);
  writeFileSync(FILE, `${JSON.stringify(rows, undefined, 2)}\n`);
}

/** @returns `rows` with `row`, which replaces the row of the same case if there is one */
export function withRow(rows: readonly RecordedRow[], row: RecordedRow): readonly RecordedRow[] {
  const isOther = (one: RecordedRow): boolean => caseOf(one) !== caseOf(row);
  return [...rows.filter(isOther), row].sort(
    (a, b) => a.clusters - b.clusters || a.unrelated - b.unrelated || a.replicas - b.replicas,
  );
}

function caseOf({ clusters, unrelated, replicas }: RecordedRow): string {
  return `${clusters} ${unrelated} ${replicas}`;
}
