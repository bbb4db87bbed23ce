// The in-memory driver: members on a virtual clock and a seeded network with latency, loss, partitions and pauses.
// The same seed and the same calls give the same run, to the last byte.

import { ConnectionRefusedError } from '../member/basics/errors.ts';
import type { MetricName } from '../member/basics/metrics-catalogue.ts';
import type { HttpAnswer } from '../member/http/http-answers.ts';
import { createSimulatedMember, type SimulatedMember } from '../member/member.ts';
import { readSettings } from '../member/settings/settings.ts';
import { MemoryClient } from './memory-client.ts';
import { MemoryDisk } from './memory-disk.ts';
import { type MemoryNode, runIn } from './memory-node.ts';
import { OBSERVER_HOST, type ObserverEvents, type ObserverLink, observe } from './memory-observer.ts';
import { MemoryPaths } from './memory-paths.ts';
import { memoryWorld } from './memory-world.ts';
import { type MemberName, type MemberNetworkOptions, OBSERVERS, type StartOptions } from './network-options.ts';
import { type SeededRandom, seededRandom } from './random.ts';
import { VirtualClock } from './virtual-clock.ts';

const startJitterMs = 100;

export class MemberNetwork {
  readonly clock: VirtualClock;
  /** What cluster DNS would answer. */
  readonly hosts = new Map<string, readonly string[]>();
  readonly #options: MemberNetworkOptions;
  readonly #random: SeededRandom;
  readonly #paths: MemoryPaths;
  readonly #nodes = new Map<string, MemoryNode>();
  /** The running process per address; cleared whenever a process starts or ends. */
  readonly #found = new Map<string, MemoryNode>();
  readonly #disks = new Map<string, MemoryDisk>();

  constructor(options: MemberNetworkOptions) {
    this.#options = options;
    this.clock = options.clock ?? new VirtualClock();
    this.#random = seededRandom(options.seed);
    this.#paths = new MemoryPaths({
      clock: this.clock,
      random: this.#random,
      // Separate, so that observers do not change what members draw.
      observerRandom: seededRandom(options.seed ^ 0x0b5e_7fe7),
      latencyMs: options.latencyMs ?? [0.2, 1],
      at: (ip) => this.#at(ip),
    });
  }

  /** Starts a process on its own folder, which outlives it. */
  start(name: MemberName, options: StartOptions = {}): SimulatedMember {
    const key = String(name);
    if (this.#nodes.get(key)?.isUp) throw new Error(`start ${key}: runs already`);
    const ip = options.ip ?? ipOf(options.id ?? Number(name));
    const seeds = options.seeds ?? [...[...this.#nodes.values()].map((node) => `${node.ip}:7946`), `${ip}:7946`];
    const settings = readSettings({
      MAREKVS_NODE_ID: String(options.id ?? name),
      MAREKVS_CLUSTER: this.#options.cluster ?? 'memory',
      MAREKVS_ADVERTISE_IP: ip,
      MAREKVS_SEEDS: seeds.join(),
      MAREKVS_REPLICAS_N: String(this.#options.replicas ?? 2),
      ...options.env,
    });
    const disk = options.disk ?? this.#disks.get(key) ?? new MemoryDisk();
    this.#disks.set(key, disk);
    const world = memoryWorld({
      self: () => node,
      disk,
      clock: this.clock,
      random: this.#random,
      paths: this.#paths,
      hosts: this.hosts,
      wallNow: () => this.wallNow() + (options.wallSkewMs ?? 0),
      end: (ended) => this.#end(ended),
    });
    const member = createSimulatedMember({ settings, world, knobs: options.knobs ?? {} });
    const node: MemoryNode = {
      name: key,
      ip,
      disk,
      member,
      links: new Set(),
      isUp: true,
      isFrozen: false,
      isRespOpen: false,
      exitCode: undefined,
      frozenWork: [],
      onEnd: options.onEnd,
    };
    this.#nodes.set(key, node);
    this.#found.clear();
    member.start();
    return member;
  }

  /** Starts all with each other's addresses, `apartMs` apart (default: a random few milliseconds). */
  form(names: readonly number[], options: StartOptions & { readonly apartMs?: number } = {}): void {
    const seeds = names.map((name) => `${ipOf(name)}:7946`);
    names.forEach((name, index) => {
      // Processes never start in the same instant, so their ticks are not in step.
      if (index > 0) this.advance(options.apartMs ?? this.#random() * startJitterMs);
      this.start(name, { seeds, ...options });
    });
  }

  /** Starts all, waits until all are Active and agree, and returns the time it took.
   *  @throws Error when they do not within a minute */
  formed(names: readonly number[], options: StartOptions = {}): number {
    this.form(names, options);
    return this.until(() => this.isAgreed(names), 60_000, `${names.join()} form`);
  }

  /** Every named member is Active and sees exactly these, all Active. */
  isAgreed(names: readonly number[]): boolean {
    return names.every((name) => {
      const { members } = this.member(name).view;
      return (
        this.isRespOpen(name) &&
        members.length === names.length &&
        members.every((member) => member.phase === 'Active' && names.includes(member.id))
      );
    });
  }

  member(name: MemberName): SimulatedMember {
    return this.#node(name).member;
  }

  /** Name of the process that runs on this IP. */
  nameAt(ip: string): string | undefined {
    return this.#at(ip)?.name;
  }

  isFrozen(name: MemberName): boolean {
    return this.#node(name).isFrozen;
  }

  isUp(name: MemberName): boolean {
    return this.#node(name).isUp;
  }

  /** Whether clients are let in. */
  isRespOpen(name: MemberName): boolean {
    const node = this.#node(name);
    return node.isUp && node.isRespOpen;
  }

  /** Undefined while the process runs, and after a kill. */
  exitCode(name: MemberName): number | undefined {
    return this.#node(name).exitCode;
  }

  /** SIGKILL. */
  kill(name: MemberName): void {
    this.#end(this.#node(name));
  }

  /** SIGTERM. */
  terminate(name: MemberName): void {
    const node = this.#node(name);
    runIn(node, () => node.member.terminate());
  }

  /** Empties the folder of a member that does not run. */
  wipe(name: MemberName): void {
    if (this.#node(name).isUp) throw new Error(`wipe ${name}: runs`);
    this.#disks.delete(String(name));
  }

  /** The data folder, also of a member that does not run: for an old `alive:last` and the like. */
  disk(name: MemberName): MemoryDisk {
    return this.#node(name).disk;
  }

  /** SIGSTOP: connections stay, nothing is done. */
  freeze(name: MemberName): void {
    this.#node(name).isFrozen = true;
  }

  /** SIGCONT: delayed work runs at once, with the same generation. */
  thaw(name: MemberName): void {
    const node = this.#node(name);
    node.isFrozen = false;
    const { frozenWork } = node;
    node.frozenWork = [];
    for (const work of frozenWork) runIn(node, work);
  }

  /** Until `heal`, nothing passes from `from` to `to`: datagrams are lost, frames wait in their connection while that
   *  is open. */
  cut(from: MemberName, to: MemberName): void {
    const ipOfName = (name: MemberName) => (name === OBSERVERS ? OBSERVER_HOST : this.#node(name).ip);
    this.#paths.cut(ipOfName(from), ipOfName(to));
  }

  heal(): void {
    this.#paths.heal(this.#nodes.values());
  }

  /** The share of datagrams that is lost, on every path. */
  loseDatagrams(rate: number): void {
    this.#paths.lossRate = rate;
  }

  advance(ms: number): void {
    this.clock.advance(ms);
  }

  /** Advances until `isDone`; returns the time it took.
   *  @throws Error naming `what` when `limitMs` passed first */
  until(isDone: () => boolean, limitMs: number, what: string): number {
    const took = this.clock.advanceUntil(isDone, limitMs);
    if (took === undefined) throw new Error(`wait for ${what}: not within ${limitMs} ms`);
    return took;
  }

  /** @param isRead of `/metrics` only these families are wanted, as values instead of text
   *  @throws ConnectionRefusedError; undefined when the member accepts and never answers */
  http(name: MemberName, target: string, isRead?: (metric: string) => boolean): HttpAnswer | undefined {
    const node = this.#node(name);
    if (!node.isUp) throw new ConnectionRefusedError(`${node.ip}:9121`);
    return node.isFrozen ? undefined : node.member.http(target, isRead);
  }

  /** A client connection.
   *  @throws ConnectionRefusedError also while the member is not Active yet, or listens where nobody reaches it */
  connect(name: MemberName): MemoryClient {
    const node = this.#node(name);
    if (!node.isUp || !node.isRespOpen) throw new ConnectionRefusedError(`${node.ip}:6379`);
    return new MemoryClient(node.member, this.clock, () => node.isUp);
  }

  /** A connection of an observer to whatever runs on this IP now; undefined when nothing does. */
  observe(ip: string, events: ObserverEvents, { isBulk = false } = {}): ObserverLink | undefined {
    const node = this.#at(ip);
    if (node === undefined) return undefined;
    return observe(this.#paths.forObservers(), node, events, isBulk);
  }

  /** The wall clock of a member without skew. */
  wallNow(): number {
    return (this.#options.startWallMs ?? 1_795_262_237_000) + this.clock.now();
  }

  /** One command over a connection of its own; the raw answer (latin1). */
  call(name: MemberName, ...words: readonly string[]): string {
    const client = this.connect(name);
    try {
      return client.call(...words);
    } finally {
      client.close();
    }
  }

  /** One value of /metrics; labelled families are not reachable this way. */
  metric(name: MemberName, metric: MetricName): number {
    return this.member(name).metrics.get(metric);
  }

  #node(name: MemberName): MemoryNode {
    const node = this.#nodes.get(String(name));
    if (node === undefined) throw new Error(`find member ${name}: never started`);
    return node;
  }

  #end(node: MemoryNode): void {
    if (!node.isUp) return;
    node.isUp = false;
    this.#found.clear();
    node.isRespOpen = false;
    node.frozenWork = [];
    for (const link of [...node.links]) link.close();
    node.onEnd?.(node.exitCode);
  }

  #at(ip: string): MemoryNode | undefined {
    let node = this.#found.get(ip);
    if (node === undefined) {
      node = [...this.#nodes.values()].find((one) => one.ip === ip && one.isUp);
      if (node !== undefined) this.#found.set(ip, node);
    }
    return node;
  }
}

function ipOf(id: number): string {
  return `127.0.${1 + (id >> 8)}.${id & 0xff}`;
}
