// A finding of explain: one thing that is in the way, or worth knowing, with its member, since when, and what to do.

import type { PodDisruptionBudget } from '@marekvs/runtime';
import type { SeenParts } from '../../cluster/cluster-parts.ts';
import type { OperatorLease } from '../../cluster/operator-lease.ts';
import type { FindingKind, Rule } from '../catalogue/rules.ts';

export interface Finding {
  readonly kind: FindingKind;
  /** The check or rule that made the finding: a code of the reason catalogue where there is one. */
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

// The facts that explain judges, as plain values with the time at which they were read. What is unknown is marked so,
// and never counts as "all is well".
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

interface OperatorFacts extends OperatorLease {
  /** Permissions that it lacks in the cluster's namespace, such as `create pods`; undefined when not known. */
  readonly missingPermissions: readonly string[] | undefined;
  /** Name of its Deployment; undefined when there is none, or it may not be read: hints name only what exists. */
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
