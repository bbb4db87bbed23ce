// Answers: does a finding need somebody, what would let it go on, and which findings come first? By the rows of the
// reasons, and rows of our own for rules that are no reasons.

import { CAUSES, REASONS, type Reason, type ReasonRow } from '@marekvs/api';

/** `blocked`: a person has to act, or it stays. `waiting`: it goes on by itself. `note`: it blocks nothing. */
export type FindingKind = NonNullable<ReasonRow['kind']>;

/** What only the CLI can see. */
const OWN = {
  OperatorDown: {
    kind: 'blocked',
    cause: 'installation',
    remedy: 'Start the operator again; the members serve without it, but nothing is repaired or scaled meanwhile.',
  },
  OperatorLeaseFree: {
    kind: 'waiting',
    cause: 'installation',
    remedy: 'Wait a few seconds for a replica to take the lease; if it stays free, look at the operator.',
  },
  NotWatched: {
    kind: 'blocked',
    cause: 'installation',
    remedy: 'Let the operator manage this namespace: --watch-namespaces, or the RBAC of the installation.',
  },
  SpecNotSeen: {
    kind: 'waiting',
    cause: 'wholeCluster',
    remedy: 'Wait a few seconds; if it persists, look at the log of the operator.',
  },
  DisruptionBudget: {
    kind: 'waiting',
    cause: 'undone',
    remedy:
      'Wait until every member is ready again, no removal is under way and no record is missing: then the budget allows one eviction.',
  },
  StuckDeleting: {
    kind: 'blocked',
    cause: 'wholeCluster',
    remedy: 'Look at the operator, which takes the finalizers off when the members have left.',
  },
} as const satisfies Readonly<Record<string, RuleRow>>;

type RuleRow = Partial<ReasonRow> & Pick<ReasonRow, 'remedy'>;

/** The operator's own reasons, and what only the CLI can see. */
export type Rule = Reason | keyof typeof OWN;

export const RULES: Readonly<Record<Rule, RuleRow>> = { ...REASONS, ...OWN };

export function kindOf(rule: Rule): FindingKind {
  const { kind, severity } = RULES[rule];
  return kind ?? (severity === 'warning' ? 'blocked' : 'waiting');
}

const KIND_ORDER: readonly FindingKind[] = ['blocked', 'waiting', 'note'];

/** Smaller is more important: an operator that is away explains everything that does not move. */
export function importance(rule: Rule, kind: FindingKind): number {
  const { cause } = RULES[rule];
  return KIND_ORDER.indexOf(kind) * 100 + (cause === undefined ? CAUSES.length : CAUSES.indexOf(cause));
}
