// docs/reliability.json: the last recorded figures of every campaign, each with the commit it was run on. Written by
// `npm run sim -- … --record`, read by the document. Only figures of a committed tree are recorded, so that they can be
// reproduced.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Fault } from '../fate/fate.ts';
import type { ScenarioTotals } from '../run/totals.ts';

export interface Origin {
  readonly commit: string;
  /** `2026-11-21` */
  readonly date: string;
}

export interface CampaignRecord extends Origin {
  readonly scenario: string;
  readonly from: number;
  readonly seeds: number;
  readonly removals: number;
  readonly steps: number;
  readonly virtualSeconds: number;
  readonly acknowledged: number;
  readonly violations: number;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
}

export interface ReliabilityRecord {
  /** Sorted by scenario name. */
  readonly campaigns: readonly CampaignRecord[];
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
export const RECORD_FILE = fileURLToPath(new URL('../../../../docs/reliability.json', import.meta.url));

export function readRecord(): ReliabilityRecord {
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as ReliabilityRecord;
}

/** @throws Error when the tree has changes: the commit could not reproduce the figures */
export function originOfNow(): Origin {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  // docs is left out: records may be written while other campaigns of the same commit still run.
  const changed = git('status', '--porcelain', '--', '.', ':!docs');
  if (changed !== '') throw new Error(`--record: commit first, there are changes:\n${changed}`);
  return { commit: git('rev-parse', '--short', 'HEAD'), date: new Date().toISOString().slice(0, 10) };
}

export function recordCampaigns(totals: readonly ScenarioTotals[], from: number, origin: Origin): void {
  const before = readRecord();
  const fresh = totals.map(
    ({ shown: _shown, writes: _writes, ...figures }): CampaignRecord => ({
      ...figures,
      from,
      ...origin,
    }),
  );
  const kept = before.campaigns.filter(({ scenario }) => !fresh.some((one) => one.scenario === scenario));
  const campaigns = [...kept, ...fresh].sort((a, b) => (a.scenario < b.scenario ? -1 : 1));
  writeFileSync(RECORD_FILE, `${JSON.stringify({ campaigns }, undefined, 1)}\n`);
}
