// Parses a scrape into families with their types, and samples with their labels.

import { type OperatorProcess, stretched } from '@marekvs/testbed';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Exposition {
  readonly families: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
  of(name: string): readonly Sample[];
}

export async function expose(operator: Pick<OperatorProcess, 'metricsAddress'>): Promise<Exposition> {
  const answer = await fetch(`http://${operator.metricsAddress}/metrics`, {
    signal: AbortSignal.timeout(stretched(5_000)),
  });
  return parseExposition(await answer.text());
}

/** @throws Error for a line that is neither a comment nor a sample */
export function parseExposition(text: string): Exposition {
  const families = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== '') families.set(name, type);
    if (line !== '' && !line.startsWith('#')) samples.push(parseSample(line));
  }
  return { families, samples, of: (name) => samples.filter((sample) => sample.name === name) };
}

function parseSample(line: string): Sample {
  const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
