// What a member is made of: puts the parts together, starts them, and gives each of them what it hears from gossip and
// from peers. member.ts owns their common life.

import type { GossipMessage, MeshMessage, Phase } from './basics/messages.ts';
import type { MetricsBook } from './basics/metrics-book.ts';
import type { MemberWorld } from './basics/world.ts';
import { Stats } from './http/stats.ts';
import type { MemberContext } from './interfaces/context.ts';
import { Bootstrap } from './joining/bootstrap.ts';
import { Donor } from './joining/donor.ts';
import { Rejoin } from './joining/rejoin.ts';
import { Gossip } from './membership/gossip.ts';
import { type Past, readList, readPast } from './membership/past.ts';
import { Seeds } from './membership/seeds.ts';
import type { View } from './membership/view.ts';
import { ViewKeeper } from './membership/view-keeper.ts';
import { isDropped, Mesh } from './mesh/mesh.ts';
import { Observers } from './mesh/observers.ts';
import type { Store } from './records/store.ts';
import { AntiEntropy } from './replication/anti-entropy.ts';
import { Fetcher } from './replication/fetcher.ts';
import { PushRing } from './replication/push-ring.ts';
import { RepairLane } from './replication/repair-lane.ts';
import { Writer } from './replication/writer.ts';
import type { MemberKnobs } from './settings/knobs.ts';
import { hostOf, type MemberSettings, portOf } from './settings/settings.ts';

/** What the parts need of the member around them. */
interface MemberSelf {
  readonly settings: MemberSettings;
  readonly world: MemberWorld;
  readonly metrics: MetricsBook;
  readonly store: Store;
  readonly generation: number;
  readonly knobs: () => MemberKnobs;
  readonly phase: () => Phase;
  readonly wallNow: () => number;
}

export class MemberParts {
  readonly past: Past;
  readonly context: MemberContext;
  readonly gossip: Gossip;
  readonly mesh: Mesh;
  readonly writer: Writer;
  readonly ring: PushRing;
  readonly bootstrap: Bootstrap;
  readonly rejoin: Rejoin;
  readonly fetcher: Fetcher;
  readonly #member: MemberSelf;
  readonly #viewKeeper: ViewKeeper;
  readonly #seeds: Seeds;
  readonly #antiEntropy: AntiEntropy;
  readonly #donor: Donor;
  readonly #stats: Stats;

  constructor(member: MemberSelf) {
    this.#member = member;
    const { settings, world } = member;
    this.#viewKeeper = new ViewKeeper(settings.replicas, member.knobs);
    this.context = this.#createContext();

    const { disk } = world;
    this.#seeds = new Seeds(
      world,
      settings.seeds,
      readList(world, 'peers:last').filter((address) => typeof address === 'string'),
    );
    this.gossip = new Gossip({
      world,
      cluster: settings.cluster,
      self: this.#ownEntry(),
      seeds: () => this.#seeds.addresses(),
      onTick: () => this.#followGossip(),
      send: (to, message) => this.#sendGossip(to, message),
    });
    this.writer = new Writer(this.context, member.wallNow);
    for (const version of disk.loadVersions()) this.writer.load(version);
    this.past = readPast(world, settings);
    this.bootstrap = new Bootstrap(this.context, this.past !== 'fresh');
    this.rejoin = new Rejoin(this.context, this.past === 'expired', () => this.bootstrap.futurePlacement());
    this.ring = new PushRing(this.context);
    this.#donor = new Donor(this.context);
    this.fetcher = new Fetcher(this.context);
    const lane = new RepairLane(world, () => member.knobs().laneDelayMs);
    const observers = new Observers(this.context, lane);
    this.#antiEntropy = new AntiEntropy(this.context, lane, {
      isActive: () => this.rejoin.isActive,
      onMatches: (partitions) => this.rejoin.matched(partitions),
      onMarks: (peer, partition, marks) => this.rejoin.obey(peer, partition, marks),
    });
    this.mesh = new Mesh(
      this.context,
      (peer) => this.ring.connected(peer),
      (peer, message) => this.#receiveMesh(peer, message),
      (message) => {
        if (message.kind === 'asked') observers.ask(message.questions);
      },
    );
    this.#stats = new Stats(this.context, {
      gatePending: () => this.bootstrap.pendingCount() + this.rejoin.pendingPartitions().length,
      inflightBytes: () => this.ring.inflightBytes(),
      ring: () => this.ring.occupancy(),
      persist: () => this.ring.persist(),
    });
  }

  get view(): View {
    return this.#viewKeeper.view;
  }

  start(): void {
    this.#seeds.start();
    this.gossip.start();
    this.mesh.start();
    this.#stats.start();
    this.bootstrap.start();
    this.#antiEntropy.start();
  }

  #createContext(): MemberContext {
    const { settings, world, metrics, store, knobs, phase } = this.#member;
    return {
      settings,
      world,
      metrics,
      store,
      knobs,
      view: () => this.view,
      phase,
      send: (peer, message) => this.mesh.send(peer, message),
      connectedPeers: () => this.mesh.peers(),
      applyRemote: (version) => this.writer.applyRemote(version),
      expire: (version) => this.ring.commit(this.writer.expire(version)),
      dropLocal: (key) => {
        store.drop(key);
        world.disk.dropVersion(key);
      },
    };
  }

  #ownEntry() {
    const { settings, generation } = this.#member;
    const advertised = (listen: string) => `${settings.advertiseIp}:${portOf(listen)}`;
    return {
      id: settings.nodeId,
      generation,
      address: advertised(settings.gossipAddress),
      heartbeat: 0,
      version: 1,
      values: {
        mesh_addr: advertised(settings.meshAddress),
        resp_addr: advertised(settings.respAddress),
        state: this.#member.phase(),
      },
    };
  }

  #sendGossip(to: string, message: GossipMessage): void {
    const { world } = this.#member;
    const { drops, gossipDelayMs, frozenView } = this.#member.knobs();
    if (frozenView || isDropped(drops, hostOf(to), 'udp', 'out')) return;
    if (gossipDelayMs === 0) world.sendGossip(to, message);
    else world.after(gossipDelayMs, () => world.sendGossip(to, message));
  }

  #followGossip(): void {
    const { settings, world, phase } = this.#member;
    if (this.#viewKeeper.rebuild(this.gossip)) {
      const { members } = this.view;
      const peers = members.filter((member) => member.id !== settings.nodeId).map((member) => member.gossipAddress);
      if (peers.length > 0) world.disk.write('peers:last', JSON.stringify(peers));
      this.mesh.follow(this.view);
      if (phase() !== 'Joining') this.bootstrap.request();
    }
    // A cohort that opens by cold settle compares only after its last member is Active: nothing is lost when all start
    // together.
    if (!this.rejoin.isActive || phase() === 'Joining') return;
    if (this.view.members.every((member) => member.phase !== 'Joining')) this.rejoin.ask();
  }

  #receiveMesh(peer: number, message: MeshMessage): void {
    switch (message.kind) {
      case 'resume-from':
      case 'push':
      case 'push-ack':
        this.ring.receive(peer, message);
        break;
      case 'bootstrap-request':
        this.#donor.accept(peer, message.isJoining, message.partitions);
        break;
      case 'bootstrap-refused':
      case 'bootstrap-chunk':
        this.bootstrap.receive(message);
        break;
      case 'fetch':
      case 'fetched':
        this.fetcher.receive(peer, message);
        break;
      default:
        this.#antiEntropy.receive(peer, message);
    }
  }
}
