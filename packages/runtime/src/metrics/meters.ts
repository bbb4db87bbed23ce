// Counters, gauges and histograms of one registry, with one call for each.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface Meters {
  counter(name: string, help: string, labelNames?: readonly string[]): Counter;
  /** @param read sets the gauge at every scrape; without it, the gauge keeps its last value */
  gauge(name: string, help: string, labelNames?: readonly string[], read?: (gauge: Gauge) => void): Gauge;
  histogram(name: string, help: string, buckets: readonly number[], labelNames?: readonly string[]): Histogram;
}

export function createMeters(registry: Registry): Meters {
  const registers = [registry];
  return {
    counter: (name, help, labelNames = []) => new Counter({ name, help, labelNames: [...labelNames], registers }),
    gauge: (name, help, labelNames = [], read = () => {}) =>
      new Gauge({
        name,
        help,
        labelNames: [...labelNames],
        registers,
        collect() {
          read(this);
        },
      }),
    histogram: (name, help, buckets, labelNames = []) =>
      new Histogram({ name, help, buckets: [...buckets], labelNames: [...labelNames], registers }),
  };
}
