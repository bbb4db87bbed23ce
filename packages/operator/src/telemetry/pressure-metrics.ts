// How near this process is to what one process can do, read at every scrape.

import { PRESSURE_KINDS } from '@marekvs/api';
import { Gauge, type Registry } from 'prom-client';
import type { Pressure } from '../ownership/pressure.ts';

export interface PressureMetrics {
  /** Reads it at every scrape from now on. */
  observe(pressure: () => Pressure | undefined): void;
}

export function createPressureMetrics(registry: Registry, prefix: string): PressureMetrics {
  let read: () => Pressure | undefined = () => undefined;
  new Gauge({
    name: `${prefix}shard_pressure`,
    help: 'How near this process is to its limit, which is 1',
    labelNames: ['of'],
    registers: [registry],
    collect() {
      const pressure = read();
      if (pressure !== undefined) for (const of of PRESSURE_KINDS) this.set({ of }, pressure[of]);
    },
  });
  return {
    observe(pressure) {
      read = pressure;
    },
  };
}
