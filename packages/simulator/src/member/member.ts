// One simulated marekvs member: its life from start to exit, and what others may ask of it. No I/O and no clock of its
// own; see world.ts for what it may touch and docs/design/server.md#a-simulated-member for what it imitates.

import { gateAfterTickMs } from './basics/constants.ts';
import type { GossipMessage, MeshMessage, Phase, Version } from './basics/messages.ts';
import { type MetricSample, MetricsBook } from './basics/metrics-book.ts';
import type { MemberWorld, MeshLink } from './basics/world.ts';
import { BackgroundLoad } from './commands/background-load.ts';
import { RespSession, type SessionPort } from './commands/resp-session.ts';
import { startDrain } from './drain.ts';
import { answerHttp, type HttpAnswer } from './http/http-answers.ts';
import { asShown, asShownText } from './http/shown-metrics.ts';
import type { ServedMember } from './interfaces/served-member.ts';
import { startJoinGate } from './joining/join-gate.ts';
import { MemberParts } from './member-parts.ts';
import { runIdOf, takeGeneration } from './membership/past.ts';
import type { View } from './membership/view.ts';
import { isDropped } from './mesh/mesh.ts';
import { isExpired } from './records/expiry.ts';
import { Store } from './records/store.ts';
import type { StampedWrite, Write } from './records/write.ts';
import { applyKnobs, defaultKnobs, type MemberKnobs } from './settings/knobs.ts';
import type { MemberSettings } from './settings/settings.ts';

export interface SimulatedMemberOptions {
  readonly settings: MemberSettings;
  readonly world: MemberWorld;
  /** In force from the start. */
  readonly knobs?: Readonly<Record<string, unknown>>;
}

/** A member that is not started yet.
 *  @throws InvalidKnobError */
export function createSimulatedMember(options: SimulatedMemberOptions): SimulatedMember {
  return new SimulatedMember(options);
}

export class SimulatedMember implements ServedMember {
  readonly settings: MemberSettings;
  readonly world: MemberWorld;
  readonly metrics: MetricsBook;
  readonly store: Store;
  readonly generation: number;
  readonly runId: string;
  requirepass: string;
  #knobs: MemberKnobs;
  #phase: Phase = 'Joining';
  #phaseSinceMs: number;
  #isDraining = false;
  #hasExited = false;
  readonly #bootedAtWallMs: number;
  readonly #parts: MemberParts;
  readonly #load: BackgroundLoad;
  readonly #sessions = new Set<RespSession>();

  constructor({ settings, world, knobs = {} }: SimulatedMemberOptions) {
    this.settings = settings;
    this.world = world;
    this.#phaseSinceMs = world.now();
    this.#knobs = applyKnobs(defaultKnobs, knobs);
    this.requirepass = settings.requirepass;
    this.metrics = new MetricsBook(settings.nodeId);
    this.store = new Store(() => this.metrics.add('ae_digest_scans_total'));
    this.#bootedAtWallMs = world.wallNow();
    this.generation = takeGeneration(world, this.wallNow());
    this.runId = runIdOf(this.wallNow(), settings.nodeId);
    this.#parts = new MemberParts({
      settings,
      world,
      metrics: this.metrics,
      store: this.store,
      generation: this.generation,
      knobs: () => this.#knobs,
      phase: () => this.#phase,
      wallNow: () => this.wallNow(),
    });
    this.#load = new BackgroundLoad(this);
  }

  get knobs(): MemberKnobs {
    return this.#knobs;
  }

  get view(): View {
    return this.#parts.view;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** By the world's clock. */
  get phaseSinceMs(): number {
    return this.#phaseSinceMs;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  start(): void {
    if (!this.#knobs.neverLeavesJoining)
      this.world.log(`node ${this.settings.nodeId} joining ${this.settings.cluster}`);
    // Killed from here on, a fresh member must bootstrap again; a returning one need not.
    if (this.#parts.past === 'fresh') this.world.disk.write('join:pending', '1');
    this.#parts.start();
    this.#load.start();
    startJoinGate({
      context: this.#parts.context,
      bootstrap: this.#parts.bootstrap,
      rejoin: this.#parts.rejoin,
      open: () => this.#becomeActive(),
    });
  }

  /** @throws InvalidKnobError an unknown name or wrong type; nothing is changed then */
  setKnobs(changes: Readonly<Record<string, unknown>>): void {
    this.#knobs = applyKnobs(this.#knobs, changes);
  }

  /** A datagram arrived. `fromHost` is its source IP. */
  receiveGossip(message: GossipMessage, fromHost: string): void {
    if (this.#hasExited || this.#knobs.frozenView || isDropped(this.#knobs.drops, fromHost, 'udp', 'in')) return;
    this.#parts.gossip.receive(message);
  }

  meshOpened(link: MeshLink): void {
    this.#parts.mesh.opened(link);
  }

  meshReceived(link: MeshLink, message: MeshMessage): void {
    if (!this.#hasExited) this.#parts.mesh.receive(link, message);
  }

  meshClosed(link: MeshLink): void {
    this.#parts.mesh.closed(link);
  }

  /** Undefined when this request is never answered.
   *  @param isRead of `/metrics` only these families are wanted, as values instead of text */
  http(target: string, isRead?: (metric: string) => boolean): HttpAnswer | undefined {
    return answerHttp(this, target, isRead);
  }

  openSession(port: SessionPort): RespSession {
    const session = new RespSession(this, port, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    return session;
  }

  clientCount(): number {
    return this.#sessions.size + this.#knobs.extraClients;
  }

  drain(): void {
    if (this.#phase === 'Leaving') return;
    this.#setPhase('Leaving');
  }

  /** SIGTERM: Leaving, 2 s, at most 7 s for the backlog, exit 0 whatever it reads. */
  terminate(): void {
    if (this.#isDraining || this.#knobs.ignoresSigterm) return;
    this.#isDraining = true;
    this.drain();
    startDrain(
      this.world,
      () => this.#parts.ring.backlog(),
      (backlog) => {
        this.world.log(`drain complete; exiting backlog=${backlog}`);
        this.exit(0);
      },
    );
  }

  exit(code: number): void {
    if (this.#hasExited) return;
    this.#parts.ring.persist();
    this.#hasExited = true;
    this.world.exit(code);
  }

  write(writes: readonly (Write | StampedWrite)[]): void {
    this.#parts.ring.commit(this.#parts.writer.write(writes));
  }

  read(key: string, found: (version: Version | undefined) => void): void {
    this.#parts.fetcher.read(key, found);
  }

  /** What the exit after SIGTERM waits for, at most 7 s. Skipped entries and disconnected homes are not part of it. */
  backlog(): number {
    return this.#parts.ring.backlog();
  }

  uptimeSeconds(): number {
    return Math.floor((this.world.wallNow() - this.#bootedAtWallMs) / 1_000);
  }

  renderMetrics(): string {
    this.#setLiveMetrics();
    return asShownText(this.metrics.render(), this.#knobs);
  }

  metricSamples(isRead: (metric: string) => boolean): readonly MetricSample[] {
    this.#setLiveMetrics();
    return asShown(this.metrics.samples(isRead), this.#knobs);
  }

  #setLiveMetrics(): void {
    this.metrics.set('uptime_seconds', this.uptimeSeconds());
    this.metrics.set('connected_clients', this.clientCount());
  }

  isReadable(version: Version | undefined): version is Version {
    return version !== undefined && !version.isDead && !isExpired(version, this.wallNow());
  }

  wallNow(): number {
    return this.world.wallNow() + this.#knobs.clockStepMs;
  }

  deadlineIn(seconds: number): number {
    return Math.floor(this.wallNow() + (seconds * 1_000) / this.world.speed);
  }

  #becomeActive(): void {
    this.world.disk.remove('join:pending');
    this.world.setRespOpen(true);
    if (this.#phase === 'Joining') this.#setPhase('Active');
    // A drain that came before this moment is forgotten. The gate of the real server opens between two of its gossip
    // ticks, so that whoever drains it often enough is first to be heard (docs/design/server.md#a-closed-door).
    else this.world.after(gateAfterTickMs, () => this.#setPhase('Active'));
  }

  #setPhase(phase: Phase): void {
    this.#phase = phase;
    this.#phaseSinceMs = this.world.now();
    this.#parts.gossip.setPhase(phase);
  }
}
