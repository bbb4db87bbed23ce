// Answers: how do the members of a cluster get into different zones? Pure; docs/decisions/zones.md.

import { clusterSelector, type NodeScheduling } from '@marekvs/api';
import type { IAffinity, IPodAntiAffinity, IPodSpec } from 'kubernetes-models/v1';

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

/** The smallest weights that put hosts before zones: any preference of the user with a larger weight counts for
 *  more. */
const WEIGHTS = [
  { topologyKey: HOST, weight: 2 },
  { topologyKey: ZONE, weight: 1 },
];

/** The user's affinity, with a preference for zones without a member unless the user's settings mention zones. It is no
 *  part of the template: a Pod that was made without it is not outdated. */
export function podAffinity(clusterName: string, scheduling: NodeScheduling): Pick<IPodSpec, 'affinity'> {
  // Our schema allows an explicit undefined where the models do not; JSON knows neither.
  const affinity = scheduling.affinity as IAffinity | undefined;
  if (speaksOfZones(scheduling)) return affinity === undefined ? {} : { affinity };
  return { affinity: { ...affinity, podAntiAffinity: withPreference(clusterName, affinity?.podAntiAffinity) } };
}

function withPreference(clusterName: string, user: IPodAntiAffinity = {}): IPodAntiAffinity {
  const labelSelector = { matchLabels: { ...clusterSelector(clusterName) } };
  const ours = WEIGHTS.map(({ topologyKey, weight }) => ({ weight, podAffinityTerm: { topologyKey, labelSelector } }));
  const theirs = user.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return { ...user, preferredDuringSchedulingIgnoredDuringExecution: [...theirs, ...ours] };
}

function speaksOfZones({ affinity, topologySpreadConstraints = [] }: NodeScheduling): boolean {
  const { nodeAffinity, podAffinity: together, podAntiAffinity: apart } = affinity ?? {};
  const hostTerms = [
    ...(nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
    ...(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ preference }) => preference),
  ];
  const podTerms = [together, apart].flatMap((kind) => [
    ...(kind?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(kind?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  const hostKeys = hostTerms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key));
  const placeKeys = [...podTerms, ...topologySpreadConstraints].map(({ topologyKey }) => topologyKey);
  return [...hostKeys, ...placeKeys].some(isZone);
}

/** Includes the label from before Kubernetes 1.17, and those of storage drivers. */
function isZone(key: string): boolean {
  return /(^|[/])zone$/.test(key);
}
