// Reads live whether there is a StatefulSet to adopt for a cluster that is not formed. Asks only while members are
// adopted, or where the caches show objects of the existing operator, so that most clusters never ask. StatefulSets are
// not watched; `get` is the only permission needed.

import {
  adoptionOf,
  clientServiceName,
  controllerOf,
  headlessServiceName,
  LABELS,
  type MarekvsCluster,
  nodeName,
  pdbName,
  pvcName,
} from '@marekvs/api';
import type { Adoption, ClusterObservation } from '@marekvs/planner';
import { isNotFound, keyOf, statefulSets } from '@marekvs/runtime';
import { refusalIn } from '../../api-server/write-refusal.ts';
import type { Caches } from '../../caches/caches.ts';
import type { Ports } from '../../pass/ports.ts';
import type { ClusterScope } from './observe.ts';

/** Undefined when the cluster is formed, forms by itself or is being deleted: then no StatefulSet is read. */
export async function readAdoption(
  cluster: MarekvsCluster,
  { cluster: { isFormed, isDeleting }, nodes }: ClusterObservation,
  ports: Ports,
  signal: AbortSignal,
): Promise<Adoption | undefined> {
  if (isFormed || isDeleting) return undefined;
  const request = adoptionOf(cluster);
  const hasBegun = nodes.some(({ adopts }) => adopts !== undefined);
  if (request === undefined && !hasBegun && (nodes.length > 0 || !isAnythingThere(cluster, ports.caches)))
    return undefined;
  const { namespace, name, uid } = cluster.metadata;
  try {
    const { metadata } = await ports.client.get(statefulSets, { namespace, name }, { signal });
    const isOurs = controllerOf(metadata)?.uid === uid;
    return { kind: 'found', isOurs, isAsked: typeof request === 'object' && request.statefulSetUid === metadata.uid };
  } catch (error) {
    if (!isNotFound(error)) return { kind: 'unread', hold: refusalIn(error) };
  }
  if (typeof request === 'object') return { kind: 'underWay', request };
  return request === 'unreadable' || hasBegun ? { kind: 'unclear' } : loosePods(cluster, ports);
}

/** The scope with the result of the live read. */
export function withAdoption(scope: ClusterScope, adoption: Adoption | undefined): ClusterScope {
  if (adoption === undefined) return scope;
  const { observation } = scope;
  return { ...scope, observation: { ...observation, cluster: { ...observation.cluster, adoption } } };
}

/** The caches show an object that the existing operator makes for a cluster of this name, without a label of ours. It
 *  makes the Services before anything else. */
function isAnythingThere({ metadata: { namespace, name } }: MarekvsCluster, caches: Caches): boolean {
  const key = (object: string) => keyOf({ namespace, name: object });
  const views = [
    caches.services.store.get(key(clientServiceName(name))),
    caches.services.store.get(key(headlessServiceName(name))),
    caches.budgets.store.get(key(pdbName(name))),
    caches.pods.store.get(key(nodeName(name, 0))),
  ];
  const claim = caches.volumes.store.get(key(pvcName(name, 0)));
  const isForeign = claim !== undefined && claim.clusterName === undefined;
  return isForeign || views.some((view) => view !== undefined && view.labels[LABELS.cluster] === undefined);
}

/** Finds the first Pod of a StatefulSet whose Pods were orphaned by hand: it has the name that the existing operator
 *  gave it, no owner, and no label of ours. */
function loosePods({ metadata: { namespace, name } }: MarekvsCluster, { caches }: Ports): Adoption | undefined {
  const pod = caches.pods.store.get(keyOf({ namespace, name: nodeName(name, 0) }));
  const isLoose = pod !== undefined && pod.ownerUid === undefined && pod.labels[LABELS.cluster] === undefined;
  return isLoose ? { kind: 'loose', pod: pod.name } : undefined;
}
