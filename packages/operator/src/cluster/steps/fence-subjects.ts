// What the fences of the cluster controller guard: the steps of a pass, and the changes of an operation's record.

import type { LastOperation, Operation } from '@marekvs/api';
import type { ClusterStep, ReleaseTurn } from '@marekvs/planner';

export type StepKind = ClusterStep['kind'];
export type StepOf<K extends StepKind> = Extract<ClusterStep, { readonly kind: K }>;

/** A change of the record of an operation, or none (`news`). */
export type RecordChange =
  | { readonly kind: 'end'; readonly ended: Pick<LastOperation, 'target'> }
  | { readonly kind: 'phase'; readonly operation: Operation }
  | { readonly kind: 'claim' }
  /** A release, or its undoing, goes on by one phase or is over. */
  | { readonly kind: 'release'; readonly next: ReleaseTurn }
  /** An update stops at a member. */
  | { readonly kind: 'stop'; readonly nodeUid: string }
  | { readonly kind: 'news' };
export type RecordChangeOf<K extends RecordChange['kind']> = Extract<RecordChange, { readonly kind: K }>;
