// Answers: why is this cluster not at its desired state? Facts in, findings out, causes before consequences. Pure.
// There are two sources: what the operator has stored, and what the objects themselves show when it reports nothing.

import { importance, RULES } from './catalogue/rules.ts';
import type { ExplainFacts, Finding } from './facts/finding.ts';
import { whatObjectsShow } from './rules/objects.ts';
import { howOperatorIs } from './rules/operator.ts';
import { sizingFindings } from './rules/sizing.ts';
import { statusFindings } from './rules/status.ts';

/** Every finding once, the most important first. */
export function explain(facts: ExplainFacts): readonly Finding[] {
  const all = [...howOperatorIs(facts), ...statusFindings(facts), ...sizingFindings(facts), ...whatObjectsShow(facts)];
  return withoutConsequences(merged(all)).sort(
    (a, b) => importance(a.rule, a.kind) - importance(b.rule, b.kind) || byMember(a.member, b.member),
  );
}

/** One finding per rule, member and field. The first source gives the message, unless that of a later one begins with
 *  it; the earliest known time counts. A finding about the whole cluster is left out when a member has the same. */
function merged(findings: readonly Finding[]): Finding[] {
  const byKey = new Map<string, Finding>();
  for (const one of findings) {
    const finding = RULES[one.rule].scope === 'cluster' ? { ...one, member: undefined } : one;
    const key = `${finding.rule} ${finding.member ?? ''} ${finding.field ?? ''}`;
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? finding : together(known, finding));
  }
  const perMember = new Set([...byKey.values()].flatMap(({ rule, member }) => (member === undefined ? [] : [rule])));
  return [...byKey.values()].filter(({ rule, member }) => member !== undefined || !perMember.has(rule));
}

/** States on the way are no findings of their own when another one says what stops the member, or that it is being
 *  restarted. */
function withoutConsequences(findings: readonly Finding[]): Finding[] {
  const isExplained = ({ kind, rule }: Finding) => kind === 'blocked' || rule === 'RollingOut';
  const stopped = new Set(findings.filter(isExplained).map(({ member }) => member));
  const isConsequence = ({ kind, rule, member }: Finding) =>
    kind !== 'blocked' && RULES[rule].isOnTheWay === true && member !== undefined && stopped.has(member);
  return findings.filter((one) => !isConsequence(one));
}

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
