// Every family the operator exposes, taken from the registry the process serves, with what people should know about it.

import { createOperatorMetrics } from '@marekvs/operator/reference';
import { METRIC_GUIDE } from './guide.ts';
import { type LabelText, labelText } from './labels.ts';

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly unit: string;
  readonly labels: readonly { readonly name: string; readonly text: LabelText }[];
  /** Upper limits of the buckets of a histogram. */
  readonly buckets: readonly number[];
  /** The largest number of series at one time, counting every bucket. */
  readonly bound: number;
  readonly matters: string;
}

/** The names that queries use: three for a histogram. */
export function seriesNames({ name, type }: Family): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

/** @throws Error for a family the guide does not know, and for an entry without a family */
export function metricCatalogue(): readonly Family[] {
  const { registry, prefix } = createOperatorMetrics('0.0.0');
  const known = new Set<string>();
  const families = registry.getMetricsAsArray().map((metric): Family => {
    const { name, help, type, labelNames, upperBounds } = asDefined(metric);
    const short = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    const matters = METRIC_GUIDE[short];
    if (matters === undefined) throw new Error(`packages/reference/src/metrics/guide.ts: nothing about ${short}`);
    known.add(short);
    const labels = labelNames.map((label) => ({ name: label, text: labelText(short, label) }));
    const buckets = type === 'histogram' ? upperBounds : [];
    const perLabels = labels.reduce((product, { text }) => product * text.bound, 1);
    const bound = perLabels * (type === 'histogram' ? buckets.length + 3 : 1);
    return { name, type, help, unit: unitOf(name), labels, buckets, bound, matters };
  });
  const gone = Object.keys(METRIC_GUIDE).filter((short) => !known.has(short));
  if (gone.length > 0) throw new Error(`packages/reference/src/metrics/guide.ts: no such metric: ${gone.join(', ')}`);
  return families;
}

function unitOf(name: string): string {
  if (name.includes('_timestamp_seconds') || name === 'process_start_time_seconds') return 'Unix time in seconds';
  if (/_seconds(_total)?$/.test(name)) return 'seconds';
  if (name.endsWith('_bytes')) return 'bytes';
  if (name.endsWith('_ratio')) return '0 to 1';
  if (name.endsWith('_info') || name.endsWith('_status')) return '0 or 1';
  return 'count';
}

interface Defined {
  readonly name: string;
  readonly help: string;
  readonly type: Family['type'];
  readonly labelNames: readonly string[];
  readonly upperBounds: readonly number[];
}

/** Fields that the library keeps in a metric, but does not declare. */
function asDefined(metric: object): Defined {
  const { name, help, type, labelNames, upperBounds } = metric as Defined;
  return { name, help, type, labelNames, upperBounds };
}
