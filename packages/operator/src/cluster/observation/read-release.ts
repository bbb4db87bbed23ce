// Reads how far a cluster is handed to a StatefulSet: what was asked and stored, what its Services select by and, once
// it has begun, the live StatefulSet. StatefulSets are not watched; `get` is the only permission needed.

import {
  clientServiceName,
  clientsPolicyName,
  headlessServiceName,
  isReleaseAsked,
  LABELS,
  type MarekvsCluster,
  networkPolicyName,
  pdbName,
  releasedSelector,
} from '@marekvs/api';
import type { HandedChild, ReleaseSeen } from '@marekvs/planner';
import { keyOf } from '@marekvs/runtime';
import type { Caches } from '../../caches/caches.ts';
import type { ChildView } from '../../caches/views.ts';
import { contains } from '../../pass/drift.ts';
import type { Ports } from '../../pass/ports.ts';
import { readSet } from '../../pass/read-set.ts';
import type { ClusterScope } from './observe.ts';

/** Undefined while no release is asked for or under way, and for a cluster that is not formed or is being deleted. */
export async function readRelease(
  { cluster, observation }: ClusterScope,
  ports: Ports,
  signal: AbortSignal,
): Promise<ReleaseSeen | undefined> {
  const { formed, release } = cluster.status ?? {};
  const isAsked = isReleaseAsked(cluster);
  if (formed === undefined || observation.cluster.isDeleting || (!isAsked && release === undefined)) return undefined;
  const isUnderWay = release !== undefined && release.phase !== 'Closing' && !observation.cluster.spec.paused;
  return {
    isAsked,
    stored: release === undefined ? undefined : { phase: release.phase, setUid: release.statefulSetUID },
    identity: formed.clusterId,
    set: isUnderWay ? await readSet(cluster, observation.nodes.length, ports, signal) : { kind: 'notRead' },
    children: handedChildren(cluster, ports.caches),
    hasPolicy: hasPolicy(cluster, ports.caches),
  };
}

/** The scope with the result of readRelease. */
export function withRelease(scope: ClusterScope, release: ReleaseSeen | undefined): ClusterScope {
  if (release === undefined) return scope;
  const { observation } = scope;
  return { ...scope, observation: { ...observation, cluster: { ...observation.cluster, release } } };
}

/** The children of the cluster that select Pods. A missing one, or an object of somebody else with the name, is left
 *  out. */
export function handedChildren({ metadata }: MarekvsCluster, caches: Caches): readonly HandedChild[] {
  const { namespace, name, uid } = metadata;
  const of = (kind: HandedChild['kind'], own: string): readonly HandedChild[] => {
    const view = childView({ kind, name: own }, namespace, caches);
    return view?.ownerUid === uid ? [{ kind, name: own, isReleased: isReleased(kind, view, name) }] : [];
  };
  return [
    ...of('Service', headlessServiceName(name)),
    ...of('Service', clientServiceName(name)),
    ...of('PodDisruptionBudget', pdbName(name)),
  ];
}

export function childView(
  { kind, name }: Pick<HandedChild, 'kind' | 'name'>,
  namespace: string,
  caches: Caches,
): ChildView | undefined {
  const cache = kind === 'Service' ? caches.services : caches.budgets;
  return cache.store.get(keyOf({ namespace, name }));
}

/** The spec fields by which a child selects the Pods of the StatefulSet. */
export function handedSpec(kind: HandedChild['kind'], cluster: string): object {
  const selector = { ...releasedSelector(cluster) };
  return kind === 'Service' ? { selector } : { selector: { matchLabels: selector } };
}

function isReleased(kind: HandedChild['kind'], { spec, labels, appliedHash }: ChildView, cluster: string): boolean {
  const isPlain =
    labels[LABELS.cluster] === undefined && contains(labels, releasedSelector(cluster)) && appliedHash === undefined;
  return isPlain && contains(spec, handedSpec(kind, cluster));
}

function hasPolicy({ metadata: { namespace, name, uid } }: MarekvsCluster, { policies }: Caches): boolean {
  return [networkPolicyName(name), clientsPolicyName(name)].some((one) => {
    const policy = policies.store.get(keyOf({ namespace, name: one }));
    return policy?.ownerUid === uid && !policy.isTerminating;
  });
}
