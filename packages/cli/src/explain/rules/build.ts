// Builds the finding of a rule: what was seen, with the texts and commands of the catalogue.

import { DEFAULTS, type MarekvsClusterSpec, minimumNodes, withDefaults } from '@marekvs/api';
import { labelText } from '@marekvs/planner';
import type { KubeObject } from '@marekvs/runtime';
import { wantedSize } from '../../changing/size.ts';
import type { About } from '../catalogue/command-parts.ts';
import { commandsFor } from '../catalogue/commands.ts';
import { kindOf, RULES, type Rule } from '../catalogue/rules.ts';
import type { ExplainFacts, Finding } from '../facts/finding.ts';

/** What a rule has seen. `kind` and `unblock` default to those of the catalogue. */
export interface Seen
  extends Partial<Omit<Finding, 'message' | 'source' | 'rule' | 'commands'>>,
    Pick<Finding, 'message' | 'source'> {
  /** The node that is being removed, if it is not `member`. */
  readonly target?: string | undefined;
  /** The finding blocks a turn of a rolling update, not a removal. */
  readonly isTurn?: boolean;
}

export function finding(facts: ExplainFacts, rule: Rule, seen: Seen): Finding {
  const { member, field } = seen;
  return {
    kind: seen.kind ?? kindOf(rule),
    rule,
    member,
    ...(field === undefined ? {} : { field }),
    sinceMs: seen.sinceMs,
    message: seen.message,
    unblock: seen.unblock ?? RULES[rule].remedy,
    commands: [...commandsIn(rule, seen.message), ...commandsFor(rule, about(facts, seen))],
    source: seen.source,
  };
}

/** The rule whose messages are the operator's own words and name commands in parentheses. Others may repeat what a
 *  webhook or a registry says, and nobody is to type that. */
const NAMING_COMMANDS: Rule = 'MemberJoining';

function commandsIn(rule: Rule, message: string): readonly string[] {
  if (rule !== NAMING_COMMANDS) return [];
  return [...message.matchAll(/\((kubectl [^()]+)\)/g)].map(([, command = '']) => command);
}

/** For a rule that finds one thing or nothing. */
export function only(facts: ExplainFacts, rule: Rule, seen: Seen): readonly Finding[] {
  return [finding(facts, rule, seen)];
}

function about({ parts, operator }: ExplainFacts, { member, target, isTurn }: Seen): About {
  const { spec, metadata } = parts.cluster;
  const isThere = (objects: readonly KubeObject[] | undefined, name: string) =>
    member === undefined || objects === undefined || objects.some((one) => one.metadata.name === name);
  const claim = parts.volumes?.find((one) => one.metadata.name === `data-${member}`);
  return {
    namespace: metadata.namespace,
    cluster: metadata.name,
    operatorNamespace: operator.namespace,
    operatorDeployment: operator.deployment,
    member,
    target,
    isTurn,
    isPodThere: isThere(parts.pods, member ?? ''),
    isClaimThere: isThere(parts.volumes, `data-${member}`),
    floor: minimumNodes(spec),
    nodes: wantedSize(parts.cluster).nodes,
    ...(spec.autoscale === undefined ? {} : { bounds: spec.autoscale }),
    ...hostLabels(spec),
    storage: String(claim?.spec?.resources?.requests?.storage ?? spec.storage?.size ?? DEFAULTS.storage.size),
  };
}

function hostLabels(spec: MarekvsClusterSpec): Pick<About, 'hostLabels'> {
  const rule = withDefaults(spec).hosts.onePerHost;
  return rule === undefined ? {} : { hostLabels: labelText(rule) };
}

/** The node that a sentence is about: the first of the cluster's nodes that it names, whole names only. In
 *  `removing demo-2 waits: demo-1 has …` it is the node that is waited for, if one is named. */
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
