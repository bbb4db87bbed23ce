// One probe's verdict from a row of answers: thresholds and times as the kubelet counts them. Pure.

export interface ProbeSettings {
  readonly path: string;
  readonly port: number;
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

export interface ProbeState {
  readonly verdict: 'unknown' | 'success' | 'failure';
  readonly successes: number;
  readonly failures: number;
}

export const UNPROBED: ProbeState = { verdict: 'unknown', successes: 0, failures: 0 };

/** The state after one more answer. The verdict changes only when its threshold is reached in an unbroken row. */
export function afterAnswer(state: ProbeState, isOk: boolean, settings: ProbeSettings): ProbeState {
  if (isOk) {
    const successes = state.successes + 1;
    return { verdict: successes >= settings.successThreshold ? 'success' : state.verdict, successes, failures: 0 };
  }
  const failures = state.failures + 1;
  return { verdict: failures >= settings.failureThreshold ? 'failure' : state.verdict, successes: 0, failures };
}

/** What a Pod writes under startupProbe, readinessProbe or livenessProbe. */
export interface ProbeSpec {
  readonly httpGet?: { readonly path?: string; readonly port: number | string };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
}

/** A named port is looked up; kinds of probe other than httpGet, and unknown port names, give undefined
 *  (such a probe counts as passed).
 *  @param speed divides delay and period. The answer's time limit stays: the machine does not get faster */
export function probeSettings(
  spec: ProbeSpec | undefined,
  ports: readonly { readonly name?: string; readonly containerPort: number }[],
  speed: number,
): ProbeSettings | undefined {
  if (spec?.httpGet === undefined) return undefined;
  const { path = '/', port } = spec.httpGet;
  const number = typeof port === 'number' ? port : ports.find((one) => one.name === port)?.containerPort;
  if (number === undefined) return undefined;
  return {
    path,
    port: number,
    initialDelayMs: ((spec.initialDelaySeconds ?? 0) * 1000) / speed,
    periodMs: Math.max(20, ((spec.periodSeconds ?? 10) * 1000) / speed),
    timeoutMs: (spec.timeoutSeconds ?? 1) * 1000,
    successThreshold: spec.successThreshold ?? 1,
    failureThreshold: spec.failureThreshold ?? 3,
  };
}
