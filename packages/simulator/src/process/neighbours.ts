// Members of one process reach each other without a network: digests and mesh messages are handed over as objects, in
// order, and never within the sending call. Sockets would cost a member ten times as much as handling what it receives.

import type { GossipMessage, MeshMessage } from '../member/basics/messages.ts';
import type { MeshLink } from '../member/basics/world.ts';
import type { MeshEvents } from './mesh-port.ts';

export interface Neighbour {
  /** As it advertises them. */
  readonly gossipAddress: string;
  readonly meshAddress: string;
  readonly host: string;
  readonly events: MeshEvents;
  receiveGossip(message: GossipMessage, fromHost: string): void;
}

export class Neighbours {
  readonly #atGossip = new Map<string, Neighbour>();
  readonly #atMesh = new Map<string, Neighbour>();
  readonly #links = new Map<Neighbour, Set<LocalLink>>();

  /** The first one at an address keeps it; binding a second one to it fails anyway. */
  add(neighbour: Neighbour): void {
    if (!this.#atGossip.has(neighbour.gossipAddress)) this.#atGossip.set(neighbour.gossipAddress, neighbour);
    if (!this.#atMesh.has(neighbour.meshAddress)) this.#atMesh.set(neighbour.meshAddress, neighbour);
    this.#links.set(neighbour, new Set());
  }

  /** Closes its connections, as when a process ends. */
  remove(neighbour: Neighbour): void {
    if (this.#atGossip.get(neighbour.gossipAddress) === neighbour) this.#atGossip.delete(neighbour.gossipAddress);
    if (this.#atMesh.get(neighbour.meshAddress) === neighbour) this.#atMesh.delete(neighbour.meshAddress);
    for (const link of this.#links.get(neighbour) ?? []) link.close();
    this.#links.delete(neighbour);
  }

  /** @returns false when nobody here listens on that address */
  sendGossip(from: Neighbour, to: string, message: GossipMessage): boolean {
    const target = this.#atGossip.get(to);
    if (target === undefined) return false;
    setImmediate(() => target.receiveGossip(message, from.host));
    return true;
  }

  /** @returns false when nobody here listens on that address */
  dialMesh(from: Neighbour, to: string, opened: (link: MeshLink | undefined) => void): boolean {
    const target = this.#atMesh.get(to);
    if (target === undefined) return false;
    setImmediate(() => opened(this.#connect(from, target)));
    return true;
  }

  /** Undefined when one of them has ended in the meantime. */
  #connect(from: Neighbour, target: Neighbour): MeshLink | undefined {
    const [ours, theirs] = [this.#links.get(from), this.#links.get(target)];
    if (ours === undefined || theirs === undefined) return undefined;
    const near = new LocalLink(from.events, target.host, ours);
    const far = new LocalLink(target.events, from.host, theirs);
    near.other = far;
    far.other = near;
    target.events.opened(far);
    return near;
  }
}

/** One side of a connection. */
class LocalLink implements MeshLink {
  readonly remoteHost: string;
  other: LocalLink | undefined;
  readonly #events: MeshEvents;
  /** The open links of the same member. */
  readonly #open: Set<LocalLink>;

  constructor(events: MeshEvents, remoteHost: string, open: Set<LocalLink>) {
    this.#events = events;
    this.remoteHost = remoteHost;
    this.#open = open;
    open.add(this);
  }

  send(message: MeshMessage): boolean {
    const { other } = this;
    if (!this.#isOpen || other === undefined) return false;
    setImmediate(() => {
      if (other.#isOpen) other.#events.received(other, message);
    });
    return true;
  }

  /** The other side is notified after everything that was sent before. */
  close(): void {
    if (!this.#open.delete(this)) return;
    const { other } = this;
    setImmediate(() => other?.hangUp());
  }

  hangUp(): void {
    if (this.#open.delete(this)) this.#events.closed(this);
  }

  get #isOpen(): boolean {
    return this.#open.has(this);
  }
}
