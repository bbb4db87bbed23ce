// One line of the list that a member shows of its cluster, and a key to compare two lists by. membership.ts compares
// them.

import { oncePer } from '@marekvs/api';

/** One line of a member's CLUSTER NODES answer. `hasPrimaries` is false for joining and leaving members alike
 *  (docs/design/server.md#cluster-commands). */
export interface ViewLine {
  readonly id: number;
  /** Unix seconds at the member's boot: tells two lives of one id apart. */
  readonly generation: number;
  readonly hasPrimaries: boolean;
}

/** Equal exactly when two views show the same members, generations and phases. A view never changes and is read in
 *  every pass, so its key is computed once. */
export const viewKey = oncePer((view: readonly ViewLine[]): string =>
  [...view]
    .sort((a, b) => a.id - b.id)
    .map((line) => `${line.id}@${line.generation}${line.hasPrimaries ? '+' : '-'}`)
    .join(' '),
);
