// How a container is ended: preStop hook, SIGTERM, and SIGKILL when the grace is over. pod-worker.ts decides when.
import type { Clock } from '@marekvs/runtime';
import type { Container, Pod } from '../objects/objects.ts';
import type { RunningMember } from '../runners/member-runner.ts';
import type { HttpGet } from './http-get.ts';
import { probeSettings } from './probe.ts';

const DEFAULT_GRACE_SECONDS = 30;
/** The real kubelet grants at least this much after a preStop hook that used up the grace. */
const LEAST_GRACE_MS = 2_000;

/** The grace period of a Pod, in real time. */
export function graceMsOf(pod: Pod, speed: number): number {
  const { deletionGracePeriodSeconds } = pod.metadata;
  const seconds = deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  return (seconds * 1000) / speed;
}

/** SIGTERM now, SIGKILL after the grace; does not wait for either. */
export function stopMember(member: RunningMember, clock: Clock, graceMs: number): void {
  member.signal('SIGTERM');
  killAfter(member, clock, graceMs);
}

export function killAfter(member: RunningMember, clock: Clock, graceMs: number): void {
  const timer = clock.after(graceMs, () => member.signal('SIGKILL'));
  void member.exited.then(() => timer.cancel());
}

export interface OrderlyStop {
  readonly member: RunningMember;
  readonly container: Container;
  readonly ip: string | undefined;
  readonly clock: Clock;
  readonly get: HttpGet;
  readonly graceMs: number;
  readonly speed: number;
}

/** The preStop hook first; its time counts as grace. Resolves when SIGTERM was sent, not when the member has ended. */
export async function stopInOrder(stop: OrderlyStop): Promise<void> {
  const startedAtMs = stop.clock.monotonicMs();
  const hook = stop.container.lifecycle?.preStop?.httpGet;
  const settings = hook === undefined ? undefined : probeSettings({ httpGet: hook }, stop.container.ports ?? [], 1);
  if (settings !== undefined && stop.ip !== undefined) {
    await stop.get(stop.ip, settings.port, settings.path, stop.graceMs);
  }
  const leftMs = stop.graceMs - (stop.clock.monotonicMs() - startedAtMs);
  stopMember(stop.member, stop.clock, Math.max(LEAST_GRACE_MS / stop.speed, leftMs));
}
