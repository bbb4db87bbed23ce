// The members of a comparison by their index in the request, the sources among them, and which member is home of what.

import { type Placement, placementOf } from '@marekvs/api';
import { Desk } from './member-queue.ts';
import type { ComparisonRequest } from './request.ts';

export class Roster {
  readonly desks: readonly Desk[];
  /** Indexes of the sources, each once. */
  readonly sources: readonly number[];
  readonly #positions: ReadonlyMap<number, number>;
  /** By index of the member. */
  readonly #sourceNo: readonly (number | undefined)[];
  readonly #placement: Placement;
  readonly #lives: readonly string[];

  /** @throws RangeError for a source that is not a member */
  constructor({ members, sources, replicationFactor }: ComparisonRequest) {
    this.desks = members.map(({ nodeId }, position) => new Desk(nodeId, position));
    this.#positions = new Map(members.map(({ nodeId }, position) => [nodeId, position]));
    this.sources = [...new Set(sources)].map((nodeId) => {
      const position = this.#positions.get(nodeId);
      if (position === undefined) throw new RangeError(`compare contents of member ${nodeId}: not in the list`);
      return position;
    });
    const sourceNo = new Array<number | undefined>(members.length).fill(undefined);
    for (const [no, position] of this.sources.entries()) sourceNo[position] = no;
    this.#sourceNo = sourceNo;
    this.#lives = members.map(({ nodeId, generation }) => `${nodeId}@${generation}`);
    this.#placement = placementOf(this.#positions.keys(), replicationFactor);
  }

  byId(nodeId: number): Desk | undefined {
    return this.desks[this.#positions.get(nodeId) ?? -1];
  }

  at(position: number): Desk {
    const desk = this.desks[position];
    if (desk === undefined) throw new RangeError(`member at ${position} of ${this.desks.length}`);
    return desk;
  }

  /** The number of this source, from 0; undefined when the member is no source. */
  sourceNo(position: number): number | undefined {
    return this.#sourceNo[position];
  }

  isHome(position: number, partition: number): boolean {
    return this.otherHomes(-1, partition).includes(position);
  }

  /** One life of a member: what it remembers ends with it. */
  lifeOf(position: number): string {
    return this.#lives[position] ?? '';
  }

  /** Indexes of the homes of a partition, without this member. */
  otherHomes(position: number, partition: number): readonly number[] {
    const { owners, width } = this.#placement;
    const homes: number[] = [];
    for (let at = partition * width; at < (partition + 1) * width; at += 1) {
      const home = this.#positions.get(owners[at] ?? -1);
      if (home !== undefined && home !== position) homes.push(home);
    }
    return homes;
  }
}
