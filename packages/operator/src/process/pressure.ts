// Answers: how near is this process to its limits? Four figures, each 1 at its limit; the largest counts. They show
// when replicas should share, or more replicas are needed (docs/operations/scaling-the-operator.md).

export interface PressureReading {
  /** Monotonic time of the reading. */
  readonly atMs: number;
  /** CPU time of the process so far. */
  readonly cpuMs: number;
  /** Time for which the event loop has been busy so far. */
  readonly busyMs: number;
  /** The longest wait of a key that is ready to be worked on. */
  readonly queueWaitMs: number;
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number;
}

export interface Pressure {
  readonly queue: number;
  readonly loop: number;
  readonly cpu: number;
  readonly memory: number;
}

/** The promise: a change is handled within a second. */
const QUEUE_LIMIT_MS = 1_000;
/** A loop that is busy for a larger share of its time makes everything wait. */
const LOOP_LIMIT = 0.7;
/** In processors: garbage collection has threads of its own. */
const CPU_LIMIT = 1;
/** A list of all objects needs memory in addition to what is kept. */
const MEMORY_LIMIT = 0.8;
/** Time constant of the smoothing: a burst is no pressure, a minute or two of load is. */
const SETTLING_MS = 60_000;

/** The pressure between two readings, smoothed with the one before. Memory is not smoothed. */
export function nextPressure(
  before: Pressure | undefined,
  last: PressureReading | undefined,
  now: PressureReading,
): Pressure | undefined {
  const elapsedMs = last === undefined ? 0 : now.atMs - last.atMs;
  if (last === undefined || elapsedMs <= 0) return before;
  const present: Pressure = {
    queue: now.queueWaitMs / QUEUE_LIMIT_MS,
    loop: (now.busyMs - last.busyMs) / elapsedMs / LOOP_LIMIT,
    cpu: (now.cpuMs - last.cpuMs) / elapsedMs / CPU_LIMIT,
    memory: now.memoryBytes / now.memoryLimitBytes / MEMORY_LIMIT,
  };
  if (before === undefined) return present;
  const weight = 1 - Math.exp(-elapsedMs / SETTLING_MS);
  const mixed = (key: keyof Pressure): number => before[key] + weight * (present[key] - before[key]);
  return { queue: mixed('queue'), loop: mixed('loop'), cpu: mixed('cpu'), memory: present.memory };
}
