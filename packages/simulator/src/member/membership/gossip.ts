// Which members exist, which are alive and in which phase: digests, heartbeats and liveness after
// docs/design/server.md#gossip. view.ts turns this into one entry per id for the rest of the member.

import { deadGossipedMs, deadKeptMs, gossipFanout, gossipTickMs } from '../basics/constants.ts';
import type { GossipEntry, GossipMessage, Phase } from '../basics/messages.ts';
import type { MemberWorld } from '../basics/world.ts';
import { FailureDetector } from './failure-detector.ts';

interface Peer {
  entry: GossipEntry;
  readonly detector: FailureDetector;
  isLive: boolean;
  deadAtMs: number;
}

export interface GossipOptions {
  readonly world: MemberWorld;
  readonly cluster: string;
  readonly self: GossipEntry;
  /** Addresses to call besides known peers; asked every tick. */
  readonly seeds: () => readonly string[];
  /** Called after every tick, once liveness was judged. */
  readonly onTick: () => void;
  readonly send: (to: string, message: GossipMessage) => void;
}

export class Gossip {
  readonly #options: GossipOptions;
  /** In the order of their first mention. */
  #peers: Peer[] = [];
  /** The same peers by address, for a quick lookup; an address rarely has more than one incarnation. */
  readonly #atAddress = new Map<string, Peer[]>();
  /** With the heartbeat of the last digest sent. */
  #self: GossipEntry;
  #heartbeat: number;
  #changes = 0;

  constructor(options: GossipOptions) {
    this.#options = options;
    this.#self = options.self;
    this.#heartbeat = options.self.heartbeat;
  }

  get self(): GossipEntry {
    return this.#self;
  }

  start(): void {
    // A chitchat ticker fires at once and then every interval.
    this.#options.world.after(0, () => this.#tick());
  }

  setPhase(state: Phase): void {
    const { version, values } = this.#self;
    this.#self = { ...this.#self, version: version + 1, values: { ...values, state } };
    this.#changes += 1;
  }

  /** Rises whenever `liveEntries` changes in more than heartbeats. */
  get changes(): number {
    return this.#changes;
  }

  /** Every live incarnation and this one, in the order of (id, generation, address). */
  liveEntries(): GossipEntry[] {
    const live = [this.#self];
    for (const peer of this.#peers) if (peer.isLive) live.push(peer.entry);
    return live.sort(
      (a, b) =>
        a.id - b.id || a.generation - b.generation || (a.address < b.address ? -1 : a.address > b.address ? 1 : 0),
    );
  }

  receive(message: GossipMessage): void {
    if (message.cluster !== this.#options.cluster) return;
    this.#beat();
    const now = this.#options.world.now();
    for (const entry of message.entries) this.#learn(entry, now);
    if (!message.isReply) this.#send(message.from, true);
  }

  #learn(entry: GossipEntry, now: number): void {
    if (isSameIncarnation(entry, this.#self)) return;
    const peer = this.#peerOf(entry);
    if (peer === undefined) {
      this.#remember(entry, now);
      return;
    }
    const known = peer.entry;
    // Most entries are already known; in a driver that does not serialise them they are even the same object.
    if (entry === known) return;
    if (entry.heartbeat > known.heartbeat) peer.detector.report(now);
    if (entry.heartbeat <= known.heartbeat && entry.version <= known.version) return;
    const newest = entry.version > known.version ? entry : known;
    if (newest === entry) this.#changes += 1;
    const heartbeat = Math.max(entry.heartbeat, known.heartbeat);
    peer.entry = newest.heartbeat === heartbeat ? newest : { ...newest, heartbeat };
  }

  #peerOf(entry: GossipEntry): Peer | undefined {
    for (const peer of this.#atAddress.get(entry.address) ?? nobody)
      if (isSameIncarnation(entry, peer.entry)) return peer;
    return undefined;
  }

  /** The first heartbeat is only remembered: it may come from a peer that is long dead. */
  #remember(entry: GossipEntry, now: number): void {
    const peer: Peer = { entry, detector: new FailureDetector(), isLive: false, deadAtMs: now };
    this.#peers.push(peer);
    this.#atAddress.set(entry.address, [...(this.#atAddress.get(entry.address) ?? []), peer]);
  }

  #forget(gone: Peer): void {
    const { address } = gone.entry;
    this.#peers = this.#peers.filter((peer) => peer !== gone);
    const rest = this.#atAddress.get(address)?.filter((peer) => peer !== gone) ?? [];
    if (rest.length === 0) this.#atAddress.delete(address);
    else this.#atAddress.set(address, rest);
  }

  #tick(): void {
    const { world } = this.#options;
    for (const address of this.#pickTargets()) this.#send(address, false);
    this.#judge(world.now());
    this.#options.onTick();
    world.after(gossipTickMs, () => this.#tick());
  }

  #judge(now: number): void {
    for (const peer of this.#peers) {
      const isLive = peer.detector.isAlive(now);
      if (!isLive && peer.isLive) {
        peer.deadAtMs = now;
        peer.detector.reset();
      }
      if (peer.isLive !== isLive) this.#changes += 1;
      peer.isLive = isLive;
      if (!isLive && now - peer.deadAtMs > deadKeptMs) this.#forget(peer);
    }
  }

  #pickTargets(): Set<string> {
    const { world, seeds } = this.#options;
    const live: string[] = [];
    const dead: string[] = [];
    for (const peer of this.#peers) (peer.isLive ? live : dead).push(peer.entry.address);
    const pool = live.length > 0 ? live : dead;
    const targets = new Set<string>();
    for (let n = 0; n < gossipFanout && pool.length > 0; n++) {
      const [address] = pool.splice(Math.floor(world.random() * pool.length), 1);
      if (address !== undefined) targets.add(address);
    }
    const seedList = seeds().filter((seed) => seed !== this.#self.address);
    const seed = seedList[Math.floor(world.random() * seedList.length)];
    if (seed !== undefined) targets.add(seed);
    // chitchat also tries a dead peer now and then, so that a healed partition is noticed from both sides.
    const lost = dead[Math.floor(world.random() * dead.length)];
    if (lost !== undefined && world.random() < dead.length / (live.length + 1)) targets.add(lost);
    return targets;
  }

  #send(to: string, isReply: boolean): void {
    this.#beat();
    this.#self = { ...this.#self, heartbeat: this.#heartbeat };
    const now = this.#options.world.now();
    const entries = [this.#self];
    for (const peer of this.#peers) {
      if (peer.isLive || now - peer.deadAtMs < deadGossipedMs) entries.push(peer.entry);
    }
    this.#options.send(to, { cluster: this.#options.cluster, isReply, from: this.#self.address, entries });
  }

  /** Heartbeats ride on every digest, so a busy member's mean interval is far below the tick. */
  #beat(): void {
    this.#heartbeat += 1;
  }
}

function isSameIncarnation(a: GossipEntry, b: GossipEntry): boolean {
  return a.id === b.id && a.generation === b.generation && a.address === b.address;
}

const nobody: readonly Peer[] = [];
