// How a rule makes its finding: the words and commands of the catalogue around what was seen.

import type { ExplainFacts } from '../facts.ts';
import type { Finding, FindingKind, Rule } from '../finding.ts';
import { commandsFor, kindOf, remedyFor } from '../remedies.ts';

export interface Seen {
  readonly member?: string | undefined;
  /** The node that is being removed, where that is another one. */
  readonly target?: string | undefined;
  /** It keeps a turn of a rolling update, and no removal. */
  readonly isTurn?: boolean;
  readonly sinceMs?: number | undefined;
  readonly message: string;
  readonly source: string;
  readonly kind?: FindingKind;
  /** In place of the catalogue's words. */
  readonly unblock?: string;
}

export function finding({ parts, operator }: ExplainFacts, rule: Rule, seen: Seen): Finding {
  const { namespace, name: cluster } = parts.cluster.metadata;
  const { member, target, isTurn } = seen;
  return {
    kind: seen.kind ?? kindOf(rule),
    rule,
    member,
    sinceMs: seen.sinceMs,
    message: seen.message,
    unblock: seen.unblock ?? remedyFor(rule),
    commands: commandsFor(rule, { namespace, cluster, operatorNamespace: operator.namespace, member, target, isTurn }),
    source: seen.source,
  };
}

/** The node a sentence is about: the first of ours it names, whole names only. Of `removing demo-2 waits: demo-1 has …` it is the one
 *  that is waited for, if one is named. */
export function memberIn(text: string, facts: ExplainFacts): string | undefined {
  const [target = '', waits] = text.split(' waits: ', 2);
  return waits === undefined ? firstNamed(text, facts) : (firstNamed(waits, facts) ?? firstNamed(target, facts));
}

function firstNamed(text: string, { parts }: ExplainFacts): string | undefined {
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
