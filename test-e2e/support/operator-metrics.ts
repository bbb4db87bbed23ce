// The operator's figures about itself, and the cost of its process, measured from outside.

import { readFileSync } from 'node:fs';
import { type OperatorProcess, stretched } from '@marekvs/testbed';

export interface Scrape {
  /** Sum of all samples of a family whose labels contain `labels`. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
  /** The upper bounds of the buckets of a histogram, as printed, in order. */
  bounds(name: string, labels?: Readonly<Record<string, string>>): readonly string[];
}

export async function scrape(operator: Pick<OperatorProcess, 'metricsAddress'>): Promise<Scrape> {
  const answer = await fetch(`http://${operator.metricsAddress}/metrics`, {
    signal: AbortSignal.timeout(stretched(5_000)),
  });
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const samples = (name: string, labels: Readonly<Record<string, string>>) => {
    const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
    return lines
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .filter((line) => wanted.every((label) => line.includes(label)));
  };
  return {
    sum: (name, labels = {}) =>
      samples(name, labels).reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0),
    bounds: (name, labels = {}) =>
      samples(`${name}_bucket`, labels).flatMap((line) => /le="([^"]+)"/.exec(line)?.[1] ?? []),
  };
}

const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** CPU seconds (user and system) a process has used so far. */
export function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process in MiB. */
export function residentMiB(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return (pages * PAGE_BYTES) / 2 ** 20;
}

/** The fields of /proc/<pid>/stat from the state on: the name before it may contain spaces. */
function statFields(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
