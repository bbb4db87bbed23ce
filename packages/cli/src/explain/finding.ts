// What explain says: one thing that is in the way, or worth knowing, with who, since when and what to do.

import type { Reason } from '@marekvs/api';

/** `blocked`: a person has to act, or it stays. `waiting`: it goes on by itself. `note`: it blocks nothing. */
export type FindingKind = 'blocked' | 'waiting' | 'note';

/** What only the CLI can see, beside the operator's own reasons. */
export type Rule =
  | Reason
  | 'OperatorDown'
  | 'OperatorLeaseFree'
  | 'NotWatched'
  | 'SpecNotSeen'
  | 'DisruptionBudget'
  | 'StuckDeleting';

export interface Finding {
  readonly kind: FindingKind;
  /** The check or rule that says so: a code of the reason catalogue where there is one. */
  readonly rule: Rule;
  /** The node it is about; undefined for the whole cluster. */
  readonly member: string | undefined;
  /** The field of the spec it is about, where it is about one. */
  readonly field?: string;
  /** Milliseconds since 1970; undefined when nothing says so. */
  readonly sinceMs: number | undefined;
  readonly message: string;
  /** What would let it go on. */
  readonly unblock: string;
  /** Exact commands, the most useful first. */
  readonly commands: readonly string[];
  /** Where this was read. */
  readonly source: string;
}
