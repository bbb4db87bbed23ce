// One line of the list that a member shows of its cluster, and when two such lists are the same. That
// they are, membership.ts judges.

import { oncePer } from '@marekvs/api';

/** One line of a member's CLUSTER NODES answer. `hasPrimaries` is false for joining and leaving members alike
 *  (docs/design/server.md#cluster-commands). */
export interface ViewLine {
  readonly id: number;
  /** Unix seconds at the member's boot: tells two lives of one id apart. */
  readonly generation: number;
  readonly hasPrimaries: boolean;
}

/** A text that is equal exactly when two views show the same members, lives and phases. A view never changes once it is
 *  there, and the same one is read in every pass: its text is made once. */
export const viewKey = oncePer((view: readonly ViewLine[]): string =>
  [...view]
    .sort((a, b) => a.id - b.id)
    .map((line) => `${line.id}@${line.generation}${line.hasPrimaries ? '+' : '-'}`)
    .join(' '),
);
