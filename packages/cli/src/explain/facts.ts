// Everything explain judges, as plain values with the time they were read at. Unknown is a kind of its own, never "all
// is well".

import type { PodDisruptionBudget } from '@marekvs/runtime';
import type { SeenParts } from '../reading/cluster-parts.ts';

export interface EventFact {
  readonly atMs: number | undefined;
  readonly type: string;
  readonly reason: string;
  /** What was done or decided; undefined where the source does not say. */
  readonly action?: string;
  readonly note: string;
  readonly kind: string;
  readonly name: string;
  readonly count: number;
}

export type LeaseFact =
  | { readonly kind: 'unknown'; readonly why: string }
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'read';
      readonly holder: string;
      readonly renewedMs: number | undefined;
      readonly durationMs: number;
    };

export interface OperatorFacts {
  readonly namespace: string;
  readonly lease: LeaseFact;
  /** What it lacks in the cluster's namespace, as `create pods`; undefined when nobody may tell. */
  readonly missingPermissions: readonly string[] | undefined;
  /** Name of its Deployment; undefined when there is none, or it may not be read: a hint names nothing that may not be
   *  there. */
  readonly deployment?: string | undefined;
}

export interface QuotaFact {
  readonly name: string;
  readonly hard: Readonly<Record<string, string>>;
  readonly used: Readonly<Record<string, string>>;
}

export interface ExplainFacts {
  readonly nowMs: number;
  readonly parts: SeenParts;
  readonly events: readonly EventFact[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly quotas: readonly QuotaFact[];
  /** Names of hosts that are cordoned or drained; undefined when Nodes may not be read. */
  readonly drainingHosts: readonly string[] | undefined;
  readonly operator: OperatorFacts;
  /** What could not be read, and why. */
  readonly unread: readonly string[];
}
