// The life of one Pod (one uid) on a host of the world: it starts on its volume, is probed, restarted, stopped
// gracefully and gone. Which Pods exist, and on which host, is kubelet.ts.

import { InvalidSettingError } from '../../member/basics/errors.ts';
import type { CancelTimer } from '../../member/basics/world.ts';
import type { MemberNetwork } from '../../memory/member-network.ts';
import type { MemoryDisk } from '../../memory/memory-disk.ts';
import type { ApiObject } from '../api-server/api-object.ts';
import type { Resources } from '../api-server/api-resize.ts';
import type { MemoryApiServer } from '../api-server/api-server.ts';
import { serverTime } from '../api-server/server-time.ts';
import { prepareContainer } from './container-start.ts';
import { behaviourOf } from './image-behaviour.ts';
import { probeContainer } from './pod-probes.ts';
import { type HostRoom, PodResize } from './pod-resize.ts';
import { asServerReads, containerOf, graceMsOf, nodeIdOf, podStatus } from './pod-spec.ts';

export interface PodPorts {
  readonly server: MemoryApiServer;
  readonly network: MemberNetwork;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Knobs that every member starts with. */
  readonly knobs: () => Readonly<Record<string, unknown>>;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: () => number;
  takeIp(): string;
  /** Images that are on a host: `host image`. */
  readonly images: Set<string>;
  /** Whether this host has room for what the Pod asks for now. */
  roomFor(pod: ApiObject, host: string): HostRoom;
  /** Called when a process starts on a folder of the volume with this uid. */
  onProcess(pod: ApiObject, processName: string, data: { readonly uid: string; readonly dataDir: string }): void;
}

const CRASH_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 300_000;
const EVICTED = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' };

export class PodLife {
  readonly uid: string;
  readonly ref: { readonly namespace: string | undefined; readonly name: string };
  /** Name of its process in the network; the same after every restart of the container. */
  readonly processName: string;
  readonly host: string;
  readonly #ports: PodPorts;
  readonly #disk: MemoryDisk;
  readonly #size: PodResize;
  readonly #volumeUid: string;
  #pod: ApiObject;
  #ip: string | undefined;
  #isRunning = false;
  #isStarted = false;
  #isReady = false;
  #isEnding = false;
  #isOver = false;
  #isEvicted = false;
  #restarts = 0;
  #failedPulls = 0;
  #waiting: { readonly reason: string; readonly message: string } | undefined;
  #startedAt = '';
  #timers: CancelTimer[] = [];

  constructor(
    pod: ApiObject,
    host: string,
    volume: { readonly uid: string; readonly disk: MemoryDisk },
    ports: PodPorts,
  ) {
    this.#pod = pod;
    this.uid = pod.metadata.uid;
    this.ref = { namespace: pod.metadata.namespace, name: pod.metadata.name };
    this.processName = `${pod.metadata.name}/${this.uid.slice(0, 8)}`;
    this.host = host;
    this.#disk = volume.disk;
    this.#volumeUid = volume.uid;
    this.#ports = ports;
    this.#waiting = { reason: 'ContainerCreating', message: '' };
    this.#size = new PodResize(pod, {
      random: ports.random,
      // Outlives restarts of the container and ends with the Pod.
      after: (delayMs, run) => void ports.network.clock.after(delayMs, () => (this.#isOver ? undefined : run())),
      room: () => ports.roomFor(this.#pod, host),
      changed: () => this.#report(),
    });
    this.#after(200 + ports.random() * 250, () => this.#createContainer());
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get ip(): string | undefined {
    return this.#ip;
  }

  get volumeUid(): string {
    return this.#volumeUid;
  }

  /** A newer state of the object. Ends the Pod once it is being deleted, and sooner when its grace was shortened. */
  follow(pod: ApiObject): void {
    const before = graceMsOf(this.#pod);
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp === undefined) this.#size.follow(pod);
    else if (!this.#isEnding) this.#end();
    else if (graceMsOf(pod) < before) this.#killAfterGrace();
  }

  /** The resources its container has now, of those the object asks for. */
  get allotted(): Resources {
    return this.#size.known.has;
  }

  /** Ends at once: the object was force-deleted, or the host is lost, while the container may still run. */
  abandon(): void {
    this.#isOver = true;
    this.#stopTimers();
    if (this.#isRunning) this.#ports.network.kill(this.processName);
  }

  /** Evicted by the kubelet for lack of room: the process is killed, and the object stays as Failed until it is
   *  deleted. */
  evict(): void {
    this.#isEvicted = true;
    if (this.#isRunning) this.#ports.network.kill(this.processName);
    else this.#ended();
  }

  #createContainer(): void {
    const { server, random, images } = this.#ports;
    this.#ip ??= this.#ports.takeIp();
    const place = { server, images, host: this.host, ip: this.#ip, failedPulls: this.#failedPulls };
    const prepared = prepareContainer(this.#pod, place);
    if (prepared.kind === 'wait') {
      if (prepared.isPull) this.#failedPulls += 1;
      this.#waiting = prepared.waiting;
      this.#report();
      this.#after(prepared.againMs, () => this.#createContainer());
      return;
    }
    const { env } = prepared;
    const { network, knobs } = this.#ports;
    const behaviour = behaviourOf(containerOf(this.#pod).image ?? '', this.#disk.hasRecords);
    this.#ports.onProcess(this.#pod, this.processName, { uid: this.#volumeUid, dataDir: env.MAREKVS_DATA_DIR ?? '' });
    this.#isRunning = true;
    this.#waiting = undefined;
    this.#startedAt = serverTime(this.#ports.nowMs());
    try {
      network.start(this.processName, {
        id: nodeIdOf(env),
        ip: this.#ip,
        env: asServerReads(env, this.#ip),
        disk: this.#disk,
        knobs: { ...knobs(), ...behaviour.knobs },
        onEnd: () => this.#ended(),
      });
    } catch (error) {
      // Invalid settings: the real server exits at once.
      if (!(error instanceof InvalidSettingError)) throw error;
      this.#ended();
      return;
    }
    if (behaviour.endsAfterMs !== undefined) this.#after(behaviour.endsAfterMs, () => network.kill(this.processName));
    this.#report();
    probeContainer(containerOf(this.#pod), {
      random,
      after: (delayMs, run) => this.#after(delayMs, run),
      isProbed: () => !this.#isEnding && this.#isRunning,
      isReady: () => this.#isReady,
      answers: (path) => this.#answers(path),
      onStarted: () => {
        this.#isStarted = true;
        this.#report();
      },
      onReady: (isReady) => {
        this.#isReady = isReady;
        this.#report();
      },
      onUnhealthy: () => this.#stop(),
    });
  }

  /** No answer counts as a failure at once, not after the probe's time limit: a difference of a second or two. */
  #answers(path: string): boolean {
    const { network } = this.#ports;
    return network.isUp(this.processName) && network.http(this.processName, path)?.status === 200;
  }

  #end(): void {
    this.#isEnding = true;
    this.#stopTimers();
    const { network, random } = this.#ports;
    if (!this.#isRunning) {
      this.#after(50 + random() * 150, () => this.#removeObject());
      return;
    }
    this.#after(20 + random() * 80, () => {
      const hook = containerOf(this.#pod).lifecycle?.preStop?.httpGet;
      if (hook !== undefined && network.isUp(this.processName)) network.http(this.processName, hook.path);
      this.#stop();
    });
  }

  /** SIGTERM, and SIGKILL when the grace is over. */
  #stop(): void {
    const { network } = this.#ports;
    if (!network.isUp(this.processName)) return;
    network.terminate(this.processName);
    this.#killAfterGrace();
  }

  #killAfterGrace(): void {
    this.#after(graceMsOf(this.#pod), () => {
      if (this.#isRunning) this.#ports.network.kill(this.processName);
    });
  }

  #ended(): void {
    this.#isRunning = false;
    if (this.#isOver) return;
    this.#isStarted = false;
    this.#isReady = false;
    this.#stopTimers();
    if (this.#isEnding) {
      this.#after(50 + this.#ports.random() * 150, () => this.#removeObject());
      return;
    }
    if (this.#isEvicted) {
      this.#waiting = undefined;
      this.#report();
      return;
    }
    const pauseMs = this.#restarts === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, CRASH_PAUSE_MS * 2 ** (this.#restarts - 1));
    this.#restarts += 1;
    this.#waiting = { reason: pauseMs === 0 ? 'ContainerCreating' : 'CrashLoopBackOff', message: 'the process ended' };
    this.#report();
    this.#after(300 + this.#ports.random() * 700 + pauseMs, () => this.#createContainer());
  }

  #removeObject(): void {
    this.#isOver = true;
    const { server } = this.#ports;
    if (server.find('pods', this.ref)?.metadata.uid === this.uid) server.remove('pods', this.ref, { uid: this.uid }, 0);
  }

  #report(): void {
    const { server, random } = this.#ports;
    // Imitates the kubelet's delay; the status is computed only after it.
    this.#after(10 + random() * 90, () => {
      const live = server.find('pods', this.ref);
      if (live?.metadata.uid !== this.uid) return;
      const status = podStatus(live, {
        ip: this.#ip,
        isRunning: this.#isRunning,
        isStarted: this.#isStarted,
        isReady: this.#isReady,
        restarts: this.#restarts,
        waiting: this.#waiting,
        startedAt: this.#startedAt,
        size: this.#size.known,
      });
      server.patch('pods', this.ref, { status: this.#isEvicted ? { ...status, ...EVICTED } : status }, 'status');
    });
  }

  #after(delayMs: number, run: () => void): void {
    this.#timers.push(this.#ports.network.clock.after(delayMs, () => (this.#isOver ? undefined : run())));
  }

  #stopTimers(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers = [];
  }
}
