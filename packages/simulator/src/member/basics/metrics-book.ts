// Counts and gauges of one process and their text on /metrics, byte for byte in the layout of the real server. The
// owner of a value decides when it changes (live, every 2 s, at render).

import { oncePer } from '@marekvs/api';
import { labelledMetrics, type MetricName, metricCatalogue } from './metrics-catalogue.ts';

const bucketBounds = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
] as const;

const families = metricCatalogue.map(({ name, type, help }) => ({
  name,
  printed: `marekvs_${name}`,
  head: `# HELP marekvs_${name} ${help}\n# TYPE marekvs_${name} ${type}\n`,
}));

/** One sample line of the text, in the form that the store client's scanner gives. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly timestampMs: undefined;
}

const noLabels: MetricSample['labels'] = {};
const version = '0.2.0';

interface CommandCount {
  calls: number;
  errors: number;
  seconds: number;
  readonly buckets: number[];
}

export class MetricsBook {
  /** Boxed values: members count all the time, and a box takes one lookup where a number takes two. */
  readonly #values = new Map<MetricName, { value: number }>();
  readonly #commands = new Map<string, CommandCount>();
  #sorted: readonly (readonly [string, CommandCount])[] | undefined;
  readonly #nodeId: number;

  constructor(nodeId: number) {
    this.#nodeId = nodeId;
  }

  add(name: MetricName, amount = 1): void {
    const box = this.#values.get(name);
    if (box === undefined) this.#values.set(name, { value: amount });
    else box.value += amount;
  }

  set(name: MetricName, value: number): void {
    const box = this.#values.get(name);
    if (box === undefined) this.#values.set(name, { value });
    else box.value = value;
  }

  /** 0 until set, as on the real server. */
  get(name: MetricName): number {
    return this.#values.get(name)?.value ?? 0;
  }

  /** One served command; `command` is what the client sent, lower-cased. */
  countCommand(command: string, seconds: number, isError: boolean, times = 1): void {
    let count = this.#commands.get(command);
    if (count === undefined) {
      count = { calls: 0, errors: 0, seconds: 0, buckets: bucketBounds.map(() => 0) };
      this.#commands.set(command, count);
      this.#sorted = undefined;
    }
    count.calls += times;
    count.seconds += seconds * times;
    if (isError) count.errors += times;
    let bucket = 0;
    while (bucket < bucketBounds.length && seconds > (bucketBounds[bucket] ?? 0)) bucket += 1;
    if (bucket < bucketBounds.length) count.buckets[bucket] = (count.buckets[bucket] ?? 0) + times;
  }

  commandCalls(): number {
    let calls = 0;
    for (const count of this.#commands.values()) calls += count.calls;
    return calls;
  }

  render(): string {
    const commands = this.#sortedCommands();
    let text = '';
    for (const { name, head } of families) {
      const body = this.#body(name, commands);
      if (body !== '') text += head + body;
    }
    return text;
  }

  /** The values of the wanted families in the order of the text, without histograms. */
  samples(isRead: (name: string) => boolean): readonly MetricSample[] {
    const commands = this.#sortedCommands();
    const wanted = familiesOf(isRead);
    const samples: MetricSample[] = [];
    const add = (name: string, value: number, labels = noLabels) =>
      samples.push({ name, labels, value, timestampMs: undefined });
    for (const { name, printed } of wanted) {
      if (name === 'info') add(printed, 1, { node_id: String(this.#nodeId), version });
      else if (name === 'commands_total') for (const [cmd, count] of commands) add(printed, count.calls, { cmd });
      else if (name === 'command_errors_total') {
        for (const [cmd, count] of commands) if (count.errors > 0) add(printed, count.errors, { cmd });
      } else if (name !== 'command_duration_seconds') add(printed, this.get(name));
    }
    return samples;
  }

  #sortedCommands(): readonly (readonly [string, CommandCount])[] {
    this.#sorted ??= [...this.#commands].sort(([a], [b]) => (a < b ? -1 : 1));
    return this.#sorted;
  }

  #body(name: MetricName, commands: readonly (readonly [string, CommandCount])[]): string {
    if (labelledMetrics.has(name)) return this.#labelled(name, commands);
    return `marekvs_${name} ${this.get(name)}\n`;
  }

  #labelled(name: MetricName, commands: readonly (readonly [string, CommandCount])[]): string {
    if (name === 'info') return `marekvs_info{node_id="${this.#nodeId}",version="${version}"} 1\n`;
    let text = '';
    for (const [command, count] of commands) {
      const label = `cmd="${escapeLabel(command)}"`;
      if (name === 'commands_total') text += `marekvs_${name}{${label}} ${count.calls}\n`;
      else if (name === 'command_duration_seconds') text += histogram(`marekvs_${name}`, label, count);
      else if (count.errors > 0) text += `marekvs_${name}{${label}} ${count.errors}\n`;
    }
    return text;
  }
}

/** Cached per reader, since a reader asks again and again. */
const familiesOf = oncePer((isRead: (name: string) => boolean) => families.filter(({ printed }) => isRead(printed)));

function histogram(name: string, label: string, count: CommandCount): string {
  let text = '';
  let sum = 0;
  bucketBounds.forEach((bound, index) => {
    sum += count.buckets[index] ?? 0;
    // The real server never prints exponents: 0.00005, not 5e-5.
    const le = bound === 0.00005 ? '0.00005' : String(bound);
    text += `${name}_bucket{${label},le="${le}"} ${sum}\n`;
  });
  text += `${name}_bucket{${label},le="+Inf"} ${count.calls}\n`;
  return `${text}${name}_sum{${label}} ${count.seconds}\n${name}_count{${label}} ${count.calls}\n`;
}

function escapeLabel(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
