// Answers: what would let it go on? The texts of the reason catalogue, and our own for rules that are no reasons.

import { REASONS, type Reason } from '@marekvs/api';
import type { Rule } from '../facts/finding.ts';

const OWN_REMEDIES: Readonly<Record<Exclude<Rule, Reason>, string>> = {
  OperatorDown: 'Start the operator again; the members serve without it, but nothing is repaired or scaled meanwhile.',
  OperatorLeaseFree: 'Wait a few seconds for a replica to take the lease; if it stays free, look at the operator.',
  NotWatched: 'Let the operator manage this namespace: --watch-namespaces, or the RBAC of the installation.',
  SpecNotSeen: 'Wait a few seconds; if it persists, look at the log of the operator.',
  DisruptionBudget:
    'Wait until every member is ready again, no removal is under way and no record is missing: then the budget allows one eviction.',
  StuckDeleting: 'Look at the operator, which takes the finalizers off when the members have left.',
};

/** What would let it go on: the text of the catalogue, or our own. */
export function remedyFor(rule: Rule): string {
  return isOwn(rule) ? OWN_REMEDIES[rule] : REASONS[rule].remedy;
}

/** Whether the rule is one of ours, which the catalogue does not describe. */
export function isOwn(rule: Rule): rule is Exclude<Rule, Reason> {
  return Object.hasOwn(OWN_REMEDIES, rule);
}
