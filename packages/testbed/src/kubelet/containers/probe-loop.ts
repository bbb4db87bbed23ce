// Repeats one probe, and reports when its verdict changes. probe.ts has the thresholds; the Pod's worker acts on
// verdicts.
import type { Clock, Timer } from '@marekvs/runtime';
import { type HttpGet, isProbeSuccess } from './http-get.ts';
import { afterAnswer, type ProbeSettings, type ProbeState, UNPROBED } from './probe.ts';

export interface ProbeLoop {
  stop(): void;
}

export interface ProbeLoopOptions {
  readonly host: string;
  readonly settings: ProbeSettings;
  readonly clock: Clock;
  readonly get: HttpGet;
  /** Called when the verdict changes, the first time from `unknown`. */
  readonly onVerdict: (verdict: 'success' | 'failure') => void;
  /** Probes no more after the first success, for runs of thousands of Pods. Default: goes on at the probe's period. */
  readonly endsWithSuccess?: boolean;
  /** Period before the first success. Real kubelets have none; hollow members are ready at once. */
  readonly eagerPeriodMs?: number;
}

export function startProbeLoop(options: ProbeLoopOptions): ProbeLoop {
  const { settings, clock } = options;
  let state: ProbeState = UNPROBED;
  let isStopped = false;
  let timer: Timer = clock.after(settings.initialDelayMs, () => void ask());

  async function ask(): Promise<void> {
    const status = await options.get(options.host, settings.port, settings.path, settings.timeoutMs);
    if (isStopped) return;
    const before = state.verdict;
    state = afterAnswer(state, isProbeSuccess(status), settings);
    if (state.verdict !== 'success' || options.endsWithSuccess !== true) timer = clock.after(pause(), () => void ask());
    if (state.verdict !== before && state.verdict !== 'unknown') options.onVerdict(state.verdict);
  }

  function pause(): number {
    return state.verdict === 'success' ? settings.periodMs : (options.eagerPeriodMs ?? settings.periodMs);
  }

  return {
    stop() {
      isStopped = true;
      timer.cancel();
    },
  };
}
