// The running container of a Pod: its member, its probes, and what is recorded when it ends. The worker decides when it
// is started and stopped.
import { type ContainerProbes, startContainerProbes } from '../containers/container-probes.ts';
import { graceMsOf, stopMember } from '../containers/container-stop.ts';
import { createCrashBackoff } from '../containers/crash-backoff.ts';
import type { MemberExit, RunningMember } from '../runners/member-runner.ts';
import { SETTLE_MS, settleMs, type WorkerParts } from './worker-ports.ts';

interface RunDecisions {
  /** Whether the Pod is ending, or has ended: no container is started again. */
  readonly isOver: () => boolean;
  /** Whether a member that has just been started is to be killed. */
  readonly isToBeKilled: () => boolean;
  /** The member has ended, and is to be started again after this time. */
  readonly onEnded: (pauseMs: number) => void;
}

export class ContainerRun {
  readonly #parts: WorkerParts;
  readonly #decisions: RunDecisions;
  readonly #backoff;
  #member: RunningMember | undefined;
  #gone: Promise<void> = Promise.resolve();
  #probes: ContainerProbes | undefined;

  constructor(parts: WorkerParts, decisions: RunDecisions) {
    this.#parts = parts;
    this.#decisions = decisions;
    this.#backoff = createCrashBackoff(parts.ports.speed);
  }

  /** Undefined while none runs. */
  get member(): RunningMember | undefined {
    return this.#member;
  }

  /** Resolves when the last member has ended. */
  get gone(): Promise<void> {
    return this.#gone;
  }

  stopProbes(): void {
    this.#probes?.stop();
  }

  /** @param isProbed false when nothing can answer behind the address: it then counts as ready while it runs */
  run(member: RunningMember, isProbed: boolean): void {
    const { ports, container, record, writer, now, pod } = this.#parts;
    const { isOver, isToBeKilled } = this.#decisions;
    this.#member = member;
    record.starts += 1;
    const startedAt = now();
    const startedAtMs = ports.clock.monotonicMs();
    record.state = { kind: 'running', startedAt };
    this.#gone = member.exited.then((exit) => this.#ended(exit, startedAt, startedAtMs));
    // Deleted or evicted while it was being started, when there was no member to end yet.
    if (isToBeKilled()) member.signal('SIGKILL');
    if (isOver()) return;
    this.#probes = startContainerProbes({
      container: isProbed ? container : { name: container.name },
      host: record.ip ?? '',
      speed: ports.speed,
      isLight: ports.isLight,
      clock: ports.clock,
      get: ports.get,
      onStarted: () => {
        record.isStarted = true;
        writer.touch(settleMs(ports.isLight));
      },
      onReady: (isReady) => {
        if (isReady === record.isProbedReady) return;
        record.isProbedReady = isReady;
        ports.onChanged();
        writer.flush();
      },
      onUnhealthy: () => stopMember(member, ports.clock, graceMsOf(pod(), ports.speed)),
    });
    writer.touch(settleMs(ports.isLight));
  }

  #ended(exit: MemberExit, startedAt: string, startedAtMs: number): void {
    const { ports, container, record, writer } = this.#parts;
    const { isOver, onEnded } = this.#decisions;
    this.#probes?.stop();
    this.#member = undefined;
    const end = record.end(exit, startedAt);
    ports.onChanged();
    if (isOver()) return;
    record.lastEnd = end;
    const pauseMs = this.#backoff.next(ports.clock.monotonicMs() - startedAtMs);
    if (pauseMs > 0) {
      const message = `back-off ${Math.round((pauseMs * ports.speed) / 1000)}s restarting failed container=${container.name}`;
      record.state = { kind: 'waiting', reason: 'CrashLoopBackOff', message };
    }
    writer.touch(SETTLE_MS);
    onEnded(pauseMs);
  }
}
