// Answers: how near is this process to what one process can do? Four figures, each 1 at its limit; the largest is what
// counts. From them follows whether replicas should share, or more of them (docs/operations/scaling-the-operator.md).

export interface PressureReading {
  /** Monotonic, when it was read. */
  readonly atMs: number;
  /** CPU time of the process so far. */
  readonly cpuMs: number;
  /** Time in which the event loop has worked so far. */
  readonly busyMs: number;
  /** The longest that a key which may be worked on has waited until now. */
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

/** What is promised: a change is handled within a second. */
const QUEUE_LIMIT_MS = 1_000;
/** Above this share of its time the loop makes everybody wait. */
const LOOP_LIMIT = 0.7;
/** Of one processor: garbage collection has threads of its own. */
const CPU_LIMIT = 1;
/** A list of everything needs room beside what is kept. */
const MEMORY_LIMIT = 0.8;
/** A burst is no pressure: what counts is a minute or two. */
const SETTLING_MS = 60_000;

/** The pressure between two readings, smoothed with what it was before. */
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
