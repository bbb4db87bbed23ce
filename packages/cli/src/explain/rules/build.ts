// How a rule makes its finding: the words and commands of the catalogue around what was seen.

import type { ExplainFacts } from '../facts.ts';
import type { Finding, FindingKind, Rule } from '../finding.ts';
import { commandsFor, kindOf, remedyFor } from '../remedies.ts';

export interface Seen {
  readonly member?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly message: string;
  readonly source: string;
  readonly kind?: FindingKind;
  /** In place of the catalogue's words. */
  readonly unblock?: string;
}

export function finding({ parts, operator }: ExplainFacts, rule: Rule, seen: Seen): Finding {
  const { namespace, name: cluster } = parts.cluster.metadata;
  const { member } = seen;
  return {
    kind: seen.kind ?? kindOf(rule),
    rule,
    member,
    sinceMs: seen.sinceMs,
    message: seen.message,
    unblock: seen.unblock ?? remedyFor(rule),
    commands: commandsFor(rule, { namespace, cluster, operatorNamespace: operator.namespace, member }),
    source: seen.source,
  };
}

/** The node a sentence is about: the first of ours it names, whole names only. */
export function memberIn(text: string, { parts }: ExplainFacts): string | undefined {
  const found = parts.nodes
    .map(({ metadata }) => ({ name: metadata.name, at: indexOfName(text, metadata.name) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  return found[0]?.name;
}

function indexOfName(text: string, name: string): number {
  const match = new RegExp(`(?<![-\\w])(?:data-)?${name.replaceAll('.', '\\.')}(?![-\\w])`).exec(text);
  return match?.index ?? -1;
}
