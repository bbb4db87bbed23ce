// The addresses a member contacts first: MAREKVS_SEEDS and those of its peers before the restart. Names are looked up
// at start and then every 60 s only, so a fresh member can miss all others and go Active alone (H7).

import { seedLookupMs } from '../basics/constants.ts';
import type { MemberWorld } from '../basics/world.ts';
import { hostOf, portOf } from '../settings/settings.ts';

export class Seeds {
  readonly #world: MemberWorld;
  readonly #fixed: readonly string[];
  readonly #names: readonly string[];
  readonly #found = new Map<string, readonly string[]>();
  /** Cached: every gossip tick asks, and it changes once a minute at most. */
  #all: readonly string[] | undefined;

  constructor(world: MemberWorld, seeds: readonly string[], lastPeers: readonly string[]) {
    this.#world = world;
    this.#fixed = [...new Set([...seeds.filter(isLiteral), ...lastPeers])];
    this.#names = seeds.filter((seed) => !isLiteral(seed));
  }

  start(): void {
    if (this.#names.length === 0) return;
    for (const name of this.#names) {
      this.#world.resolve(hostOf(name), (addresses) => {
        this.#all = undefined;
        this.#found.set(
          name,
          addresses.map((address) => `${address}:${portOf(name)}`),
        );
      });
    }
    this.#world.after(seedLookupMs, () => this.start());
  }

  addresses(): readonly string[] {
    this.#all ??= [...this.#fixed, ...[...this.#found.values()].flat()];
    return this.#all;
  }
}

function isLiteral(address: string): boolean {
  return /^[\d.]+:\d+$/.test(address);
}
