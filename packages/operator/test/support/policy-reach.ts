// Whether NetworkPolicies admit a connection, by the rules of the Kubernetes API. The machine that runs the tests has
// no network that enforces them, so what is tested is what the rendered policies say.

import type { NetworkPolicy } from '@marekvs/runtime';

type Labels = Readonly<Record<string, string>>;

export interface Peer {
  readonly namespace: string;
  /** Besides kubernetes.io/metadata.name, which every namespace has. */
  readonly namespaceLabels?: Labels;
  readonly podLabels?: Labels;
  readonly ip?: string;
}

type Spec = NonNullable<NetworkPolicy['spec']>;
type Rule = NonNullable<Spec['ingress']>[number];
type From = NonNullable<Rule['from']>[number];
type Selector = Spec['podSelector'];

/** Policies only add to each other, and a Pod that none of them selects is open to everybody.
 *  @param port such as `6379/TCP` */
export function isAdmitted(policies: readonly NetworkPolicy[], target: Peer, source: Peer, port: string): boolean {
  const about = policies.filter(
    ({ metadata, spec }) =>
      metadata?.namespace === target.namespace &&
      spec?.policyTypes?.includes('Ingress') === true &&
      matches(spec.podSelector, target.podLabels ?? {}),
  );
  if (about.length === 0) return true;
  const rules = about.flatMap(({ spec }) => spec?.ingress ?? []);
  return rules.some((rule) => isPort(rule, port) && isFrom(rule, target, source));
}

function isPort({ ports = [] }: Rule, wanted: string): boolean {
  return ports.length === 0 || ports.some(({ port, protocol = 'TCP' }) => `${port}/${protocol}` === wanted);
}

/** No list and an empty list both mean everybody. */
function isFrom({ from = [] }: Rule, target: Peer, source: Peer): boolean {
  return from.length === 0 || from.some((peer) => isPeer(peer, target, source));
}

function isPeer({ ipBlock, namespaceSelector, podSelector }: From, target: Peer, source: Peer): boolean {
  if (ipBlock !== undefined)
    return isInside(source.ip, ipBlock.cidr) && !(ipBlock.except ?? []).some((cidr) => isInside(source.ip, cidr));
  const namespace = { 'kubernetes.io/metadata.name': source.namespace, ...source.namespaceLabels };
  const isNamespace =
    namespaceSelector === undefined ? source.namespace === target.namespace : matches(namespaceSelector, namespace);
  return isNamespace && (podSelector === undefined || matches(podSelector, source.podLabels ?? {}));
}

function matches({ matchLabels = {}, matchExpressions = [] }: NonNullable<Selector> = {}, labels: Labels): boolean {
  const isSame = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return isSame && matchExpressions.every(({ key, operator, values = [] }) => fits(labels[key], operator, values));
}

function fits(value: string | undefined, operator: string, values: readonly string[]): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  const isIn = value !== undefined && values.includes(value);
  return operator === 'In' ? isIn : !isIn;
}

function isInside(ip: string | undefined, cidr: string): boolean {
  const [start = '', prefix] = cidr.split('/');
  const size = 2 ** (32 - Number(prefix));
  return ip !== undefined && Math.floor(numberOf(ip) / size) === Math.floor(numberOf(start) / size);
}

function numberOf(ip: string): number {
  return ip.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
}
