// Is it right, at that moment, what an operator does when members are handed to a StatefulSet? A Pod may be let go only
// to the existing, intended StatefulSet, which must neither restart nor end a member. A node may go only when its Pod
// belongs to that StatefulSet. A cluster may forget that it was formed only when no node is left.

import { isReleaseAsked, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { controllerUid, STATEFUL_SETS } from '../cluster/stateful-sets.ts';
import type { WorldView } from '../cluster/world-view.ts';
import { NAMESPACE } from '../cluster/world-view.ts';
import type { WriteBody } from '../operator/write-effect.ts';

/** Whether its nodes go because a StatefulSet has all of their Pods. */
export function isHandingOver({ status }: MarekvsCluster): boolean {
  return status?.release?.phase === 'Closing';
}

/** Why this node may not go yet; undefined when its Pod belongs to the StatefulSet or is just being recreated. */
export function handedProblem(view: WorldView, { status }: MarekvsCluster, node: MarekvsNode): string | undefined {
  const pod = view.pod(node.spec.nodeId);
  if (pod === undefined) return undefined;
  const owner = controllerUid(pod);
  return owner === status?.release?.statefulSetUID ? undefined : `its Pod is not the StatefulSet's: ${owner}`;
}

/** Why a patch must not remove the node from the owners of its Pod; undefined when it may.
 *  @param lately the cluster now, and its states of a moment ago */
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

/** Why a status must not drop `formed`; undefined when it may or does not. */
export function forgettingProblem(view: WorldView, live: MarekvsCluster, { status }: WriteBody): string | undefined {
  if (live.status?.formed === undefined || status === undefined || status.formed !== undefined) return undefined;
  if (!isHandingOver(live)) return 'it forgets that it was formed';
  const left = view.nodes().filter((node) => view.clusterOf(node)?.metadata.uid === live.metadata.uid);
  return left.length === 0 ? undefined : `it forgets that it was formed while ${left.length} nodes are there`;
}
