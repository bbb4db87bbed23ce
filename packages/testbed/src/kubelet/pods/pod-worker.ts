// The life of one Pod (one uid) on this machine: placed, started, probed, restarted, stopped, gone.
// Decisions are in the pure files next door; this one calls them in order.
import { statSync } from 'node:fs';
import { type Clock, isConflict, isNotFound, type Timer } from '@marekvs/runtime';
import { type ContainerProbes, startContainerProbes } from '../containers/container-probes.ts';
import { memberLog, startContainer } from '../containers/container-start.ts';
import { graceMsOf, killAfter, stopInOrder, stopMember } from '../containers/container-stop.ts';
import { createCrashBackoff } from '../containers/crash-backoff.ts';
import type { HttpGet } from '../containers/http-get.ts';
import type { KubeletApi } from '../objects/kubelet-api.ts';
import { type Claim, type Container, keyOf, mainContainer, type Pod } from '../objects/objects.ts';
import type { MemberExit, MemberRunner, RunningMember } from '../runners/member-runner.ts';
import type { Placement } from '../scheduling/scheduler.ts';
import type { LogRange, NotStarted } from '../server/log-server.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { PodRecord } from './pod-record.ts';
import { PodResize, type ResizeVerdict, type Resources } from './pod-resize.ts';
import { createStatusWriter, type StatusWriter } from './status-writer.ts';

/** What a worker needs of the kubelet around it. */
export interface WorkerPorts {
  readonly clock: Clock;
  readonly api: KubeletApi;
  readonly get: HttpGet;
  readonly volumes: Volumes;
  /** Divides every delay of probes, back-off and grace. */
  readonly speed: number;
  readonly isLight: boolean;
  runnerFor(container: Container): MemberRunner;
  place(pod: Pod): Placement;
  /** The host's verdict on the resources that the running Pod asks for. */
  judgeResize(pod: Pod, nodeName: string): ResizeVerdict;
  hostIpOf(nodeName: string): string;
  takeAddress(): string;
  giveBackAddress(address: string): void;
  findClaim(namespace: string, name: string): Claim | undefined;
  resolveName(name: string, namespace: string): readonly string[] | undefined;
  /** Address, readiness or placement changed. */
  onChanged(): void;
  onProblem(what: string, err: unknown): void;
}

const SETTLE_MS = 20;
/** A hollow member is ready within this time of its start, so that one status write reports both. */
const LIGHT_SETTLE_MS = 1500;
const RETRY_MS = 2_000;
const IMAGE_RETRY_MS = 10_000;

export class PodWorker {
  readonly key: string;
  readonly #ports: WorkerPorts;
  readonly #container: Container;
  readonly #writer: StatusWriter;
  readonly #backoff;
  readonly #record: PodRecord;
  readonly #size: PodResize;
  #pod: Pod;
  #member: RunningMember | undefined;
  #memberGone: Promise<void> = Promise.resolve();
  #probes: ContainerProbes | undefined;
  #pause: Timer | undefined;
  #isWaitingForOthers = false;
  #imageFailures = 0;
  /** Size of the log in bytes when each life began. */
  readonly #logStarts: number[] = [];
  #isBusy = false;
  #isAskedAgain = false;
  #isTerminating = false;
  #isGone = false;
  #isLost = false;
  #hold: { readonly released: Promise<void>; release(): void } | undefined;

  constructor(pod: Pod, ports: WorkerPorts) {
    this.key = keyOf(pod);
    this.#pod = pod;
    this.#ports = ports;
    this.#container = mainContainer(pod) ?? { name: 'none' };
    this.#size = new PodResize(pod, {
      clock: ports.clock,
      speed: ports.speed,
      judge: (asked) => ports.judgeResize(asked, this.#record.nodeName ?? ''),
      onChanged: () => this.#writer.flush(),
    });
    const now = () => this.#now();
    this.#record = new PodRecord(pod.spec.nodeName, now, () => this.#size.size);
    this.#backoff = createCrashBackoff(ports.speed);
    this.#writer = createStatusWriter({
      clock: ports.clock,
      render: () => this.#record.render(this.#pod, this.#container, this.#hostIp()),
      write: (status) => ports.api.patchPodStatus(this.#pod, status),
      onProblem: (err) => ports.onProblem(`write status of Pod ${this.key}`, err),
    });
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
    return this.#member?.pid;
  }

  /** The API server's newest version of this Pod. */
  update(pod: Pod): void {
    const { speed, clock } = this.#ports;
    const isShorter = graceMsOf(pod, speed) < graceMsOf(this.#pod, speed);
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#size.end();
      if (this.#isTerminating && isShorter && this.#member !== undefined)
        killAfter(this.#member, clock, graceMsOf(pod, speed));
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
    this.#endWaitForOthers();
    if (this.#member !== undefined || this.#pause !== undefined || this.#isOver) return;
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
    this.#member?.signal('SIGKILL');
    await this.#memberGone;
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
    if (!isPrevious && this.#logStarts.length === 0 && state.kind === 'waiting') return { waitsFor: state.reason };
    const path = memberLog(this.#ports.volumes.podFolder(this.#pod));
    const index = this.#logStarts.length - (isPrevious ? 2 : 1);
    const from = this.#logStarts[index];
    return from === undefined ? undefined : { path, from, to: this.#logStarts[index + 1] };
  }

  /** Sends a signal to the member's process. */
  signal(signal: NodeJS.Signals): void {
    this.#member?.signal(signal);
  }

  /** Reports not ready whatever the probes say, until switched off. */
  setNeverReady(isNeverReady: boolean): void {
    this.#record.isNeverReady = isNeverReady;
    this.#ports.onChanged();
    this.#writer.flush();
  }

  /** Once stopped, the Pod's object stays (Terminating) until released. */
  holdTermination(): void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#hold ??= { released, release };
  }

  releaseTermination(): void {
    this.#hold?.release();
    this.#hold = undefined;
  }

  /** The kubelet ends the Pod for good: phase Failed, no restart, the object stays. */
  async evict(reason: string, message: string): Promise<void> {
    this.#record.failed = { reason, message };
    this.#size.end();
    this.#endContainerWork();
    this.#member?.signal('SIGKILL');
    await this.#memberGone;
    this.#ports.onChanged();
    this.#writer.flush();
  }

  /** The host is gone, and the member with it; no status is written any more. */
  lose(): void {
    this.#isLost = true;
    this.#size.end();
    this.#writer.stop();
    this.#endContainerWork();
    this.#member?.signal('SIGKILL');
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
        if (this.#isAskedAgain) this.#endWaitForOthers();
      } while (this.#isAskedAgain && !this.#isOver);
    } catch (err) {
      this.#ports.onProblem(`run Pod ${this.key}`, err);
      this.#retryIn(RETRY_MS / this.#ports.speed);
    } finally {
      this.#isBusy = false;
    }
  }

  async #step(): Promise<void> {
    if (this.#isOver || this.#member !== undefined || this.#pause !== undefined) return;
    if (this.#record.nodeName === undefined && !(await this.#bind())) return;
    if (!this.#isOver) await this.#start();
  }

  async #bind(): Promise<boolean> {
    const placement = this.#ports.place(this.#pod);
    if (placement.kind === 'unschedulable') {
      this.#record.unschedulable = placement.message;
      this.#writer.touch(SETTLE_MS);
      return false;
    }
    this.#record.unschedulable = undefined;
    // Set before the answer arrives, so that the next Pod is not placed as if this one were not there.
    this.#record.nodeName = placement.nodeName;
    try {
      await this.#ports.api.bind(this.#pod, placement.nodeName);
      return true;
    } catch (err) {
      this.#record.nodeName = undefined;
      if (isNotFound(err) || isConflict(err)) return false;
      throw err;
    }
  }

  async #start(): Promise<void> {
    const nodeName = this.#record.nodeName;
    if (nodeName === undefined) return;
    if (this.#record.ip === undefined) {
      this.#record.ip = this.#ports.takeAddress();
      this.#record.startTime = this.#now();
      this.#ports.onChanged();
    }
    const { namespace } = this.#pod.metadata;
    const runner = this.#ports.runnerFor(this.#container);
    const printed = sizeOf(memberLog(this.#ports.volumes.podFolder(this.#pod)));
    const outcome = await startContainer({
      pod: this.#pod,
      container: this.#container,
      nodeName,
      hostIp: this.#ports.hostIpOf(nodeName),
      podIp: this.#record.ip,
      attempt: this.#record.starts,
      api: this.#ports.api,
      volumes: this.#ports.volumes,
      runner,
      findClaim: (name) => this.#ports.findClaim(namespace, name),
      resolveName: (name) => this.#ports.resolveName(name, namespace),
    });
    if (outcome.kind === 'running') this.#logStarts.push(printed);
    if (outcome.kind === 'waiting') this.#wait(outcome.reason, outcome.message);
    else this.#run(outcome.member, runner.kind !== 'pause');
  }

  #wait(reason: string, message: string): void {
    if (reason === 'ErrImagePull') this.#imageFailures += 1;
    const shown = reason === 'ErrImagePull' && this.#imageFailures > 1 ? 'ImagePullBackOff' : reason;
    this.#record.state = { kind: 'waiting', reason: shown, message };
    // A claim may be about to be bound: its event ends the wait; the pause is for changes without an event.
    this.#isWaitingForOthers = reason === 'ContainerCreating';
    this.#writer.touch(this.#settleMs());
    const pauseMs =
      reason === 'ErrImagePull' ? IMAGE_RETRY_MS * Math.min(30, 2 ** (this.#imageFailures - 1)) : RETRY_MS;
    this.#retryIn(Math.max(100, pauseMs / this.#ports.speed));
  }

  /** @param isProbed false when nothing can answer behind the address: it then counts as ready while it runs */
  #run(member: RunningMember, isProbed: boolean): void {
    this.#member = member;
    this.#record.starts += 1;
    const startedAt = this.#now();
    const startedAtMs = this.#ports.clock.monotonicMs();
    this.#record.state = { kind: 'running', startedAt };
    this.#memberGone = member.exited.then((exit) => this.#ended(exit, startedAt, startedAtMs));
    // Deleted or evicted while it was being started, when there was no member to end yet.
    if (this.#isGone || this.#isLost || this.#record.failed !== undefined) member.signal('SIGKILL');
    if (this.#isOver) return;
    this.#probes = startContainerProbes({
      container: isProbed ? this.#container : { name: this.#container.name },
      host: this.#record.ip ?? '',
      speed: this.#ports.speed,
      isLight: this.#ports.isLight,
      clock: this.#ports.clock,
      get: this.#ports.get,
      onStarted: () => {
        this.#record.isStarted = true;
        this.#writer.touch(this.#settleMs());
      },
      onReady: (isReady) => {
        if (isReady === this.#record.isProbedReady) return;
        this.#record.isProbedReady = isReady;
        this.#ports.onChanged();
        this.#writer.flush();
      },
      onUnhealthy: () => stopMember(member, this.#ports.clock, graceMsOf(this.#pod, this.#ports.speed)),
    });
    this.#writer.touch(this.#settleMs());
  }

  #settleMs(): number {
    return this.#ports.isLight ? LIGHT_SETTLE_MS : SETTLE_MS;
  }

  #ended(exit: MemberExit, startedAt: string, startedAtMs: number): void {
    this.#probes?.stop();
    this.#member = undefined;
    const end = this.#record.end(exit, startedAt);
    this.#ports.onChanged();
    if (this.#isOver) return;
    this.#record.lastEnd = end;
    const pauseMs = this.#backoff.next(this.#ports.clock.monotonicMs() - startedAtMs);
    if (pauseMs > 0) {
      const message = `back-off ${Math.round((pauseMs * this.#ports.speed) / 1000)}s restarting failed container=${this.#container.name}`;
      this.#record.state = { kind: 'waiting', reason: 'CrashLoopBackOff', message };
    }
    this.#writer.touch(SETTLE_MS);
    this.#retryIn(pauseMs);
  }

  #endWaitForOthers(): void {
    if (!this.#isWaitingForOthers) return;
    this.#isWaitingForOthers = false;
    this.#pause?.cancel();
    this.#pause = undefined;
  }

  #retryIn(ms: number): void {
    if (this.#isOver) return;
    this.#pause?.cancel();
    this.#pause = this.#ports.clock.after(ms, () => {
      this.#pause = undefined;
      this.kick();
    });
  }

  #endContainerWork(): void {
    this.#probes?.stop();
    this.#pause?.cancel();
    this.#pause = undefined;
  }

  async #terminate(): Promise<void> {
    if (this.#isTerminating || this.#isGone || this.#isLost) return;
    this.#isTerminating = true;
    this.#endContainerWork();
    if (this.#member !== undefined) {
      const { clock, get, speed } = this.#ports;
      await stopInOrder({
        member: this.#member,
        container: this.#container,
        ip: this.#record.ip,
        clock,
        get,
        graceMs: graceMsOf(this.#pod, speed),
        speed,
      });
    }
    await this.#memberGone;
    await this.#hold?.released;
    await this.#removeObject();
  }

  async #removeObject(): Promise<void> {
    while (!this.#isGone) {
      try {
        await this.#ports.api.removePod(this.#pod);
        return;
      } catch (err) {
        if (isNotFound(err) || isConflict(err)) return;
        this.#ports.onProblem(`delete Pod ${this.key}`, err);
        await this.#ports.clock.delay(RETRY_MS);
      }
    }
  }

  #hostIp(): string {
    return this.#record.nodeName === undefined ? '' : this.#ports.hostIpOf(this.#record.nodeName);
  }

  #now(): string {
    return new Date(this.#ports.clock.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z');
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
