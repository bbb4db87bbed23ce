// Answers: why is this cluster not at its desired state? Facts in, findings out, the cause before what follows from it.
// Pure. Two witnesses are heard: what the operator has stored, and what the objects themselves show when it says
// nothing.

import type { ExplainFacts, Finding, Rule } from './finding.ts';
import { importance } from './remedies.ts';
import { whatObjectsShow } from './rules/objects.ts';
import { howOperatorIs } from './rules/operator.ts';
import { whatSizingSays } from './rules/sizing.ts';
import { statusFindings } from './rules/status.ts';

/** Every finding once, the most important first. */
export function explain(facts: ExplainFacts): readonly Finding[] {
  const all = [...howOperatorIs(facts), ...statusFindings(facts), ...whatSizingSays(facts), ...whatObjectsShow(facts)];
  return withoutConsequences(merged(all)).sort(
    (a, b) => importance(a.rule, a.kind) - importance(b.rule, b.kind) || byMember(a.member, b.member),
  );
}

/** One finding per rule and member. The first witness gives the message, unless another one continues
 *  where it ends; the one that knows the time gives it; what is found for the whole cluster is left out when
 *  the same is found for one member. */
function merged(findings: readonly Finding[]): Finding[] {
  const byKey = new Map<string, Finding>();
  for (const one of findings) {
    const finding = CLUSTER_WIDE.has(one.rule) ? { ...one, member: undefined } : one;
    const key = `${finding.rule} ${finding.member ?? ''} ${finding.field ?? ''}`;
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? finding : together(known, finding));
  }
  const perMember = new Set([...byKey.values()].flatMap(({ rule, member }) => (member === undefined ? [] : [rule])));
  return [...byKey.values()].filter(({ rule, member }) => member !== undefined || !perMember.has(rule));
}

/** States a member passes through on its way in or out: not worth a finding of their own where another finding says
 *  what stops it there, or that it is being restarted. */
const ON_THE_WAY: ReadonlySet<Rule> = new Set<Rule>([
  'MemberStarting',
  'MemberMissing',
  'MemberJoining',
  'MemberNotActive',
  'PodMissing',
  'PodPending',
  'NotObserved',
  'MemberLeaving',
]);

function withoutConsequences(findings: readonly Finding[]): Finding[] {
  const isExplained = ({ kind, rule }: Finding) => kind === 'blocked' || rule === 'RollingOut';
  const stopped = new Set(findings.filter(isExplained).map(({ member }) => member));
  return findings.filter(({ rule, member }) => !(ON_THE_WAY.has(rule) && member !== undefined && stopped.has(member)));
}

/** On every node, and about none of them. */
const CLUSTER_WIDE: ReadonlySet<Rule> = new Set<Rule>([
  'Paused',
  'Hibernated',
  'Hibernating',
  'WakingUp',
  'NamespaceTerminating',
  'Deleting',
  'ApiUnavailable',
]);

function together(first: Finding, second: Finding): Finding {
  const times = [first.sinceMs, second.sinceMs].filter((ms) => ms !== undefined);
  return {
    ...first,
    message: second.message.startsWith(first.message) ? second.message : first.message,
    sinceMs: times.length === 0 ? undefined : Math.min(...times),
    kind: first.kind === 'blocked' || second.kind === 'blocked' ? 'blocked' : first.kind,
    source: first.source === second.source ? first.source : `${first.source}, ${second.source}`,
  };
}

function byMember(a: string | undefined, b: string | undefined): number {
  return (a ?? '').localeCompare(b ?? '', 'en', { numeric: true });
}
