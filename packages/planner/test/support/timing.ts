// How long something takes when nothing else uses the core: other work runs on the machine at the same time as the
// gate.

const RUNS = 300;

export interface Timing {
  readonly medianMs: number;
  /** The tenth percentile: the time of a run that nothing interrupted. Limits apply to this figure. */
  readonly undisturbedMs: number;
}

/** Warms up, then times each run without the creation of its input. */
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
