// The life of one Pod (one uid) on this machine: placed, started, probed, restarted, stopped, gone.
// Decisions are in the pure files next door; this one calls them in order.
import { graceMsOf, killAfter, stopInOrder } from '../containers/container-stop.ts';
import { keyOf, mainContainer, type Pod } from '../objects/objects.ts';
import type { LogRange, NotStarted } from '../server/log-server.ts';
import { ContainerRun } from './container-run.ts';
import { PodLog } from './pod-log.ts';
import { PodRecord } from './pod-record.ts';
import { removeObject, TerminationHold } from './pod-removal.ts';
import { PodResize, type Resources } from './pod-resize.ts';
import { bindPod, StartAttempts, startPod } from './pod-start.ts';
import { RetryPause } from './retry-pause.ts';
import { createStatusWriter, type StatusWriter } from './status-writer.ts';
import { RETRY_MS, settleMs, type WorkerParts, type WorkerPorts } from './worker-ports.ts';

export class PodWorker {
  readonly key: string;
  readonly #ports: WorkerPorts;
  readonly #writer: StatusWriter;
  readonly #record: PodRecord;
  readonly #size: PodResize;
  readonly #parts: WorkerParts;
  readonly #run: ContainerRun;
  readonly #log: PodLog;
  readonly #pause: RetryPause;
  readonly #attempts = new StartAttempts();
  readonly #hold = new TerminationHold();
  #pod: Pod;
  #isBusy = false;
  #isAskedAgain = false;
  #isTerminating = false;
  #isGone = false;
  #isLost = false;

  constructor(pod: Pod, ports: WorkerPorts) {
    this.key = keyOf(pod);
    this.#pod = pod;
    this.#ports = ports;
    const container = mainContainer(pod) ?? { name: 'none' };
    this.#size = new PodResize(pod, {
      clock: ports.clock,
      speed: ports.speed,
      judge: (asked) => ports.judgeResize(asked, this.#record.nodeName ?? ''),
      onChanged: () => this.#writer.flush(),
    });
    const now = () => new Date(ports.clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
    this.#record = new PodRecord(pod.spec.nodeName, now, () => this.#size.size);
    this.#writer = createStatusWriter({
      clock: ports.clock,
      render: () => this.#record.render(this.#pod, container, this.#hostIp()),
      write: (status) => ports.api.patchPodStatus(this.#pod, status),
      onProblem: (err) => ports.onProblem(`write status of Pod ${this.key}`, err),
    });
    this.#parts = { ports, container, record: this.#record, writer: this.#writer, now, pod: () => this.#pod };
    this.#run = new ContainerRun(this.#parts, {
      isOver: () => this.#isOver,
      isToBeKilled: () => this.#isGone || this.#isLost || this.#record.failed !== undefined,
      onEnded: (pauseMs) => this.#retryIn(pauseMs),
    });
    this.#log = new PodLog(() => ports.volumes.podFolder(this.#pod));
    this.#pause = new RetryPause(ports.clock, () => this.kick());
  }

  get pod(): Pod {
    return this.#pod;
  }

  get nodeName(): string | undefined {
    return this.#record.nodeName;
  }

  /** Undefined before it is placed and after it has ended. */
  get ip(): string | undefined {
    return this.#record.ip;
  }

  get isReady(): boolean {
    return this.#record.isReady;
  }

  get isTerminating(): boolean {
    return this.#isTerminating;
  }

  get restartCount(): number {
    return this.#record.restartCount;
  }

  get pid(): number | undefined {
    return this.#run.member?.pid;
  }

  /** The API server's newest version of this Pod. */
  update(pod: Pod): void {
    const { speed, clock } = this.#ports;
    const isShorter = graceMsOf(pod, speed) < graceMsOf(this.#pod, speed);
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#size.end();
      if (this.#isTerminating && isShorter && this.#run.member !== undefined)
        killAfter(this.#run.member, clock, graceMsOf(pod, speed));
      void this.#terminate();
      return;
    }
    this.#size.update(pod);
    this.kick();
  }

  /** The resources that its container has now. */
  get allotted(): Resources {
    return this.#size.size.has;
  }

  /** There may be room now for a deferred resize. */
  retryPlacement(): void {
    this.#size.kick();
  }

  /** Something it may be waiting for has changed. */
  kick(): void {
    this.#pause.endForOthers();
    if (this.#run.member !== undefined || this.#pause.isOn || this.#isOver) return;
    if (this.#isBusy) {
      this.#isAskedAgain = true;
      return;
    }
    void this.#advance();
  }

  /** The object is gone from the API server. Resolves when nothing is left of the Pod here. */
  async gone(): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#size.end();
    this.#writer.stop();
    this.#endContainerWork();
    this.#run.member?.signal('SIGKILL');
    await this.#run.gone;
    if (this.#record.ip !== undefined) this.#ports.giveBackAddress(this.#record.ip);
    this.#record.ip = undefined;
    this.#ports.onChanged();
    await this.#ports.volumes
      .removePod(this.#pod)
      .catch((err) => this.#ports.onProblem(`remove the folder of Pod ${this.key}`, err));
  }

  /** Where the output of its container is, or that of the life before; undefined when there was none. */
  log(isPrevious: boolean): LogRange | NotStarted | undefined {
    const { state } = this.#record;
    if (!isPrevious && this.#log.isEmpty && state.kind === 'waiting') return { waitsFor: state.reason };
    return this.#log.range(isPrevious);
  }

  /** Sends a signal to the member's process. */
  signal(signal: NodeJS.Signals): void {
    this.#run.member?.signal(signal);
  }

  /** Reports not ready whatever the probes say, until switched off. */
  setNeverReady(isNeverReady: boolean): void {
    this.#record.isNeverReady = isNeverReady;
    this.#ports.onChanged();
    this.#writer.flush();
  }

  /** Once stopped, the Pod's object stays (Terminating) until released. */
  holdTermination(): void {
    this.#hold.begin();
  }

  releaseTermination(): void {
    this.#hold.release();
  }

  /** The kubelet ends the Pod for good: phase Failed, no restart, the object stays. */
  async evict(reason: string, message: string): Promise<void> {
    this.#record.failed = { reason, message };
    this.#size.end();
    this.#endContainerWork();
    this.#run.member?.signal('SIGKILL');
    await this.#run.gone;
    this.#ports.onChanged();
    this.#writer.flush();
  }

  /** The host is gone, and the member with it; no status is written any more. */
  lose(): void {
    this.#isLost = true;
    this.#size.end();
    this.#writer.stop();
    this.#endContainerWork();
    this.#run.member?.signal('SIGKILL');
  }

  get #isOver(): boolean {
    return this.#isGone || this.#isLost || this.#isTerminating || this.#record.failed !== undefined;
  }

  async #advance(): Promise<void> {
    this.#isBusy = true;
    try {
      do {
        this.#isAskedAgain = false;
        await this.#step();
        // A change that was announced during the step may be the one it now waits for.
        if (this.#isAskedAgain) this.#pause.endForOthers();
      } while (this.#isAskedAgain && !this.#isOver);
    } catch (err) {
      this.#ports.onProblem(`run Pod ${this.key}`, err);
      this.#retryIn(RETRY_MS / this.#ports.speed);
    } finally {
      this.#isBusy = false;
    }
  }

  async #step(): Promise<void> {
    if (this.#isOver || this.#run.member !== undefined || this.#pause.isOn) return;
    if (this.#record.nodeName === undefined && !(await bindPod(this.#parts))) return;
    if (!this.#isOver) await this.#start();
  }

  async #start(): Promise<void> {
    const { nodeName } = this.#record;
    if (nodeName === undefined) return;
    const runner = this.#ports.runnerFor(this.#parts.container);
    const printed = this.#log.size();
    const outcome = await startPod(this.#parts, nodeName, runner);
    if (outcome.kind === 'running') this.#log.begin(printed);
    if (outcome.kind === 'waiting') this.#wait(outcome.reason, outcome.message);
    else this.#run.run(outcome.member, runner.kind !== 'pause');
  }

  #wait(reason: string, message: string): void {
    const next = this.#attempts.next(reason);
    this.#record.state = { kind: 'waiting', reason: next.reason, message };
    // A claim may be about to be bound: its event ends the wait; the pause is for changes without an event.
    this.#pause.isForOthers = reason === 'ContainerCreating';
    this.#writer.touch(settleMs(this.#ports.isLight));
    this.#retryIn(Math.max(100, next.pauseMs / this.#ports.speed));
  }

  #retryIn(ms: number): void {
    if (!this.#isOver) this.#pause.begin(ms);
  }

  #endContainerWork(): void {
    this.#run.stopProbes();
    this.#pause.cancel();
  }

  async #terminate(): Promise<void> {
    if (this.#isTerminating || this.#isGone || this.#isLost) return;
    this.#isTerminating = true;
    this.#endContainerWork();
    if (this.#run.member !== undefined) {
      const { clock, get, speed } = this.#ports;
      await stopInOrder({
        member: this.#run.member,
        container: this.#parts.container,
        ip: this.#record.ip,
        clock,
        get,
        graceMs: graceMsOf(this.#pod, speed),
        speed,
      });
    }
    await this.#run.gone;
    await this.#hold.released;
    await removeObject(this.#parts, () => this.#isGone);
  }

  #hostIp(): string {
    return this.#record.nodeName === undefined ? '' : this.#ports.hostIpOf(this.#record.nodeName);
  }
}
