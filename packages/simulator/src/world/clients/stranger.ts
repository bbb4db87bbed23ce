// Another observer under the observers' number: visits one member after the other, asks, takes the answers meant for
// the observer before it, and leaves.

import { partitionCount } from '../../member/basics/constants.ts';
import type { MemberNetwork } from '../../memory/member-network.ts';
import type { ObserverLink } from '../../memory/memory-observer.ts';

export interface StrangerOptions {
  readonly network: MemberNetwork;
  readonly random: () => number;
  /** Addresses of the members that run now. */
  readonly addresses: () => readonly string[];
  /** Mean milliseconds between two visits. */
  readonly everyMs: number;
  /** How long a visit lasts at most. */
  readonly staysMs: number;
}

const askedPartitions = 16;

export class Stranger {
  readonly #options: StrangerOptions;
  #link: ObserverLink | undefined;
  #isStopped = false;
  visits = 0;

  constructor(options: StrangerOptions) {
    this.#options = options;
    this.#next();
  }

  stop(): void {
    this.#isStopped = true;
    this.#leave();
  }

  #next(): void {
    const { network, random, everyMs } = this.#options;
    network.clock.after(everyMs * (0.5 + random()), () => {
      if (this.#isStopped) return;
      this.#visit();
      this.#next();
    });
  }

  #visit(): void {
    const { network, random, addresses, staysMs } = this.#options;
    this.#leave();
    const all = addresses();
    const address = all[Math.floor(random() * all.length)];
    const link =
      address === undefined
        ? undefined
        : network.observe(address, { greeted: () => undefined, answered: () => undefined, closed: () => undefined });
    if (link === undefined) return;
    this.visits += 1;
    this.#link = link;
    const first = Math.floor(random() * (partitionCount - askedPartitions));
    link.ask(
      Array.from({ length: askedPartitions }, (_, n) => ({ kind: 'root', partition: first + n, root: undefined })),
    );
    network.clock.after(staysMs * random(), () => {
      if (this.#link === link) this.#leave();
    });
  }

  #leave(): void {
    this.#link?.close();
    this.#link = undefined;
  }
}
