// What the plan of a handover to a StatefulSet rests on, beside the cluster itself. Found by live reads; plan.ts
// decides what follows.

import type { ReleasePhase } from '@marekvs/api';
import type { Hold } from '../values/hold.ts';

/** The StatefulSet of the cluster's name.
 *  - `notRead`: not read, since nothing has begun.
 *  - `there`: `problem`: what keeps the Pods from being handed to it, half a sentence; undefined when they may be. */
export type ReleaseSet =
  | { readonly kind: 'notRead' }
  | { readonly kind: 'none' }
  | { readonly kind: 'unread'; readonly hold: Hold }
  | { readonly kind: 'there'; readonly uid: string; readonly isOurs: boolean; readonly problem: string | undefined };

/** A Service or a disruption budget of the cluster. */
export interface HandedChild {
  readonly kind: 'Service' | 'PodDisruptionBudget';
  readonly name: string;
  /** It has the selector of the existing operator, and carries nothing of ours. */
  readonly isReleased: boolean;
}

export interface ReleaseSeen {
  /** The user asks for it, for this very cluster as it is formed now. */
  readonly isAsked: boolean;
  /** The stored progress; undefined: not begun. */
  readonly stored: { readonly phase: ReleasePhase; readonly setUid: string | undefined } | undefined;
  /** MAREKVS_CLUSTER its members run with. */
  readonly identity: string;
  readonly set: ReleaseSet;
  readonly children: readonly HandedChild[];
  /** A network policy of ours is there: it would cut off a Pod that the StatefulSet makes. */
  readonly hasPolicy: boolean;
}
