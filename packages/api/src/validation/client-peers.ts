// The rules for spec.clients.from: what the API server would refuse in a NetworkPolicy. The same rules are CEL in
// schema/clients.ts. Values may have any shape, since a stored object may be older than its schema.

import { IPV4_NETWORK_PATTERN, LABEL_KEY_PATTERN, LABEL_VALUE_PATTERN } from '../rules/limits.ts';
import { MESSAGES } from '../rules/messages.ts';
import { isRecord } from '../values/is-record.ts';
import { broken, type FieldProblem, type Rule } from './static-rules.ts';

const KEY = new RegExp(LABEL_KEY_PATTERN);
const VALUE = new RegExp(LABEL_VALUE_PATTERN);
const NETWORK = new RegExp(IPV4_NETWORK_PATTERN);

export function clientProblems(clients: unknown): readonly FieldProblem[] {
  const peers = isRecord(clients) ? listOf(clients.from) : [];
  return broken(peers.flatMap((peer, index) => peerRules(`spec.clients.from[${index}]`, peer)));
}

function peerRules(path: string, peer: unknown): readonly Rule[] {
  const { podSelector, namespaceSelector, ipBlock } = isRecord(peer) ? peer : {};
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  return [
    [path, MESSAGES.peer, (ipBlock === undefined) !== hasSelector],
    ...selectorRules(`${path}.podSelector`, podSelector),
    ...selectorRules(`${path}.namespaceSelector`, namespaceSelector),
    ...blockRules(`${path}.ipBlock`, ipBlock),
  ];
}

function selectorRules(path: string, selector: unknown): readonly Rule[] {
  if (!isRecord(selector)) return [];
  const labels = Object.entries(isRecord(selector.matchLabels) ? selector.matchLabels : {});
  return [
    [`${path}.matchLabels`, MESSAGES.peerLabels, !labels.every(([key, value]) => isKey(key) && isValue(value))],
    ...listOf(selector.matchExpressions).map(
      (one, index): Rule => [`${path}.matchExpressions[${index}]`, MESSAGES.peerRequirement, !isRequirement(one)],
    ),
  ];
}

function isRequirement(one: unknown): boolean {
  if (!isRecord(one)) return false;
  const values = listOf(one.values);
  const fits = one.operator === 'In' || one.operator === 'NotIn' ? values.length > 0 : values.length === 0;
  return isKey(one.key) && fits && values.every(isValue);
}

function blockRules(path: string, block: unknown): readonly Rule[] {
  if (!isRecord(block)) return [];
  const whole = networkOf(block.cidr);
  const isPart = (part: unknown) => {
    const one = networkOf(part);
    return one !== undefined && whole !== undefined && one.size < whole.size && startIn(one, whole) === whole.start;
  };
  return [
    [`${path}.cidr`, MESSAGES.peerNetwork, whole === undefined],
    [`${path}.except`, MESSAGES.peerExcept, !listOf(block.except).every(isPart)],
  ];
}

interface Network {
  readonly start: number;
  readonly size: number;
}

/** Undefined for everything but an IPv4 network without host bits. */
function networkOf(text: unknown): Network | undefined {
  if (typeof text !== 'string' || !NETWORK.test(text)) return undefined;
  const [address = '', prefix] = text.split('/');
  const start = address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
  const size = 2 ** (32 - Number(prefix));
  return start % size === 0 ? { start, size } : undefined;
}

/** Where the network of `whole`'s size begins that `one` is in. */
function startIn(one: Network, whole: Network): number {
  return one.start - (one.start % whole.size);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && KEY.test(value);
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' && VALUE.test(value);
}
