// Is what an operator does when members are handed to a StatefulSet right at that moment? A Pod is let go only to a
// StatefulSet that is there, is meant, restarts nobody and ends nobody; a node goes only when its Pod is that
// StatefulSet's; and a cluster forgets that it was formed only when nothing of it is left here.

import { isReleaseAsked, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { controllerUid, STATEFUL_SETS } from './stateful-sets.ts';
import type { WorldView } from './world-view.ts';
import { NAMESPACE } from './world-view.ts';
import type { WriteBody } from './write-effect.ts';

/** Its nodes go because a StatefulSet has all of their Pods. */
export function isHandingOver({ status }: MarekvsCluster): boolean {
  return status?.release?.phase === 'Closing';
}

/** Why this node may not go yet; undefined when its Pod is the StatefulSet's, or is just being made again by that. */
export function handedProblem(view: WorldView, { status }: MarekvsCluster, node: MarekvsNode): string | undefined {
  const pod = view.pod(node.spec.nodeId);
  if (pod === undefined) return undefined;
  const owner = controllerUid(pod);
  return owner === status?.release?.statefulSetUID ? undefined : `its Pod is not the StatefulSet's: ${owner}`;
}

/** A patch that takes the node off the owners of its Pod.
 *  @param lately the cluster as it is, and as it was a moment ago */
export function letGoProblem(
  view: WorldView,
  live: ApiObject,
  { metadata }: WriteBody,
  lately: (cluster: MarekvsCluster) => readonly MarekvsCluster[],
): string | undefined {
  if (metadata === undefined || !Object.hasOwn(metadata, 'ownerReferences')) return undefined;
  const owner = controllerUid(live);
  const node = view.nodes().find((one) => one.metadata.uid === owner);
  const left = metadata.ownerReferences ?? [];
  if (node === undefined || left.some(({ uid }) => uid === owner)) return undefined;
  const cluster = view.clusterOf(node);
  if (cluster === undefined) return 'it is let go without its cluster';
  const { phase, statefulSetUID } = cluster.status?.release ?? {};
  const isMeant = lately(cluster).some((one) => {
    const at = one.status?.release?.phase;
    return at === 'Closing' || (at === 'LettingGo' && isReleaseAsked(one));
  });
  if (!isMeant) return `it is let go at ${phase ?? 'no release'}`;
  const set = view.kube.server.find(STATEFUL_SETS, { namespace: NAMESPACE, name: cluster.metadata.name });
  if (set === undefined || set.metadata.uid !== statefulSetUID) return 'it is let go to nobody';
  const { replicas, updateStrategy } = (set.spec ?? {}) as {
    readonly replicas?: number;
    readonly updateStrategy?: { readonly type?: string };
  };
  const count = view.nodes().filter((one) => view.clusterOf(one)?.metadata.uid === cluster.metadata.uid).length;
  if (replicas !== count) return `it is let go to a StatefulSet of ${replicas}, and there are ${count} members`;
  if (updateStrategy?.type !== 'OnDelete') return 'it is let go to a StatefulSet that restarts it';
  const service = view.kube.server.find('services', { namespace: NAMESPACE, name: cluster.metadata.name });
  const selector = (service?.spec?.selector ?? {}) as Readonly<Record<string, string>>;
  if (JSON.stringify(selector) !== JSON.stringify({ app: cluster.metadata.name }))
    return 'it is let go while a Pod that is made again would be behind no Service';
  return undefined;
}

/** A status without what was latched. */
export function forgettingProblem(view: WorldView, live: MarekvsCluster, { status }: WriteBody): string | undefined {
  if (live.status?.formed === undefined || status === undefined || status.formed !== undefined) return undefined;
  if (!isHandingOver(live)) return 'it forgets that it was formed';
  const left = view.nodes().filter((node) => view.clusterOf(node)?.metadata.uid === live.metadata.uid);
  return left.length === 0 ? undefined : `it forgets that it was formed while ${left.length} nodes are there`;
}
