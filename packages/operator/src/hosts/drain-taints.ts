// Answers: is a host being emptied? It is cordoned, is being deleted, or has a taint that means so. The common taints
// are known, and an installation adds its own (--drain-taints).

import type { Node } from '@marekvs/runtime';

/** Taints that mean that a host is being emptied or taken away. `not-ready` and `unreachable` are not among them: they
 *  come and go by themselves. Sources: kubectl cordon and drain, the out-of-service procedure, cloud providers'
 *  shutdown mark, cluster-autoscaler, Karpenter (v1beta1, v1), GKE's and AWS's notices of termination. */
const KNOWN: ReadonlySet<string> = new Set([
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/out-of-service',
  'node.cloudprovider.kubernetes.io/shutdown',
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disruption',
  'karpenter.sh/disrupted',
  'cloud.google.com/impending-node-termination',
  'aws-node-termination-handler/spot-itn',
  'aws-node-termination-handler/scheduled-maintenance',
  'aws-node-termination-handler/asg-lifecycle-termination',
  'aws-node-termination-handler/rebalance-recommendation',
]);

/** True when the host takes no Pods any more and is about to lose those it has, by any known sign.
 *  @param taints further keys that mean so */
export function isBeingEmptied(host: Node, taints: ReadonlySet<string> = new Set()): boolean {
  if (host.metadata?.deletionTimestamp !== undefined) return true;
  return isDrained(host, taints) || hasTaint(host, KNOWN);
}

/** True when members are to leave the host: it is cordoned, or has one of these taints. A taint that only asks to
 *  prefer other hosts does not count: the scheduler would put a member back, and the candidates of cluster-autoscaler
 *  have such a taint and lose it again. */
export function isDrained(host: Node, taints: ReadonlySet<string>): boolean {
  return host.spec?.unschedulable === true || hasTaint(host, taints);
}

function hasTaint({ spec }: Node, keys: ReadonlySet<string>): boolean {
  return (spec?.taints ?? []).some(
    ({ key, effect }) => (effect === 'NoSchedule' || effect === 'NoExecute') && keys.has(key),
  );
}
