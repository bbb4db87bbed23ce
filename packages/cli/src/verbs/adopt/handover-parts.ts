// Reads live what a handover depends on: the StatefulSet with the cluster's name, and everything around it that is
// checked.

import {
  clientServiceName,
  clientsPolicyName,
  controllerOf,
  headlessServiceName,
  type MarekvsCluster,
  networkPolicyName,
  pdbName,
} from '@marekvs/api';
import {
  ifFound,
  type Kind,
  type KubeObject,
  networkPolicies,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type StatefulSet,
  type Stored,
  services,
  statefulSets,
} from '@marekvs/runtime';
import type { Run } from '../../connection/cli.ts';
import { memberFigures } from '../../members/member-figures.ts';
import type { HandoverParts } from './handover.ts';

/** Undefined when no StatefulSet has the cluster's name. */
export function readStatefulSet(run: Run, { metadata }: MarekvsCluster): Promise<Stored<StatefulSet> | undefined> {
  return ifFound(run.get(statefulSets, metadata));
}

export async function readHandoverParts(
  run: Run,
  cluster: MarekvsCluster,
  set: Stored<StatefulSet>,
): Promise<HandoverParts> {
  const { namespace, name } = cluster.metadata;
  const child = (kind: Kind<KubeObject>, own: string) => ifFound(run.get(kind, { namespace, name: own }));
  const [allPods, claims, ...children] = await Promise.all([
    run.list(pods, { namespace }),
    run.list(persistentVolumeClaims, { namespace }),
    child(services, clientServiceName(name)),
    child(services, headlessServiceName(name)),
    child(podDisruptionBudgets, pdbName(name)),
    child(networkPolicies, networkPolicyName(name)),
    child(networkPolicies, clientsPolicyName(name)),
  ]);
  const own = allPods.filter(({ metadata }) => controllerOf(metadata)?.uid === set.metadata.uid);
  const figures = await Promise.all(
    own.map(async (pod) => [pod.metadata.name, await memberFigures(run, pod)] as const),
  );
  return {
    cluster,
    set,
    pods: own,
    claims,
    children: children.filter((child) => child !== undefined),
    figures: new Map(figures),
  };
}
