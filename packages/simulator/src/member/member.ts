// One simulated marekvs member: puts the parts together and owns its life from start to exit. No I/O and no clock of
// its own; see world.ts for what it may touch and docs/design/server.md#a-simulated-member for what it imitates.

import { gateAfterTickMs } from './basics/constants.ts';
import type { GossipMessage, MeshMessage, Phase, Version } from './basics/messages.ts';
import { type MetricSample, MetricsBook } from './basics/metrics-book.ts';
import type { MemberWorld, MeshLink } from './basics/world.ts';
import { BackgroundLoad } from './commands/background-load.ts';
import { RespSession, type SessionPort } from './commands/resp-session.ts';
import { startDrain } from './drain.ts';
import { answerHttp, type HttpAnswer } from './http/http-answers.ts';
import { asShown, asShownText } from './http/shown-metrics.ts';
import { Stats } from './http/stats.ts';
import type { MemberContext } from './interfaces/context.ts';
import type { ServedMember } from './interfaces/served-member.ts';
import { Bootstrap } from './joining/bootstrap.ts';
import { Donor } from './joining/donor.ts';
import { startJoinGate } from './joining/join-gate.ts';
import { Rejoin } from './joining/rejoin.ts';
import { Gossip } from './membership/gossip.ts';
import { type Past, readList, readPast, runIdOf, takeGeneration } from './membership/past.ts';
import { Seeds } from './membership/seeds.ts';
import type { View } from './membership/view.ts';
import { ViewKeeper } from './membership/view-keeper.ts';
import { isDropped, Mesh } from './mesh/mesh.ts';
import { Observers } from './mesh/observers.ts';
import { isExpired } from './records/expiry.ts';
import { Store } from './records/store.ts';
import type { StampedWrite, Write } from './records/write.ts';
import { AntiEntropy } from './replication/anti-entropy.ts';
import { Fetcher } from './replication/fetcher.ts';
import { PushRing } from './replication/push-ring.ts';
import { RepairLane } from './replication/repair-lane.ts';
import { Writer } from './replication/writer.ts';
import { applyKnobs, defaultKnobs, type MemberKnobs } from './settings/knobs.ts';
import { hostOf, type MemberSettings, portOf } from './settings/settings.ts';

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
  readonly #past: Past;
  readonly #context: MemberContext;
  readonly #viewKeeper: ViewKeeper;
  readonly #gossip: Gossip;
  readonly #mesh: Mesh;
  readonly #seeds: Seeds;
  readonly #writer: Writer;
  readonly #ring: PushRing;
  readonly #antiEntropy: AntiEntropy;
  readonly #bootstrap: Bootstrap;
  readonly #donor: Donor;
  readonly #rejoin: Rejoin;
  readonly #fetcher: Fetcher;
  readonly #stats: Stats;
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
    this.#viewKeeper = new ViewKeeper(settings.replicas, () => this.#knobs);
    this.#context = this.#createContext();

    const { disk } = world;
    this.#seeds = new Seeds(
      world,
      settings.seeds,
      readList(world, 'peers:last').filter((address) => typeof address === 'string'),
    );
    this.#gossip = new Gossip({
      world,
      cluster: settings.cluster,
      self: this.#ownEntry(),
      seeds: () => this.#seeds.addresses(),
      onTick: () => this.#followGossip(),
      send: (to, message) => this.#sendGossip(to, message),
    });
    this.#writer = new Writer(this.#context, () => this.wallNow());
    for (const version of disk.loadVersions()) this.#writer.load(version);
    this.#past = readPast(world, settings);
    this.#bootstrap = new Bootstrap(this.#context, this.#past !== 'fresh');
    this.#rejoin = new Rejoin(this.#context, this.#past === 'expired', () => this.#bootstrap.futurePlacement());
    this.#ring = new PushRing(this.#context);
    this.#donor = new Donor(this.#context);
    this.#fetcher = new Fetcher(this.#context);
    const lane = new RepairLane(world, () => this.#knobs.laneDelayMs);
    const observers = new Observers(this.#context, lane);
    this.#antiEntropy = new AntiEntropy(this.#context, lane, {
      isActive: () => this.#rejoin.isActive,
      onMatches: (partitions) => this.#rejoin.matched(partitions),
      onMarks: (peer, partition, marks) => this.#rejoin.obey(peer, partition, marks),
    });
    this.#mesh = new Mesh(
      this.#context,
      (peer) => this.#ring.connected(peer),
      (peer, message) => this.#receiveMesh(peer, message),
      (message) => {
        if (message.kind === 'asked') observers.ask(message.questions);
      },
    );
    this.#stats = new Stats(this.#context, {
      gatePending: () => this.#bootstrap.pendingCount() + this.#rejoin.pendingPartitions().length,
      inflightBytes: () => this.#ring.inflightBytes(),
      ring: () => this.#ring.occupancy(),
      persist: () => this.#ring.persist(),
    });
    this.#load = new BackgroundLoad(this);
  }

  get knobs(): MemberKnobs {
    return this.#knobs;
  }

  get view(): View {
    return this.#viewKeeper.view;
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
    if (this.#past === 'fresh') this.world.disk.write('join:pending', '1');
    this.#seeds.start();
    this.#gossip.start();
    this.#mesh.start();
    this.#stats.start();
    this.#bootstrap.start();
    this.#antiEntropy.start();
    this.#load.start();
    startJoinGate({
      context: this.#context,
      bootstrap: this.#bootstrap,
      rejoin: this.#rejoin,
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
    this.#gossip.receive(message);
  }

  meshOpened(link: MeshLink): void {
    this.#mesh.opened(link);
  }

  meshReceived(link: MeshLink, message: MeshMessage): void {
    if (!this.#hasExited) this.#mesh.receive(link, message);
  }

  meshClosed(link: MeshLink): void {
    this.#mesh.closed(link);
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
      () => this.#ring.backlog(),
      (backlog) => {
        this.world.log(`drain complete; exiting backlog=${backlog}`);
        this.exit(0);
      },
    );
  }

  exit(code: number): void {
    if (this.#hasExited) return;
    this.#ring.persist();
    this.#hasExited = true;
    this.world.exit(code);
  }

  write(writes: readonly (Write | StampedWrite)[]): void {
    this.#ring.commit(this.#writer.write(writes));
  }

  read(key: string, found: (version: Version | undefined) => void): void {
    this.#fetcher.read(key, found);
  }

  /** What the exit after SIGTERM waits for, at most 7 s. Skipped entries and disconnected homes are not part of it. */
  backlog(): number {
    return this.#ring.backlog();
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

  #createContext(): MemberContext {
    return {
      settings: this.settings,
      world: this.world,
      metrics: this.metrics,
      store: this.store,
      knobs: () => this.#knobs,
      view: () => this.view,
      phase: () => this.#phase,
      send: (peer, message) => this.#mesh.send(peer, message),
      connectedPeers: () => this.#mesh.peers(),
      applyRemote: (version) => this.#writer.applyRemote(version),
      expire: (version) => this.#ring.commit(this.#writer.expire(version)),
      dropLocal: (key) => {
        this.store.drop(key);
        this.world.disk.dropVersion(key);
      },
    };
  }

  #ownEntry() {
    const { settings } = this;
    const advertised = (listen: string) => `${settings.advertiseIp}:${portOf(listen)}`;
    return {
      id: settings.nodeId,
      generation: this.generation,
      address: advertised(settings.gossipAddress),
      heartbeat: 0,
      version: 1,
      values: {
        mesh_addr: advertised(settings.meshAddress),
        resp_addr: advertised(settings.respAddress),
        state: this.#phase,
      },
    };
  }

  #sendGossip(to: string, message: GossipMessage): void {
    const { drops, gossipDelayMs, frozenView } = this.#knobs;
    if (frozenView || isDropped(drops, hostOf(to), 'udp', 'out')) return;
    if (gossipDelayMs === 0) this.world.sendGossip(to, message);
    else this.world.after(gossipDelayMs, () => this.world.sendGossip(to, message));
  }

  #followGossip(): void {
    if (this.#viewKeeper.rebuild(this.#gossip)) {
      const { members } = this.view;
      const peers = members
        .filter((member) => member.id !== this.settings.nodeId)
        .map((member) => member.gossipAddress);
      if (peers.length > 0) this.world.disk.write('peers:last', JSON.stringify(peers));
      this.#mesh.follow(this.view);
      if (this.#phase !== 'Joining') this.#bootstrap.request();
    }
    // A cohort that opens by cold settle compares only after its last member is Active: nothing is lost when all start
    // together.
    if (!this.#rejoin.isActive || this.#phase === 'Joining') return;
    if (this.view.members.every((member) => member.phase !== 'Joining')) this.#rejoin.ask();
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
    this.#gossip.setPhase(phase);
  }

  #receiveMesh(peer: number, message: MeshMessage): void {
    switch (message.kind) {
      case 'resume-from':
      case 'push':
      case 'push-ack':
        this.#ring.receive(peer, message);
        break;
      case 'bootstrap-request':
        this.#donor.accept(peer, message.isJoining, message.partitions);
        break;
      case 'bootstrap-refused':
      case 'bootstrap-chunk':
        this.#bootstrap.receive(message);
        break;
      case 'fetch':
      case 'fetched':
        this.#fetcher.receive(peer, message);
        break;
      default:
        this.#antiEntropy.receive(peer, message);
    }
  }
}
