// One line of the list that a member shows of its cluster, and a key to compare two lists by. membership.ts compares
// them.

import { oncePer, ownedCounts } from '@marekvs/api';

/** One line of a member's CLUSTER NODES answer. `hasPrimaries` is false for joining and leaving members alike
 *  (docs/design/server.md#cluster-commands). */
export interface ViewLine {
  readonly id: number;
  /** Unix seconds at the member's boot: tells two lives of one id apart. */
  readonly generation: number;
  readonly hasPrimaries: boolean;
  /** How many partitions it leads; undefined where only that it leads some was kept. */
  readonly primaryPartitions?: number | undefined;
}

const NONE: ReadonlyMap<number, number> = new Map();

/** Ids of the members that lead nothing, or fewer partitions than are theirs by placement: joining and leaving ones.
 *  What only leaving members are homes of is led by one of them, so that several may all lead something
 *  (docs/design/server.md#http). Of any other member the share can only grow by what becomes of the rest. */
export const leadingLess = oncePer((view: readonly ViewLine[]): ReadonlySet<number> => {
  const theirs = view.some(({ primaryPartitions }) => primaryPartitions !== undefined)
    ? ownedCounts(
        view.map(({ id }) => id),
        1,
      )
    : NONE;
  const isLess = ({ id, hasPrimaries, primaryPartitions = Number.POSITIVE_INFINITY }: ViewLine) =>
    !hasPrimaries || primaryPartitions < (theirs.get(id) ?? 0);
  return new Set(view.filter(isLess).map(({ id }) => id));
});

/** Equal exactly when two views show the same members, generations and phases. A view never changes and is read in
 *  every pass, so its key is computed once. */
export const viewKey = oncePer((view: readonly ViewLine[]): string =>
  [...view]
    .sort((a, b) => a.id - b.id)
    .map((line) => `${line.id}@${line.generation}${line.hasPrimaries ? '+' : '-'}`)
    .join(' '),
);
