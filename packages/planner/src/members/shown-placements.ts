// Answers: do members place partitions alike? Those that run with the same replicationFactor show the same. While a
// changed factor reaches them there are two placements, and each member is compared with its own.

import type { NodeRecord } from '../observation/node-record.ts';

type Placing = Pick<NodeRecord, 'name' | 'replicationFactor'>;

export class ShownPlacements {
  readonly #byFactor = new Map<number, { readonly name: string; readonly digest: string }>();

  /** @returns the name of a member of the same factor that shows another placement */
  add({ name, replicationFactor }: Placing, digest: string): string | undefined {
    const known = this.#byFactor.get(replicationFactor);
    if (known === undefined) this.#byFactor.set(replicationFactor, { name, digest });
    return known === undefined || known.digest === digest ? undefined : known.name;
  }

  /** One text for all placements shown; the members' own digest when all run with the same factor. */
  digest(): string {
    const shown = [...this.#byFactor].sort(([a], [b]) => a - b);
    const [only] = shown;
    return shown.length === 1 && only !== undefined
      ? only[1].digest
      : shown.map(([factor, { digest }]) => `${factor}=${digest}`).join();
  }
}
