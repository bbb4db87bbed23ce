// How long something takes when nothing else wants the core: the gate runs on a machine that is doing
// other things at the same time.

const RUNS = 300;

export interface Timing {
  readonly medianMs: number;
  /** The tenth percentile: the time of a run that nothing interrupted. Limits apply to this one. */
  readonly undisturbedMs: number;
}

/** Warms up, then times each run without the making of its input. */
export function timeOf<I>(run: (input: I) => unknown, inputOf: () => I): Timing {
  for (let i = 0; i < RUNS / 3; i += 1) run(inputOf());
  const times = Array.from({ length: RUNS }, () => {
    const input = inputOf();
    const startMs = performance.now();
    run(input);
    return performance.now() - startMs;
  }).sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor(RUNS * part)] ?? Number.POSITIVE_INFINITY;
  return { medianMs: at(0.5), undisturbedMs: at(0.1) };
}

export function timingText({ medianMs, undisturbedMs }: Timing): string {
  return `median ${medianMs.toFixed(3)} ms, undisturbed ${undisturbedMs.toFixed(3)} ms`;
}
