// What is known of one Pod, in one place: the worker records it as things happen, the status is computed from it.

import type { Container, Pod } from '../objects/objects.ts';
import type { MemberExit } from '../runners/member-runner.ts';
import type { PodSize } from './pod-resize.ts';
import { type ContainerEnd, type ContainerState, type PodFacts, renderStatus } from './pod-status.ts';

/** Signals in numbers, for exit codes. */
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

export class PodRecord {
  nodeName: string | undefined;
  /** Set from the first try to start the container to the end of the Pod. */
  ip: string | undefined;
  startTime: string | undefined;
  unschedulable: string | undefined;
  state: ContainerState = { kind: 'waiting', reason: 'ContainerCreating' };
  lastEnd: ContainerEnd | undefined;
  starts = 0;
  isStarted = false;
  /** The verdict of the readiness probe. */
  isProbedReady = false;
  /** Set by a test: never ready, whatever the probe says. */
  isNeverReady = false;
  failed: { readonly reason: string; readonly message: string } | undefined;
  readonly #now: () => string;
  readonly #size: () => PodSize;
  readonly #transitions = new Map<string, { readonly status: string; readonly at: string }>();

  /** @param now RFC 3339, whole seconds
   *  @param size the resources the Pod has, and how far a resize is */
  constructor(nodeName: string | undefined, now: () => string, size: () => PodSize) {
    this.nodeName = nodeName;
    this.#now = now;
    this.#size = size;
  }

  get isReady(): boolean {
    return this.isProbedReady && !this.isNeverReady;
  }

  get restartCount(): number {
    return Math.max(0, this.starts - 1);
  }

  /** Records that the container has ended. @returns how it ended */
  end(exit: MemberExit, startedAt: string): ContainerEnd {
    const end = toEnd(exit, startedAt, this.#now());
    this.isStarted = false;
    this.isProbedReady = false;
    this.state = { kind: 'terminated', end };
    return end;
  }

  /** The body of a status patch. */
  render(pod: Pod, container: Container, hostIp: string): object {
    return renderStatus(pod, container, this.#facts(hostIp), (type, status) => this.#transitionTime(type, status));
  }

  #facts(hostIp: string): PodFacts {
    return {
      nodeName: this.nodeName,
      hostIp,
      podIp: this.ip,
      startTime: this.startTime,
      unschedulable: this.unschedulable,
      state: this.state,
      lastEnd: this.lastEnd,
      restartCount: this.restartCount,
      isStarted: this.isStarted,
      isReady: this.isReady,
      failed: this.failed,
      size: this.#size(),
    };
  }

  /** When the condition took this value; the same time for as long as the value stays. */
  #transitionTime(type: string, status: string): string {
    const known = this.#transitions.get(type);
    if (known?.status === status) return known.at;
    const at = this.#now();
    this.#transitions.set(type, { status, at });
    return at;
  }
}

function toEnd(exit: MemberExit, startedAt: string, finishedAt: string): ContainerEnd {
  const signal = exit.signal === undefined ? undefined : (SIGNAL_NUMBERS[exit.signal] ?? 1);
  const exitCode = exit.code ?? 128 + (signal ?? 0);
  return {
    reason: exitCode === 0 ? 'Completed' : 'Error',
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    startedAt,
    finishedAt,
  };
}
