// The paths between the members of a network in memory: how long datagrams and frames take, which are lost, and which
// are held up by a cut.

import type { MeshMessage } from '../member/basics/messages.ts';
import { MemoryLink, type MemoryNode, runIn } from './memory-node.ts';
import type { ObserverNetwork } from './memory-observer.ts';
import type { SeededRandom } from './random.ts';
import type { VirtualClock } from './virtual-clock.ts';

interface PathsOptions {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly observerRandom: SeededRandom;
  /** One-way delay, uniform. */
  readonly latencyMs: readonly [number, number];
  /** The process that runs on an IP now. */
  readonly at: (ip: string) => MemoryNode | undefined;
}

export class MemoryPaths {
  readonly #clock: VirtualClock;
  readonly #random: SeededRandom;
  readonly #observerRandom: SeededRandom;
  readonly #leastLatencyMs: number;
  readonly #latencySpanMs: number;
  readonly #at: (ip: string) => MemoryNode | undefined;
  readonly #cuts = new Set<string>();
  /** The share of datagrams that is lost, on every path. */
  lossRate = 0;

  constructor({ clock, random, observerRandom, latencyMs, at }: PathsOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#observerRandom = observerRandom;
    const [least, most] = latencyMs;
    this.#leastLatencyMs = least;
    this.#latencySpanMs = most - least;
    this.#at = at;
  }

  latency(): number {
    return this.#leastLatencyMs + this.#random() * this.#latencySpanMs;
  }

  /** Until `heal`, nothing passes from one IP to the other. */
  cut(from: string, to: string): void {
    this.#cuts.add(`${from}>${to}`);
  }

  heal(nodes: Iterable<MemoryNode>): void {
    this.#cuts.clear();
    for (const node of nodes) for (const link of node.links) this.#carryDelayed(link);
  }

  forObservers(): ObserverNetwork {
    return {
      clock: this.#clock,
      latencyMs: () => this.#leastLatencyMs + this.#observerRandom() * this.#latencySpanMs,
      isCut: (from, to) => this.#cuts.size > 0 && this.#cuts.has(`${from}>${to}`),
    };
  }

  /** Sends a datagram, which may be lost. */
  sendDatagram(from: MemoryNode, host: string, arrived: (to: MemoryNode) => void): void {
    const target = this.#at(host);
    if (target === undefined || this.#isCut(from, target) || this.#random() < this.lossRate) return;
    this.#clock.after(this.latency(), () => runIn(target, () => arrived(target)));
  }

  /** Opens a mesh connection; undefined when nothing is reached. */
  dial(from: MemoryNode, host: string, opened: (link: MemoryLink | undefined) => void): void {
    this.#clock.after(this.latency(), () => {
      const to = this.#at(host);
      if (to === undefined || this.#isCut(from, to) || !from.isUp) {
        runIn(from, () => opened(undefined));
        return;
      }
      const near = this.#createLink(from, to.ip);
      const far = this.#createLink(to, from.ip);
      near.other = far;
      far.other = near;
      runIn(to, () => to.member.meshOpened(far));
      runIn(from, () => opened(near));
    });
  }

  #createLink(owner: MemoryNode, remoteHost: string): MemoryLink {
    return new MemoryLink(
      owner,
      remoteHost,
      (from, message) => {
        const to = from.other;
        if (to === undefined) return false;
        // A cut connection looks open: frames wait in it, as TCP repeats what is not acknowledged, until the idle
        // timeout closes it.
        if (this.#isCut(owner, to.owner)) from.delayed.push(message);
        else this.#carry(from, to, message);
        return true;
      },
      (from) => {
        const to = from.other;
        this.#clock.after(this.latency(), () => {
          if (to?.isOpen !== true) return;
          to.isOpen = false;
          to.owner.links.delete(to);
          runIn(to.owner, () => to.owner.member.meshClosed(to));
        });
      },
    );
  }

  #carry(from: MemoryLink, to: MemoryLink, message: MeshMessage): void {
    from.busyUntilMs = Math.max(from.busyUntilMs, this.#clock.now() + this.latency());
    this.#clock.after(from.busyUntilMs - this.#clock.now(), () =>
      runIn(to.owner, () => {
        if (to.isOpen) to.owner.member.meshReceived(to, message);
      }),
    );
  }

  #carryDelayed(link: MemoryLink): void {
    const { other, delayed } = link;
    link.delayed = [];
    if (other !== undefined) for (const message of delayed) this.#carry(link, other, message);
  }

  #isCut(from: MemoryNode, to: MemoryNode): boolean {
    return this.#cuts.size > 0 && this.#cuts.has(`${from.ip}>${to.ip}`);
  }
}
