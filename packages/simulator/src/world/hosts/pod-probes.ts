// How a kubelet of the world probes a container: until it has started, then for readiness and for life.

import type { Container, Probe } from './pod-spec.ts';

interface ProbedContainer {
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly after: (delayMs: number, run: () => void) => void;
  /** Whether it runs and is not being ended: otherwise no more is asked. */
  isProbed(): boolean;
  isReady(): boolean;
  /** Whether it answers well on this path now. */
  answers(path: string): boolean;
  onStarted(): void;
  onReady(isReady: boolean): void;
  onUnhealthy(): void;
}

type Heard = (isGood: boolean) => 'again' | 'done';

export function probeContainer(spec: Container, container: ProbedContainer): void {
  probe(container, spec.startupProbe ?? {}, container.random() * 1_000, (isGood) => {
    if (!isGood) return 'again';
    container.onStarted();
    watchReadiness(container, spec.readinessProbe ?? {});
    watchLife(container, spec.livenessProbe ?? {});
    return 'done';
  });
}

function watchReadiness(container: ProbedContainer, readiness: Probe): void {
  let failures = 0;
  probe(container, readiness, container.random() * 500, (isGood) => {
    failures = isGood ? 0 : failures + 1;
    const isReady = isGood || (container.isReady() && failures < (readiness.failureThreshold ?? 3));
    if (isReady !== container.isReady()) container.onReady(isReady);
    return 'again';
  });
}

function watchLife(container: ProbedContainer, liveness: Probe): void {
  let failures = 0;
  probe(container, liveness, 0, (isGood) => {
    failures = isGood ? 0 : failures + 1;
    if (failures < (liveness.failureThreshold ?? 3)) return 'again';
    container.onUnhealthy();
    return 'done';
  });
}

function probe(container: ProbedContainer, { periodSeconds, httpGet }: Probe, delayMs: number, heard: Heard): void {
  const periodMs = (periodSeconds ?? 10) * 1_000;
  const ask = (): void => {
    if (!container.isProbed()) return;
    if (heard(container.answers(httpGet?.path ?? '/alive')) === 'again') container.after(periodMs, ask);
  };
  container.after(delayMs, ask);
}
