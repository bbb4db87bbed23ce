// Asks one probe again and again and tells when its verdict changes. Thresholds are probe.ts; what follows from
// a verdict, the Pod's worker.
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
  /** Nothing is asked after the first success, for runs of thousands of Pods. Default: the probe's own period. */
  readonly endsWithSuccess?: boolean;
  /** Before the first success, ask so often at first. Real kubelets do not; hollow members are ready at once. */
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
