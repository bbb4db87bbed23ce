// Which Node takes a Pod, or why none does. Pure. Knows node selectors, node affinity, taints, required anti-affinity
// and DoNotSchedule spread over host names; resources, other preferences and volumes' zones are not considered.

import {
  type LabelSelector,
  matchesLabels,
  matchesRequirement,
  matchesSelector,
  type SelectorRequirement,
} from '../objects/label-selector.ts';
import type { Node, Pod } from '../objects/objects.ts';
import { CORDON_TAINT, type Taint } from './cordon-taint.ts';

const HOSTNAME_LABEL = 'kubernetes.io/hostname';

interface HostTerm {
  readonly matchExpressions?: readonly SelectorRequirement[];
  readonly matchFields?: readonly SelectorRequirement[];
}

export interface PlacedPod {
  readonly pod: Pod;
  readonly nodeName: string;
}

export type Placement =
  | { readonly kind: 'node'; readonly nodeName: string }
  | { readonly kind: 'unschedulable'; readonly message: string };

/** What the Pod prefers first, then fewest Pods with the same labels, then fewest Pods, then by name. */
export function placePod(pod: Pod, nodes: readonly Node[], placed: readonly PlacedPod[]): Placement {
  const refusals = new Map<string, number>();
  const candidates: Node[] = [];
  for (const node of nodes) {
    const refusal = refusalOf(pod, node, nodes, placed);
    if (refusal === undefined) candidates.push(node);
    else refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
  }
  const best = candidates
    .map((node) => ({
      name: node.metadata.name,
      preference: preferenceFor(pod, node),
      load: loadOf(pod, node.metadata.name, placed),
    }))
    .sort((a, b) => b.preference - a.preference || a.load - b.load || compare(a.name, b.name))[0];
  if (best !== undefined) return { kind: 'node', nodeName: best.name };
  const reasons = [...refusals].map(([reason, count]) => `${count} ${reason}`).join(', ');
  return {
    kind: 'unschedulable',
    message: `0/${nodes.length} nodes are available${reasons === '' ? '' : `: ${reasons}`}.`,
  };
}

function refusalOf(pod: Pod, node: Node, nodes: readonly Node[], placed: readonly PlacedPod[]): string | undefined {
  if (node.spec?.unschedulable === true && !tolerates(pod, CORDON_TAINT)) return 'node(s) were unschedulable';
  if (!matchesLabels(pod.spec.nodeSelector ?? {}, node.metadata.labels) || !matchesNodeAffinity(pod, node)) {
    return "node(s) didn't match Pod's node affinity/selector";
  }
  if (!toleratesTaints(pod, node)) return 'node(s) had untolerated taint(s)';
  if (violatesAntiAffinity(pod, node, placed)) return "node(s) didn't match pod anti-affinity rules";
  if (violatesSpread(pod, node, nodes, placed)) return "node(s) didn't match pod topology spread constraints";
  return undefined;
}

function matchesNodeAffinity(pod: Pod, node: Node): boolean {
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

function preferenceFor(pod: Pod, node: Node): number {
  const wishes = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return wishes.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0);
}

/** An empty term matches no host. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: HostTerm, { metadata }: Node): boolean {
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((one) => matchesRequirement(one, metadata.labels)) &&
    matchFields.every((one) => matchesRequirement(one, { 'metadata.name': metadata.name }))
  );
}

function toleratesTaints(pod: Pod, node: Node): boolean {
  return (node.spec?.taints ?? []).every(
    (taint) => (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') || tolerates(pod, taint),
  );
}

function tolerates(pod: Pod, taint: Taint): boolean {
  return (pod.spec.tolerations ?? []).some((one) => {
    if (one.effect !== undefined && one.effect !== taint.effect) return false;
    if (one.operator === 'Exists') return one.key === undefined || one.key === '' || one.key === taint.key;
    return one.key === taint.key && (one.value ?? '') === (taint.value ?? '');
  });
}

/** Rules hold both ways: those of the Pod against Pods that are already there, and theirs against it. */
function violatesAntiAffinity(pod: Pod, node: Node, placed: readonly PlacedPod[]): boolean {
  return placed.some(
    (other) => other.nodeName === node.metadata.name && (repels(pod, other.pod) || repels(other.pod, pod)),
  );
}

function repels(owner: Pod, other: Pod): boolean {
  if (owner.metadata.namespace !== other.metadata.namespace) return false;
  const terms = owner.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.some(
    (term) =>
      term.topologyKey === HOSTNAME_LABEL && matchesSelector(selectorOf(term.labelSelector), other.metadata.labels),
  );
}

function violatesSpread(pod: Pod, node: Node, nodes: readonly Node[], placed: readonly PlacedPod[]): boolean {
  const hard = (pod.spec.topologySpreadConstraints ?? []).filter(
    (one) => one.whenUnsatisfiable === 'DoNotSchedule' && one.topologyKey === HOSTNAME_LABEL,
  );
  return hard.some((constraint) => {
    const selector = selectorOf(constraint.labelSelector);
    const countOn = (name: string): number =>
      placed.filter(
        (one) =>
          one.nodeName === name &&
          one.pod.metadata.namespace === pod.metadata.namespace &&
          matchesSelector(selector, one.pod.metadata.labels),
      ).length;
    const eligible = nodes.filter(
      (one) =>
        matchesLabels(pod.spec.nodeSelector ?? {}, one.metadata.labels) &&
        matchesNodeAffinity(pod, one) &&
        (constraint.nodeTaintsPolicy !== 'Honor' || toleratesTaints(pod, one)),
    );
    const least = Math.min(...eligible.map((one) => countOn(one.metadata.name)));
    return countOn(node.metadata.name) + 1 - least > constraint.maxSkew;
  });
}

function selectorOf(selector: LabelSelector | undefined): LabelSelector | undefined {
  return selector;
}

function loadOf(pod: Pod, nodeName: string, placed: readonly PlacedPod[]): number {
  const here = placed.filter((one) => one.nodeName === nodeName);
  const kin = here.filter(
    (one) =>
      one.pod.metadata.namespace === pod.metadata.namespace &&
      isKin(one.pod.metadata.labels ?? {}, pod.metadata.labels ?? {}),
  );
  return kin.length * 1000 + here.length;
}

function isKin(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const instance = 'app.kubernetes.io/instance';
  return a[instance] !== undefined && a[instance] === b[instance];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
