// What the fences of the cluster controller are about: the steps of a pass, and the turns of the record of an
// operation.

import type { LastOperation, Operation } from '@marekvs/api';
import type { ClusterStep, ReleaseTurn } from '@marekvs/planner';

export type StepKind = ClusterStep['kind'];
export type StepOf<K extends StepKind> = Extract<ClusterStep, { readonly kind: K }>;

/** A turn of the record of an operation, or none. */
export type Turn =
  | { readonly kind: 'end'; readonly ended: Pick<LastOperation, 'target'> }
  | { readonly kind: 'phase'; readonly operation: Operation }
  | { readonly kind: 'claim' }
  /** The members are handed to a StatefulSet, or taken back: it goes on by one phase, or is over. */
  | { readonly kind: 'release'; readonly next: ReleaseTurn }
  /** An update stops at a member. */
  | { readonly kind: 'stop'; readonly nodeUid: string }
  | { readonly kind: 'news' };
export type TurnOf<K extends Turn['kind']> = Extract<Turn, { readonly kind: K }>;
