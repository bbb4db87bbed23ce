// The three probes of one running container: the other two begin only after the startup probe has passed.
import type { Clock } from '@marekvs/runtime';
import type { Container } from '../objects/objects.ts';
import type { HttpGet } from './http-get.ts';
import { type ProbeSettings, probeSettings } from './probe.ts';
import { type ProbeLoop, startProbeLoop } from './probe-loop.ts';

export interface ContainerProbes {
  /** Ends all probes; no callback is called any more. */
  stop(): void;
}

export interface ContainerProbesOptions {
  readonly container: Container;
  readonly host: string;
  readonly speed: number;
  /** For thousands of hollow Pods: fast readiness probes until the first success, and none after it; no other probe. */
  readonly isLight: boolean;
  readonly clock: Clock;
  readonly get: HttpGet;
  readonly onStarted: () => void;
  readonly onReady: (isReady: boolean) => void;
  /** Startup or liveness failed for good: the container is to be restarted. */
  readonly onUnhealthy: (probe: 'startup' | 'liveness') => void;
}

const LIGHT_EAGER_MS = 200;

export function startContainerProbes(options: ContainerProbesOptions): ContainerProbes {
  const { container, speed } = options;
  const ports = (container.ports ?? []).map(({ name, containerPort }) =>
    name === undefined ? { containerPort } : { name, containerPort },
  );
  const loops = new Set<ProbeLoop>();

  function run(settings: ProbeSettings, onVerdict: (verdict: 'success' | 'failure') => void): ProbeLoop {
    const loop = startProbeLoop({
      host: options.host,
      settings,
      clock: options.clock,
      get: options.get,
      onVerdict,
      ...(options.isLight ? { eagerPeriodMs: LIGHT_EAGER_MS, endsWithSuccess: true } : {}),
    });
    loops.add(loop);
    return loop;
  }

  function started(): void {
    options.onStarted();
    const readiness = probeSettings(container.readinessProbe, ports, speed);
    if (readiness === undefined) options.onReady(true);
    else run(readiness, (verdict) => options.onReady(verdict === 'success'));
    const liveness = options.isLight ? undefined : probeSettings(container.livenessProbe, ports, speed);
    if (liveness !== undefined) {
      run(liveness, (verdict) => {
        if (verdict === 'failure') options.onUnhealthy('liveness');
      });
    }
  }

  const startup = options.isLight ? undefined : probeSettings(container.startupProbe, ports, speed);
  if (startup === undefined) started();
  else {
    // At a higher speed it is probed more often, but for as long as the spec says: a process does not load faster.
    const patient = { ...startup, failureThreshold: Math.ceil(startup.failureThreshold * Math.max(1, speed)) };
    const loop = run(patient, (verdict) => {
      loop.stop();
      loops.delete(loop);
      if (verdict === 'success') started();
      else options.onUnhealthy('startup');
    });
  }

  return {
    stop() {
      for (const loop of loops) loop.stop();
    },
  };
}
