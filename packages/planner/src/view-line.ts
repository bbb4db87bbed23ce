// One line of the list that a member shows of its cluster, and when two such lists are the same. That they are, membership.ts judges.

/** One line of a member's CLUSTER NODES answer. `hasPrimaries` is false for joining and leaving members alike
 *  (docs/design/server.md#cluster-commands). */
export interface ViewLine {
  readonly id: number;
  /** Unix seconds at the member's boot: tells two lives of one id apart. */
  readonly generation: number;
  readonly hasPrimaries: boolean;
}

/** A text that is equal exactly when two views show the same members, lives and phases. A view never changes once it is there,
 *  and the same one is looked at in every pass: its text is made once. */
export function viewKey(view: readonly ViewLine[]): string {
  const known = keys.get(view);
  if (known !== undefined) return known;
  const key = [...view]
    .sort((a, b) => a.id - b.id)
    .map((line) => `${line.id}@${line.generation}${line.hasPrimaries ? '+' : '-'}`)
    .join(' ');
  keys.set(view, key);
  return key;
}

const keys = new WeakMap<readonly ViewLine[], string>();
