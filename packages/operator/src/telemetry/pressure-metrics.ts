// How near this process is to what one process can do, read at every scrape.

import { PRESSURE_KINDS } from '@marekvs/api';
import { createMeters } from '@marekvs/runtime';
import type { Registry } from 'prom-client';
import type { Pressure } from '../ownership/pressure.ts';

export interface PressureMetrics {
  /** Reads it at every scrape from now on. */
  observe(pressure: () => Pressure | undefined): void;
}

export function createPressureMetrics(registry: Registry, prefix: string): PressureMetrics {
  let read: () => Pressure | undefined = () => undefined;
  const help = 'How near this process is to its limit, which is 1';
  createMeters(registry).gauge(`${prefix}shard_pressure`, help, ['of'], (it) => {
    const pressure = read();
    if (pressure !== undefined) for (const of of PRESSURE_KINDS) it.set({ of }, pressure[of]);
  });
  return {
    observe(pressure) {
      read = pressure;
    },
  };
}
