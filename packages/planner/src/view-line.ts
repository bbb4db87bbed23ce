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

/** Ids of the members that lead fewer partitions than are theirs by placement: leaving ones. Those lead what all homes of
 *  are leaving, so that several of them may all lead something (docs/design/server.md#http). Of any other member the
 *  share can only grow by what becomes of the rest. */
export const leadingLess = oncePer((view: readonly ViewLine[]): ReadonlySet<number> => {
  const theirs = ownedCounts(
    view.map(({ id }) => id),
    1,
  );
  const isLess = ({ id, primaryPartitions = Number.POSITIVE_INFINITY }: ViewLine) =>
    primaryPartitions < (theirs.get(id) ?? 0);
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
