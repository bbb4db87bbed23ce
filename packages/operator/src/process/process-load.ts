// Measures the load of this process: for its metrics, and for the note on its lease that `kubectl mkv operators` shows.
// Costs a few microseconds per call, and nothing in between.

import { getHeapStatistics } from 'node:v8';
import { ANNOTATIONS, formatReplicaLoad } from '@marekvs/api';
import type { Clock, Controller, LeaseNotes } from '@marekvs/runtime';
import { nextPressure, type Pressure, type PressureReading } from './pressure.ts';

export interface Load {
  /** Undefined until there are two readings. */
  pressure(): Pressure | undefined;
  notes(): LeaseNotes;
}

/** Two readings closer than this say little. */
const MIN_INTERVAL_MS = 1_000;

export function createLoad(clock: Clock, controllers: () => readonly Controller[], clusters: () => number): Load {
  let last: PressureReading | undefined;
  let pressure: Pressure | undefined;

  function read(): PressureReading {
    const { user, system } = process.cpuUsage();
    const waits = controllers().map((controller) => controller.inspect().queue.oldestWaitMs);
    return {
      atMs: clock.steadyMs(),
      cpuMs: (user + system) / 1_000,
      busyMs: performance.eventLoopUtilization().active,
      queueWaitMs: Math.max(0, ...waits),
      memoryBytes: process.memoryUsage.rss(),
      memoryLimitBytes: memoryLimitBytes(),
    };
  }

  function current(): Pressure | undefined {
    if (last !== undefined && clock.steadyMs() - last.atMs < MIN_INTERVAL_MS) return pressure;
    const now = read();
    pressure = nextPressure(pressure, last, now);
    last = now;
    return pressure;
  }

  return {
    pressure: current,
    notes: () => ({ [ANNOTATIONS.load]: formatReplicaLoad({ clusters: clusters(), ...current() }) }),
  };
}

/** The limit of the container, or of the heap where there is none. */
function memoryLimitBytes(): number {
  const constrained = process.constrainedMemory();
  const { heap_size_limit } = getHeapStatistics();
  // Without a limit this is a number larger than any machine.
  return constrained > 0 && constrained < 2 ** 50 ? constrained : heap_size_limit;
}
