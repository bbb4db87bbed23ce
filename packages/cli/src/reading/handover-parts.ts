// Reads what a handover rests on, live: the StatefulSet of the cluster's name and everything that has
// to be as it should around it.

import {
  clientServiceName,
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
import type { HandoverParts } from '../adopting/handover.ts';
import type { Run } from '../cli.ts';
import { memberFigures } from '../top/member-figures.ts';

/** Undefined when there is none of the cluster's name. */
export async function readStatefulSet(
  run: Run,
  { metadata }: MarekvsCluster,
): Promise<Stored<StatefulSet> | undefined> {
  return found(run, statefulSets, metadata.namespace, metadata.name);
}

export async function readHandoverParts(
  run: Run,
  cluster: MarekvsCluster,
  set: Stored<StatefulSet>,
): Promise<HandoverParts> {
  const { client } = await run.connect();
  const { namespace, name } = cluster.metadata;
  const call = { namespace, signal: run.ports.signal };
  const [allPods, claims, ...children] = await Promise.all([
    client.list(pods, call),
    client.list(persistentVolumeClaims, call),
    found<KubeObject>(run, services, namespace, clientServiceName(name)),
    found<KubeObject>(run, services, namespace, headlessServiceName(name)),
    found<KubeObject>(run, podDisruptionBudgets, namespace, pdbName(name)),
    found<KubeObject>(run, networkPolicies, namespace, networkPolicyName(name)),
  ]);
  const own = allPods.items.filter(({ metadata }) => controllerOf(metadata)?.uid === set.metadata.uid);
  const figures = await Promise.all(
    own.map(async (pod) => [pod.metadata.name, await memberFigures(run, pod)] as const),
  );
  return {
    cluster,
    set,
    pods: own,
    claims: claims.items,
    children: children.filter((child) => child !== undefined),
    figures: new Map(figures),
  };
}

async function found<T extends KubeObject>(
  run: Run,
  kind: Kind<T>,
  namespace: string,
  name: string,
): Promise<Stored<T> | undefined> {
  const { client } = await run.connect();
  return ifFound(client.get(kind, { namespace, name }, { signal: run.ports.signal }));
}
